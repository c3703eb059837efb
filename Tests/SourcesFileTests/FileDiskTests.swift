import Pipeline
import PipelineTesting
import TestSupport
import Testing

@testable import SourcesFile

@Suite(.serialized, .enabled(if: SmallDisk.isAvailable, "mounting a file system needs rights that this user does not have"))
struct FileDiskTests {
    let time = ManualClock()
    let key = Key(pipeline: "friends")
    let other = Key(pipeline: "friends", parameters: ["user": "2"])

    @Test func `WB-03 a full disk fails the write, keeps the old value and leaves no temporary file`() async throws {
        let disk = try SmallDisk(size: "64k")
        let folder = TemporaryFolder(on: disk)
        let source = FileSource(path: folder.template("{key}.json"), clock: time.clock)
        try await source.write(.version(1, size: 1000), for: key)

        let error = await #expect(throws: SourceError.self) { try await source.write(.version(2, size: 200_000), for: key) }

        #expect(error?.reason == "cannot write \(folder.path)/friends.json: no space left on device")
        #expect(try folder.contents() == [".friends.json.meta", "friends.json"])
        #expect(try await FileSource(path: folder.template("{key}.json"), clock: time.clock).read(key)?.wholeVersion == 1)
        try await source.write(.version(3, size: 1000), for: key)
        #expect(try await source.read(key)?.wholeVersion == 3)
    }

    @Test func `a disk with room for the payload but not for its sidecar keeps neither`() async throws {
        let disk = try SmallDisk(size: "64k")
        let folder = TemporaryFolder(on: disk)
        let source = FileSource(path: folder.template("{key}.json"), clock: time.clock)
        // tmpfs counts in pages: this takes the last one.
        let error = await #expect(throws: SourceError.self) { try await source.write(.version(1, size: 64 << 10), for: key) }

        #expect(error?.reason == "cannot write \(folder.path)/friends.json: no space left on device")
        #expect(try folder.contents() == [])
    }

    @Test func `a read-only disk can be read and says why it cannot be written`() async throws {
        let disk = try SmallDisk(size: "64k")
        let folder = TemporaryFolder(on: disk)
        let source = FileSource(path: folder.template("{key}.json"), maxEntries: 10, clock: time.clock)
        try await source.write(.version(1), for: key)
        try disk.makeReadOnly()

        #expect(try await source.read(key)?.wholeVersion == 1)
        let file = "\(folder.path)/friends.json"
        var error = await #expect(throws: SourceError.self) { try await source.write(.version(2), for: key) }
        #expect(error?.reason == "cannot write \(file): read-only file system")
        error = await #expect(throws: SourceError.self) { try await source.remove(key) }
        #expect(error?.reason == "cannot remove \(file): read-only file system")
        error = await #expect(throws: SourceError.self) { try await source.clear(pipeline: "friends") }
        #expect(error?.reason == "cannot remove \(file): read-only file system")
        let deep = FileSource(path: folder.template("new/{key}.json"), clock: time.clock)
        error = await #expect(throws: SourceError.self) { try await deep.write(.version(2), for: key) }
        #expect(error?.reason == "cannot write \(folder.path)/new/friends.json: read-only file system")
    }

    @Test func `EV-03 a bounded source makes room before the disk is full`() async throws {
        let disk = try SmallDisk(size: "64k")
        let folder = TemporaryFolder(on: disk)
        let source = FileSource(path: folder.template("{user}.json"), maxBytes: Size(bytes: 16 << 10), clock: time.clock)

        for user in 0..<50 {
            let key = Key(pipeline: "friends", parameters: ["user": "\(user)"])
            try await source.write(.version(user, size: 4 << 10), for: key)
            #expect(try await source.read(key)?.wholeVersion == user)
        }

        #expect(try folder.payloads().sorted() == ["46.json", "47.json", "48.json", "49.json"])
    }
}
