import Foundation
import Pipeline
import PipelineTesting
import Synchronization
import TestSupport
import Testing

@testable import SourcesFile

@Suite struct FileBoundTests {
    let folder: TemporaryFolder
    let time = ManualClock()

    init() throws {
        folder = try TemporaryFolder()
    }

    private func newSource(maxEntries: Int? = nil, maxBytes: Int? = nil, template: String = "{user}.json") -> FileSource {
        FileSource(
            path: folder.template(template), maxEntries: maxEntries, maxBytes: maxBytes.map { Size(bytes: $0) }, clock: time.clock)
    }

    private func key(_ user: Int) -> Key { Key(pipeline: "friends", parameters: ["user": "\(user)"]) }

    @Test func `EV-03 the least recently used copies go, and their sidecars`() async throws {
        let source = newSource(maxEntries: 3)
        for user in 1...3 { try await source.write(.version(user), for: key(user)) }
        #expect(try await source.read(key(1)) != nil)

        try await source.write(.version(4), for: key(4))
        try await source.write(.version(5), for: key(5))

        #expect(try folder.contents() == [".1.json.meta", ".4.json.meta", ".5.json.meta", "1.json", "4.json", "5.json"])
    }

    @Test func `EV-03 nothing goes within the bound`() async throws {
        let source = newSource(maxEntries: 3, maxBytes: 30)

        for turn in 1...5 {
            for user in 1...3 { try await source.write(.version(turn), for: key(user)) }
        }

        #expect(try folder.payloads() == ["1.json", "2.json", "3.json"])
    }

    @Test func `EV-03 the bytes of the payloads are bounded in one batch`() async throws {
        let source = newSource(maxBytes: 100)
        for user in 0...9 { try await source.write(.version(user, size: 10), for: key(user)) }
        #expect(try folder.payloads().count == 10)

        try await source.write(.version(11, size: 95), for: key(11))

        #expect(try folder.payloads() == ["11.json"])
    }

    @Test func `EV-03 what was there before and its order of use are counted after a restart`() async throws {
        let before = newSource(maxEntries: 10)
        for user in 1...4 { try await before.write(.version(user), for: key(user)) }
        time.advance(by: .seconds(1))
        _ = try await before.read(key(2))
        time.advance(by: .seconds(1))
        _ = try await before.read(key(1))
        time.advance(by: .seconds(1))

        try await newSource(maxEntries: 3).write(.version(5), for: key(5))

        #expect(try folder.payloads() == ["1.json", "2.json", "5.json"])
    }

    @Test func `EV-03 files that the source did not write neither count nor go`() async throws {
        let foreign = ["mine.json", "notes.txt", "7.json.bak", "sub/8.json"]
        for name in foreign { try folder.put("mine", into: name) }
        let neighbour = FileSource(path: folder.template("{key}.txt"), clock: time.clock)
        try await neighbour.write(.version(1), for: key(1))
        let source = newSource(maxEntries: 1)

        for user in 1...3 { try await source.write(.version(user), for: key(user)) }

        #expect(try folder.payloads() == (foreign + ["3.json", "friends,user=1.txt"]).sorted())
    }

    @Test func `no entries means that nothing is kept`() async throws {
        try await newSource().write(.version(1), for: key(1))
        let source = newSource(maxEntries: 0)

        for user in 1...2 {
            await #expect { try await source.write(.version(2), for: key(user)) } throws: { isNotKept($0, because: "max_entries is 0") }
        }

        #expect(try await source.read(key(1)) == nil)
        #expect(try folder.contents() == [])
    }

    @Test func `only copies that were removed count as evicted`() async throws {
        let evictions = Mutex(0)
        let refusals = Countdown(1)
        let source = FileSource(
            path: folder.template("{user}.json"), maxEntries: 2, clock: time.clock, evicted: { _ in evictions.withLock { $0 += 1 } },
            before: { step throws(SystemFailure) in
                if step == .removePayload, refusals.isOneOfTheFirst() { throw SystemFailure(code: EACCES) }
            })
        for user in 1...2 { try await source.write(.version(user), for: key(user)) }

        try await source.write(.version(3), for: key(3))
        let afterRefusal = evictions.withLock { $0 }
        try FileManager.default.removeItem(atPath: folder.path + "/2.json")
        try FileManager.default.removeItem(atPath: folder.path + "/.2.json.meta")
        try await source.write(.version(4), for: key(4))
        let afterLoss = evictions.withLock { $0 }
        try await source.write(.version(5), for: key(5))

        #expect(afterRefusal == 0)
        #expect(afterLoss == 0)
        #expect(evictions.withLock { $0 } == 1)
        #expect(try folder.payloads() == ["1.json", "4.json", "5.json"])
    }

    @Test func `a payload larger than the whole bound is not kept, and the others stay`() async throws {
        let source = newSource(maxBytes: 50)
        for user in 1...2 { try await source.write(.version(user, size: 20), for: key(user)) }

        await #expect { try await source.write(.version(3, size: 51), for: key(1)) } throws: {
            isNotKept($0, because: "larger than max_bytes (50)")
        }

        #expect(try folder.payloads() == ["2.json"])
        try await source.write(.version(4, size: 50), for: key(4))
        #expect(try folder.payloads() == ["4.json"])
    }

    @Test func `removed and cleared copies make room`() async throws {
        let source = newSource(maxEntries: 2)
        for user in 1...2 { try await source.write(.version(user), for: key(user)) }

        try await source.remove(key(2))
        try await source.write(.version(3), for: key(3))
        #expect(try folder.payloads() == ["1.json", "3.json"])
        try await source.clear(pipeline: "friends")
        for user in 4...5 { try await source.write(.version(user), for: key(user)) }

        #expect(try folder.payloads() == ["4.json", "5.json"])
    }

    @Test func `many writers at once keep the bound`() async throws {
        let source = newSource(maxEntries: 10)

        await withTaskGroup { group in
            for user in 0..<100 {
                group.addTask { await #expect(throws: Never.self) { try await source.write(.version(user), for: key(user)) } }
            }
        }

        #expect(try folder.payloads().count == 10)
        #expect(try folder.contents().count == 20)
    }
}
