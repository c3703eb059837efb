import Foundation
import Pipeline
import PipelineConfig
import PipelineTesting
import Testing

@testable import SourcesFile

@Suite struct FileErrorTests {
    let folder: TemporaryFolder
    let time = ManualClock()
    let key = Key(pipeline: "friends")

    init() throws {
        folder = try TemporaryFolder()
    }

    private func source(_ template: String = "{key}.json", before: FileStepHook? = nil) -> FileSource {
        FileSource(path: folder.template(template), clock: time.clock, before: before)
    }

    private func reason(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch let error as SourceError {
            return error.reason.replacingOccurrences(of: folder.path, with: "…")
        } catch {
            return "not a SourceError: \(error)"
        }
    }

    @Test func `a path below a regular file is a failure of every operation`() async throws {
        try folder.put("", into: "file")
        let source = source("file/{key}.json")

        #expect(await reason { _ = try await source.read(key) } == "cannot read …/file/friends.json: not a directory")
        #expect(await reason { try await source.write(.version(1), for: key) } == "cannot write …/file/friends.json: not a directory")
        #expect(await reason { try await source.remove(key) } == "cannot remove …/file/friends.json: not a directory")
        #expect(await reason { try await source.clear(pipeline: "friends") } == "cannot read …/file: not a directory")
        #expect(try folder.contents() == ["file"])
    }

    @Test func `a folder in place of the file is a failure`() async throws {
        try folder.put("", into: "friends.json/kept")
        let source = source()

        #expect(await reason { _ = try await source.read(key) } == "cannot read …/friends.json: it is a folder")
        #expect(await reason { try await source.write(.version(1), for: key) } == "cannot write …/friends.json: it is a folder")
        #expect(await reason { try await source.remove(key) } == "cannot remove …/friends.json: is a directory")
        #expect(await reason { try await source.clear(pipeline: "friends") } == nil)
        #expect(try folder.contents() == ["friends.json/", "friends.json/kept"])
    }

    @Test func `a FIFO in place of the file is a failure and does not block`() async throws {
        try #require(makeFIFO(at: folder.path + "/friends.json"))
        let source = source()

        #expect(await reason { _ = try await source.read(key) } == "cannot read …/friends.json: it is not a regular file")
        #expect(await reason { try await source.write(.version(1), for: key) } == "cannot write …/friends.json: it is not a regular file")
        #expect(await reason { try await source.remove(key) } == "cannot remove …/friends.json: it is not a regular file")
        #expect(await reason { try await source.clear(pipeline: "friends") } == nil)
        #expect(try folder.contents() == ["friends.json"])
    }

