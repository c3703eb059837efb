import Dispatch
import Pipeline
import PipelineTesting
import Synchronization
import TestSupport
import Testing

@testable import SourcesFile

/// What happens while another process holds the lock of a folder.
@Suite(.timeLimit(.minutes(15))) struct FileLockTests {
    let folder: TemporaryFolder
    let time = ManualClock()
    let key = Key(pipeline: "friends")

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Holds the folder's lock as another process would: by another opening of it.
    private func hold() throws -> Folder {
        let held = try Folder(folder.path)
        #expect(held.descriptor.lock() == .locked)
        return held
    }

    private func source() -> FileSource { FileSource(path: folder.template("{user}.json"), clock: time.clock) }

    private final class Count: Sendable {
        let number = Mutex(0)
    }

    private static func key(_ user: Int) -> Key { Key(pipeline: "friends", parameters: ["user": "\(user)"]) }

    @Test func `a read waits for no lock, and no other folder waits for it`() async throws {
        let source = source()
        try await source.write(.version(1), for: Self.key(1))
        let held = try hold()
        let writes = (2...61).map { user in Task { try await source.write(.version(user), for: Self.key(user)) } }
        await time.sleepers(atLeast: 1)

        // Sixty that wait take no thread from these, and only one of them asks again and again.
        let other = FileSource(path: folder.template("deeper/{user}.json"), clock: time.clock)
        for user in 1...40 { try await other.write(.version(user), for: Self.key(user)) }
        #expect(try await source.read(Self.key(1))?.wholeVersion == 1)
        #expect(try source.peek(Self.key(1))?.wholeVersion == 1)
        #expect(time.sleeperCount == 1)
        #expect(try folder.contents().count { $0.hasSuffix(".tmp") } == 1)

        held.descriptor.unlock()
        time.advance(by: .milliseconds(50))
        for write in writes { try await write.value }
        #expect(try folder.payloads().count == 61 + 40)
    }

    @Test func `who waits for the lock leaves when it is cancelled, and changes nothing`() async throws {
        let source = source()
        let held = try hold()
        let write = Task { try await source.write(.version(1), for: Self.key(1)) }
        let removal = Task { try await source.remove(Self.key(1)) }
        await time.sleepers(atLeast: 1)

        write.cancel()
        removal.cancel()

        await #expect(throws: CancellationError.self) { try await write.value }
        await #expect(throws: CancellationError.self) { try await removal.value }
        #expect(try folder.contents() == [])
        withExtendedLifetime(held) {}
    }

    @Test(arguments: ["write", "remove", "clear"])
    func `a lock that is held for longer than a tier has to answer is a failure in words`(operation: String) async throws {
        let source = source()
        try await source.write(.version(1), for: Self.key(1))
        let held = try hold()
        let path = folder.path
        let isOver = Mutex(false)
        let changing = Task {
            defer { isOver.withLock { $0 = true } }
            switch operation {
            case "write": try await source.write(.version(2), for: Self.key(1))
            case "remove": try await source.remove(Self.key(1))
            default: try await source.clear(pipeline: "friends")
            }
        }
        while !isOver.withLock(\.self) {
            time.advance(by: .seconds(10))
            await Task.yield()
        }

        let error = await #expect(throws: SourceError.self) { try await changing.value }
        let what = operation == "clear" ? path : path + "/1.json"
        #expect(error?.kind == .timeout)
        #expect(error?.reason == "cannot change \(what): another process has held its folder for 30s")
        #expect(try await source.read(Self.key(1))?.wholeVersion == 1)
        withExtendedLifetime(held) {}
    }

    @Test func `many that are written at once are each as if written alone`() async throws {
        let source = FileSource(path: folder.template("{user}.json"), maxEntries: 3, maxBytes: Size(bytes: 1_000), clock: time.clock)
        try folder.put("", into: "5.json/kept")
        try await source.write(.version(0), for: Self.key(4))

        let entries = [(Entry.version(1), 1), (.version(2), 2), (.version(3, size: 2_000), 4), (.version(4), 5), (.version(5), 6)]
        let failures = await source.write(entries.map { (entry: $0.0, key: Self.key($0.1)) })

        #expect(
            failures.map { $0.map { "\($0)".replacing(folder.path, with: "…") } } == [
                nil, nil, "larger than max_bytes (1KB)", "cannot write …/5.json: it is a folder", nil,
            ])
        #expect(try folder.payloads().sorted() == ["1.json", "2.json", "5.json/kept", "6.json"])
    }

    @Test func `a task that is cancelled before its turn leaves the line of the disk's threads`() async throws {
        let (executor, release) = (DiskExecutor(), DispatchSemaphore(value: 0))
        let begun = Count()
        let busy = (0..<DiskExecutor.width).map { _ in
            Task {
                try await executor.run {
                    begun.number.withLock { $0 += 1 }
                    release.wait()
                }
            }
        }
        try await yieldUntil { begun.number.withLock(\.self) >= DiskExecutor.width }
        let waiting = Task { try await executor.run { Issue.record("it has left") } }

        waiting.cancel()

        await #expect(throws: CancellationError.self) { try await waiting.value }
        for _ in busy { release.signal() }
        for task in busy { try await task.value }
        #expect(try await executor.run { 1 } == 1)
    }
}
