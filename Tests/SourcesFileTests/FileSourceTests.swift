import Foundation
import Pipeline
import PipelineTesting
import Testing

@testable import SourcesFile

@Suite struct FileSourceTests {
    let folder: TemporaryFolder
    let time = ManualClock()
    let key = Key(pipeline: "friends", parameters: ["user": "42"])

    init() throws {
        folder = try TemporaryFolder()
    }

    private func source(_ template: String = "{key}.json", before: FileStepHook? = nil) -> FileSource {
        FileSource(path: folder.template(template), clock: time.clock, before: before)
    }

    @Test func `a payload file holds exactly the payload's bytes`() async throws {
        let payload: [UInt8] = [0, 10, 13, 255, 0x7B]

        try await source().write(Entry(payload, created: time.now), for: key)

        #expect(try folder.bytes(of: "friends,user=42.json") == payload)
    }

    @Test func `nothing but the payload and its hidden sidecar is left behind`() async throws {
        let source = source("a/b/{key}.json")

        for version in 1...3 { try await source.write(.version(version), for: key) }

        #expect(try folder.contents() == ["a/", "a/b/", "a/b/.friends,user=42.json.meta", "a/b/friends,user=42.json"])
    }

    @Test func `a read makes neither files nor folders`() async throws {
        #expect(try await source("a/{key}.json").read(key) == nil)
        try await source("a/{key}.json").remove(key)
        try await source("a/{key}.json").clear(pipeline: "friends")

        #expect(try folder.contents() == [])
    }

    @Test(arguments: ["../../etc/passwd", "/etc/passwd", "..", ".", "a\0b", "~", ".hidden", "a/../../b", "", "a\nb", "%2e%2e"])
    func `a value cannot leave its folder`(value: String) async throws {
        let source = source("inner/{user}")
        let key = Key(pipeline: "friends", parameters: ["user": value])

        try await source.write(.version(1), for: key)

        #expect(try await source.read(key)?.wholeVersion == 1)
        let contents = try folder.contents()
        #expect(contents.count == 3, "\(contents)")
        #expect(contents.allSatisfy { $0.hasPrefix("inner/") && $0.split(separator: "/").count <= 2 }, "\(contents)")
    }

    @Test(arguments: [199, 200, 201, 400, 5_000, 11_000])
    func `a long value is kept in nested folders, and removed with them`(length: Int) async throws {
        let source = source("{user}.json")
        let long = Key(pipeline: "friends", parameters: ["user": String(repeating: "x", count: length)])
        let other = Key(pipeline: "friends", parameters: ["user": String(repeating: "x", count: length - 1) + "y"])

        try await source.write(.version(1), for: long)
        try await source.write(.version(2), for: other)

        #expect(try await self.source("{user}.json").read(long)?.wholeVersion == 1)
        #expect(try await self.source("{user}.json").read(other)?.wholeVersion == 2)

        try await source.clear(pipeline: "friends")

        #expect(try await source.read(long) == nil)
        #expect(try folder.contents() == [])
    }

    @Test func `a value that would nest folders without end is an error`() async throws {
        let source = source("{user}.json")
        let key = Key(pipeline: "friends", parameters: ["user": String(repeating: "x", count: 100_000)])

        let error = await #expect(throws: SourceError.self) { try await source.write(.version(1), for: key) }

        #expect(error?.reason.hasSuffix("the path has more than 12000 bytes") == true)
        #expect((error?.reason.utf8.count ?? 0) < 1_000)
        #expect(try folder.contents() == [])
    }

    @Test func `a name that leaves no room for the sidecar's name has one all the same`() async throws {
        let template = "{user}" + String(repeating: "n", count: 245)
        let key = Key(pipeline: "friends", parameters: ["user": "0123456789"])

        try await source(template).write(.version(7), for: key)

        #expect(try await source(template).read(key)?.wholeVersion == 7)
        try await source(template).remove(key)
        #expect(try folder.contents() == [])
    }

    @Test func `a repeated hit reads the payload alone`() async throws {
        let steps = StepLog()
        let source = source(before: steps.hook)
        try await self.source().write(.version(1, created: time.now), for: key)

        for _ in 0..<3 { #expect(try await source.read(key)?.wholeVersion == 1) }

        #expect(steps.seen == [.readPayload, .readSidecar, .readPayload, .readPayload])
    }

    @Test func `a write by another process is seen by a source that read before`() async throws {
        let (one, other) = (source(), source())

        for version in 1...5 {
            try await one.write(.version(version), for: key)
            #expect(try await other.read(key)?.wholeVersion == version)
            try await other.write(.version(-version), for: key)
            #expect(try await one.read(key)?.wholeVersion == -version)
        }
        try await other.remove(key)

        #expect(try await one.read(key) == nil)
    }

    @Test func `WB-03 a name that a temporary file has is refused, so that no sweep takes a payload`() async throws {
        let error = await #expect(throws: SourceError.self) {
            try await source(".pipe-run-{user}.tmp").write(.version(1), for: key)
        }

        #expect(error?.reason.hasSuffix("such a name is that of a temporary file") == true)
    }

    @Test func `SH-08 a caller's changes of an entry do not reach another caller's`() async throws {
        let source = source()
        try await source.write(.version(1), for: key)

        var entry = try #require(try await source.read(key))
        entry.payload?[0] = 0

        #expect(try await source.read(key)?.wholeVersion == 1)
    }

    @Test func `a relative template without a folder works in the working directory's names`() {
        let layouts = ["{key}.json", "./{key}.json", "a/{user}/{key}.json", "/{key}", "a//{key}"].map { FileLayout(.text($0)) }

        #expect(layouts.map(\.root) == [".", ".", "a", "/", "a/"])
        #expect(layouts.map { $0.path(below: "x") } == ["x", "./x", "a/x", "/x", "a//x"])
        #expect(layouts.map(\.namedFolders) == [0, 0, 1, 0, 0])
    }
}