    @Test func `a FIFO in place of a sidecar stays, and the write and the removal say so`() async throws {
        try #require(makeFIFO(at: folder.path + "/.friends.json.meta"))
        let source = source()

        #expect(
            await reason { try await source.write(.version(1), for: key) } == "cannot write …/.friends.json.meta: it is not a regular file")
        #expect(await reason { try await source.remove(key) } == "cannot remove …/.friends.json.meta: it is not a regular file")
        #expect(try folder.contents() == [".friends.json.meta"])
    }

    @Test func `a socket among the files stays, and clear takes the others`() async throws {
        let source = source("{user}.json")
        for user in ["1", "3"] { try await source.write(.version(1), for: Key(pipeline: "friends", parameters: ["user": user])) }
        try #require(makeSocket(at: folder.path + "/2.json"))

        #expect(await reason { try await source.clear(pipeline: "friends") } == nil)
        #expect(try folder.contents() == ["2.json"])
    }

    @Test func `a socket in place of a copy stays, and clear takes the others and says so`() async throws {
        let source = source("{user}.json")
        for user in ["1", "2", "3"] { try await source.write(.version(1), for: Key(pipeline: "friends", parameters: ["user": user])) }
        try FileManager.default.removeItem(atPath: folder.path + "/2.json")
        try #require(makeSocket(at: folder.path + "/2.json"))

        #expect(await reason { try await source.clear(pipeline: "friends") } == "cannot remove …/2.json: it is not a regular file")
        #expect(try folder.contents() == [".2.json.meta", "2.json"])
    }

    @Test func `a device in place of the file is not replaced`() async throws {
        let source = FileSource(path: PathTemplate(literal: "/dev/null"), clock: time.clock)

        #expect(await reason { _ = try await source.read(key) } == "cannot read /dev/null: it is not a regular file")
        #expect(await reason { try await source.write(.version(1), for: key) } == "cannot write /dev/null: it is not a regular file")
    }

    @Test(arguments: ["friends.json", "other.json", "missing.json"])
    func `a symbolic link in place of the file is not followed, not replaced and not removed`(target: String) async throws {
        try folder.put("secret", into: "other.json")
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/friends.json", withDestinationPath: target)
        let source = source()

        #expect(await reason { _ = try await source.read(key) } == "cannot read …/friends.json: it is a symbolic link")
        #expect(await reason { _ = try source.peek(key) } == "cannot read …/friends.json: it is a symbolic link")
        #expect(await reason { try await source.write(.version(1), for: key) } == "cannot write …/friends.json: it is a symbolic link")
        #expect(await reason { try await source.remove(key) } == "cannot remove …/friends.json: it is a symbolic link")
        #expect(await reason { try await source.clear(pipeline: "friends") } == nil)
        #expect(try folder.contents() == ["friends.json", "other.json"])
    }

    @Test func `a symbolic link in place of a sidecar is not followed`() async throws {
        try folder.put("value", into: "friends.json")
        try folder.put("{}", into: "other")
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/.friends.json.meta", withDestinationPath: "other")
        let source = source()

        #expect(await reason { _ = try await source.read(key) } == "cannot read …/.friends.json.meta: it is a symbolic link")
        #expect(
            await reason { try await source.write(.version(1), for: key) } == "cannot write …/.friends.json.meta: it is a symbolic link")
        #expect(try folder.contents() == [".friends.json.meta", "friends.json", "other"])
    }

    @Test func `a folder that is reached through a symbolic link is used`() async throws {
        try folder.put("", into: "real/kept")
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/linked", withDestinationPath: "real")
        let source = source("linked/{key}.json")

        try await source.write(.version(1), for: key)

        #expect(try await source.read(key)?.wholeVersion == 1)
        #expect(try folder.contents().contains("real/friends.json"))
    }

    @Test func `a name that is too long is a failure`() async throws {
        let source = source(String(repeating: "n", count: 300))

        #expect(await reason { _ = try await source.read(key) }?.hasSuffix("n: file name too long") == true)
        #expect(await reason { try await source.write(.version(1), for: key) }?.hasSuffix("n: file name too long") == true)
    }

    @Test func `a path with a NUL is a failure`() async throws {
        let source = FileSource(path: PathTemplate(literal: folder.path + "/a\0b"), clock: time.clock)

        #expect(await reason { _ = try await source.read(key) } == "cannot use a path with a NUL in it")
        #expect(await reason { try await source.write(.version(1), for: key) } == "cannot use a path with a NUL in it")
        #expect(try folder.contents() == [])
    }

    @Test func `a payload over max_size is invalid when read and refused when written`() async throws {
        let source = FileSource(path: folder.template("{key}.json"), maxSize: Size(bytes: 1024), clock: time.clock)
        try folder.put(Array(repeating: 0x20, count: 1025), into: "friends.json")

        let error = await #expect(throws: SourceError.self) { try await source.read(key) }

        #expect(error?.kind == .invalid)
        #expect(error?.reason == "\(folder.path)/friends.json has 1025 bytes, more than max_size (1KiB)")
        #expect(
            await reason { try await source.write(.version(1, size: 1025), for: key) }
                == "cannot write …/friends.json: 1025 bytes are more than max_size (1KiB)")
        try await source.write(.version(1, size: 1024), for: key)
        #expect(try await source.read(key)?.wholeVersion == 1)
    }

    @Test func `not found cannot be remembered`() async throws {
        let source = source()

        #expect(
            await reason { try await source.write(.notFound(created: time.now), for: key) }
                == "cannot write …/friends.json: a file cannot say that there is no value")
        #expect(!SourcePlugin.file.capabilities.contains(.keepsNotFound))
    }

    @Test(arguments: [[UInt8](), Array("longer than before".utf8)])
    func `a file that changes its length while it is read is read once more`(bytes: [UInt8]) async throws {
        let (folder, countdown) = (folder, Countdown(1))
        try folder.put("before", into: "friends.json")
        let source = source { step throws(SystemFailure) in
            guard step == .readPayload, countdown.isOneOfTheFirst() else { return }
            // In place, as an editor may do it.
            let file = FileHandle(forWritingAtPath: folder.path + "/friends.json")
            try? file?.truncate(atOffset: 0)
            try? file?.write(contentsOf: bytes)
        }

        #expect(try await source.read(key)?.payload == bytes)
    }

    @Test func `a file that never stops to grow is a failure`() async throws {
        let folder = folder
        try folder.put("before", into: "friends.json")
        let source = source { step throws(SystemFailure) in
            guard step == .readPayload, let file = FileHandle(forWritingAtPath: folder.path + "/friends.json") else { return }
            _ = try? file.seekToEnd()
            try? file.write(contentsOf: Array("more".utf8))
        }

        #expect(await reason { _ = try await source.read(key) } == "cannot read …/friends.json: it changes while it is read")
    }

    @Test(arguments: FileStep.allCases.filter { $0 != .readPayload && $0 != .readSidecar && !$0.rawValue.hasPrefix("remove") })
    func `WB-03 a step of a write that fails names the file and leaves the old value and no temporary file`(step: FileStep) async throws {
        try await source().write(.version(1), for: key)
        let failing = FileSource(path: folder.template("{key}.json"), isDurable: true, clock: time.clock) {
            current throws(SystemFailure) in
            if current == step { throw SystemFailure(code: EIO) }
        }

        #expect(
            await reason { try await failing.write(.version(2), for: key) } == "cannot write …/friends.json: input/output error")

        #expect(try await source().read(key)?.wholeVersion == (step == .syncFolder ? 2 : 1))
        #expect(try folder.contents() == [".friends.json.meta", "friends.json"])
    }

    @Test func `a cancelled task does not begin`() async throws {
        let (source, key) = (source(), key)

        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await source.write(.version(1), for: key)
        }

        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try folder.contents() == [])
    }
}
