import Foundation
import Pipeline
import PipelineTesting
import Testing

@testable import SourcesFile

@Suite struct FileOriginTests {
    let folder: TemporaryFolder
    let time = ManualClock()
    let key = Key(pipeline: "friends")

    init() throws {
        folder = try TemporaryFolder()
    }

    private func origin(_ template: String = "{key}.json") -> FileOrigin {
        FileOrigin(path: folder.template(template), clock: time.clock)
    }

    @Test func `an origin's entry has the file's time, a tag of its content and no limit`() async throws {
        try folder.put("[]", into: "friends.json")
        FileTimes.set(modified: 1_700_000_000_000_000_001, of: folder.path + "/friends.json")

        let entry = try #require(try await origin().read(key))

        #expect(
            entry
                == Entry(
                    Array("[]".utf8), created: Timestamp(nanoseconds: 1_700_000_000_000_000_001), etag: "\"2-17979cfe362a0001\"",
                    contentType: "application/json"))
    }

    @Test func `the tag changes with the file`() async throws {
        try folder.put("1", into: "friends.json")
        FileTimes.set(modified: 1, of: folder.path + "/friends.json")
        let before = try await origin().read(key)?.etag
        FileTimes.set(modified: 2, of: folder.path + "/friends.json")

        #expect(try await origin().read(key)?.etag != before)
    }

    @Test func `a file from the future was created now`() async throws {
        try folder.put("1", into: "friends.json")
        FileTimes.set(modified: time.now.nanoseconds + 1, of: folder.path + "/friends.json")

        #expect(try await origin().read(key)?.created == time.now)
    }

    @Test func `a missing file and a missing folder are a miss`() async throws {
        #expect(try await origin().read(key) == nil)
        #expect(try await origin("a/b/{key}.json").read(key) == nil)
    }

    @Test func `no sidecar is read or written`() async throws {
        let cache = FileSource(path: folder.template("{key}.json"), clock: time.clock)
        try await cache.write(.version(1), for: key)
        let before = try folder.contents()

        let entry = try #require(try await origin().read(key))

        #expect(entry.etag != "\"1\"" && entry.freshUntil == nil && entry.stored == nil)
        #expect(try folder.contents() == before)
    }

    @Test(arguments: [
        ("a.json", "application/json"), ("a.JSON", "application/json"), ("a.txt", "text/plain; charset=utf-8"), ("a.html", "text/html"),
        ("a.xml", "application/xml"), ("a.csv", "text/csv"), ("a.yaml", "application/yaml"), ("a.bin", nil), ("json", nil),
        (".json", nil), ("a.json/b", nil),
    ])
    func `the content type is that of the extension`(name: String, type: String?) async throws {
        try folder.put("1", into: name)

        #expect(try await origin(name).read(key)?.contentType == type)
    }

    @Test func `a folder in place of the file is a failure`() async throws {
        try folder.put("1", into: "friends.json/x")

        let error = await #expect(throws: SourceError.self) { try await origin().read(key) }

        #expect(error?.reason == "cannot read \(folder.path)/friends.json: it is a folder")
    }
}
