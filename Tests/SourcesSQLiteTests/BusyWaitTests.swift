import Foundation
import Pipeline
import PipelineTesting
import Synchronization
import Testing

@testable import SourcesSQLite

@Suite(.timeLimit(.minutes(15))) struct BusyWaitTests {
    let subject: Subject

    init() throws { subject = try Subject() }

    @Test(arguments: [
        (0, []), (3, [1, 2]), (60, [1, 2, 5, 10, 15, 20, 7]), (500, [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100, 100, 72]),
    ])
    func `it asks again after pauses that grow, for so long`(limit: Int, expected: [Int]) {
        let pauses = Mutex<[Int]>([])
        let wait = BusyWait(limit: .milliseconds(limit)) { pause in pauses.withLock { $0.append(pause) } }

        var count = 0
        while wait.goesOn(after: count) { count += 1 }

        #expect(pauses.withLock { $0 } == expected)
    }

    @Test(arguments: [true, false]) func `a task that is cancelled waits no longer`(isOpen: Bool) async throws {
        let asked = Gate()
        let cache = subject.cache(
            busyTimeout: .seconds(3_600),
            sleep: { _ in
                asked.open()
                Thread.sleep(forTimeInterval: 0.001)
            })
        try await subject.cache().write(subject.entry("old"), for: subject.key)
        if isOpen { try await cache.connect() }
        let lock = try LockedDatabase(in: subject.folder)
        let subject = subject

        let write = Task { try await cache.write(subject.entry("new"), for: subject.key) }
        try await asked.wait()
        write.cancel()

        await #expect(throws: CancellationError.self) { try await write.value }
        try lock.release()
        #expect(try await cache.read(subject.key)?.text == "old")
        try await cache.write(subject.entry("newer"), for: subject.key)
        #expect(try await cache.read(subject.key)?.text == "newer")
    }

    /// A source that has not opened the database yet, and whose waits are failures.
    private func freshReader() async throws -> SQLiteSource {
        let first = subject.cache()
        try await first.write(subject.entry("value"), for: subject.key)
        await first.close()
        return subject.cache(busyTimeout: .seconds(3_600), sleep: { Issue.record("a read waited \($0) ms") })
    }

    @Test func `a read by who opens the database waits for no writer, and a write afterwards opens it anew`() async throws {
        let cache = try await freshReader()
        let lock = try LockedDatabase(in: subject.folder)

        #expect(try await cache.read(subject.key)?.text == "value")
        #expect(try await cache.read(subject.key(1)) == nil)

        try lock.release()
        try await cache.write(subject.entry("new"), for: subject.key)
        #expect(try await cache.read(subject.key)?.text == "new")
        await cache.close()
        #expect(try subject.folder.contents() == ["cache.db"])
    }

    @Test func `who only read beside a writer still reads when a write of its own is in vain`() async throws {
        let first = subject.cache()
        try await first.write(subject.entry("value"), for: subject.key)
        await first.close()
        let lock = try LockedDatabase(in: subject.folder)
        let cache = subject.cache(busyTimeout: .milliseconds(5))

        #expect(try await cache.read(subject.key)?.text == "value")
        let reason = try await subject.reason { try await cache.write(subject.entry("new"), for: subject.key) }

        #expect(reason == "cannot open …/cache.db: another process has held it for 5ms")
        #expect(try await cache.read(subject.key)?.text == "value")
        try lock.release()
    }

    @Test func `a read waits for no other process that opens the database`() async throws {
        let cache = try await freshReader()
        let subject = subject

        let text = try await withHeldFolder(of: subject) { try await cache.read(subject.key)?.text }

        #expect(text == "value")
    }

    /// Does `body` while another thread has the lock under which databases are opened.
    private func withHeldFolder<Value>(of subject: Subject, _ body: () async throws -> Value) async throws -> Value {
        let (isHeld, mayGo) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        Thread {
            _ = try? DiskFile(path: subject.folder.path + "/cache.db").locked(waiting: BusyWait(limit: .zero)) {
                isHeld.signal()
                mayGo.wait()
            }
        }.start()
        defer { mayGo.signal() }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                isHeld.wait()
                continuation.resume()
            }
        }
        return try await body()
    }

    @Test func `an opening that waits for another process is left at once, and another one is tried afterwards`() async throws {
        let (asked, subject) = (Gate(), subject)
        let cache = subject.cache(
            busyTimeout: .seconds(3_600),
            sleep: { _ in
                asked.open()
                Thread.sleep(forTimeInterval: 0.001)
            })
        try await withHeldFolder(of: subject) {
            let write = Task { try await cache.write(subject.entry("one"), for: subject.key) }
            try await asked.wait()
            write.cancel()
            await #expect(throws: CancellationError.self) { try await write.value }

            let reason = try await subject.reason {
                try await subject.cache(busyTimeout: .zero).write(subject.entry("x"), for: subject.key)
            }
            #expect(reason == "cannot open …/cache.db: another process has been opening it for 0s")
        }
        try await cache.write(subject.entry("two"), for: subject.key)
        #expect(try await cache.read(subject.key)?.text == "two")
    }
}
