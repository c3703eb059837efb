import Foundation
import Pipeline
import PipelineTesting
import Testing

@testable import SourcesFile

/// A renewal writes the sidecar, and leaves the payload as it is.
@Suite struct FileRenewalTests {
    let folder: TemporaryFolder
    let time = ManualClock()
    let key = Key(pipeline: "friends")

    init() throws {
        folder = try TemporaryFolder()
    }

    private var path: String { folder.path + "/friends.json" }

    /// A source as a process that starts now would make it.
    private func newSource() -> FileSource { FileSource(path: folder.template("{key}.json"), clock: time.clock) }

    private func entry(_ text: String, freshFor: Duration = .seconds(3)) -> Entry {
        let now = time.now
        return Entry(Array(text.utf8), created: now, stored: now, freshUntil: now + freshFor)
    }

    @Test func `the file of the payload is not touched`() async throws {
        let source = newSource()
        try await source.write(entry("value"), for: key)
        let held = try #require(try await source.read(key))
        let before = try FileStatus(of: path)
        time.advance(by: .seconds(2))

        #expect(try await source.renew(held, as: entry("value"), for: key))

        let after = try FileStatus(of: path)
        #expect(after.inode == before.inode && after.modified == before.modified)
        for reader in [source, newSource()] { #expect(try await reader.read(key) == entry("value")) }
        #expect(try folder.contents() == [".friends.json.meta", "friends.json"])
    }

    @Test func `another process that has read the copy sees its new times when the old ones are over`() async throws {
        let (here, there) = (newSource(), newSource())
        try await here.write(entry("value"), for: key)
        let held = try #require(try await there.read(key))
        time.advance(by: .seconds(2))
        let renewed = entry("value")

        #expect(try await here.renew(held, as: renewed, for: key))
        time.advance(by: .seconds(2))

        #expect(try await there.read(key) == renewed)
    }

    @Test func `a file that was changed by hand is not given the times`() async throws {
        let source = newSource()
        try await source.write(entry("value"), for: key)
        let held = try #require(try await source.read(key))
        try folder.put("VALUE", into: "friends.json")
        FileTimes.set(modified: 1_700_000_000_123_456_789, of: path)

        #expect(try await source.renew(held, as: entry("value"), for: key) == false)

        let found = try #require(try await newSource().read(key))
        #expect(found.payload == Array("VALUE".utf8) && found.created == Timestamp(nanoseconds: 1_700_000_000_123_456_789))
    }

    @Test func `a file that was put there by hand gets metadata beside it`() async throws {
        try folder.put("value", into: "friends.json")
        FileTimes.set(modified: 5_000_000_007, of: path)
        let held = try #require(try await newSource().read(key))

        #expect(try await newSource().renew(held, as: entry("value"), for: key))

        #expect(try await newSource().read(key) == entry("value"))
    }

    @Test(arguments: [true, false]) func `what is gone does not come back`(withFolder: Bool) async throws {
        let source = FileSource(path: folder.template("deep/{key}.json"), clock: time.clock)
        try await source.write(entry("value"), for: key)
        let held = try #require(try await source.read(key))
        if withFolder {
            try FileManager.default.removeItem(atPath: folder.path + "/deep")
        } else {
            try await source.remove(key)
        }

        #expect(try await source.renew(held, as: entry("value"), for: key) == false)

        #expect(try await source.read(key) == nil)
        #expect(try folder.contents().filter { $0.contains("friends") } == [])
    }

    @Test(arguments: [FileStep.lockFolder, .writeSidecar, .syncSidecar, .replaceSidecar, .syncFolder])
    func `a kill before any step leaves the old times or the new ones`(step: FileStep) async throws {
        try await newSource().write(.version(1, size: 5_000), for: key)

        await #expect(processExitsWith: .signal(killSignal)) { [path = folder.path as String, step = step as FileStep] in
            let source = FileSource(path: .text(path + "/{key}.json"), isDurable: true, clock: .system) {
                current throws(SystemFailure) in
                if current == step { killThisProcess() }
            }
            let key = Key(pipeline: "friends")
            guard let held = try await source.read(key) else { return }
            var later = held
            later.created = Timestamp(nanoseconds: 7)
            _ = try await source.renew(held, as: later, for: key)
        }

        let found = try #require(try await newSource().read(key))
        #expect(found.wholeVersion == 1 || found.created == Timestamp(nanoseconds: 7))
        #expect((found.created == Timestamp(nanoseconds: 7)) == (step == .syncFolder))
    }
}
