import Pipeline
import PipelineTesting
import Synchronization
import Testing

@testable import SourcesFile

@Suite struct FileConcurrencyTests {
    let folder: TemporaryFolder
    let key = Key(pipeline: "friends")

    init() throws {
        folder = try TemporaryFolder()
    }

    /// - Parameter ahead: milliseconds. No two processes write at one nanosecond, which tells a payload from others.
    private func newSource(ahead: Int64 = 0) -> FileSource {
        let clock = ManualClock(wall: ManualClock().clock.now + .milliseconds(ahead)).clock
        return FileSource(path: folder.template("{key}.json"), clock: clock)
    }

    @Test func `SH-04 sources that write one file at the same time leave one of the values with its own metadata`() async throws {
        try await newSource().write(.version(0, size: 100), for: key)
        let sources = (1...4).map { newSource(ahead: $0) }
        let key = key

        await withTaskGroup { group in
            for (index, source) in sources.enumerated() {
                group.addTask {
                    for turn in 1...50 {
                        await #expect(throws: Never.self) {
                            try await source.write(.version(index * 1000 + turn, size: 100 * (index % 2 + 1)), for: key)
                        }
                    }
                }
                group.addTask {
                    for _ in 0..<50 {
                        await #expect(throws: Never.self) {
                            let entry = try await self.newSource().read(key)
                            #expect(entry != nil && entry?.wholeVersion != nil, "\(entry?.etag ?? "by hand")")
                        }
                    }
                }
            }
        }

        #expect(try await newSource().read(key)?.wholeVersion != nil)
        #expect(try folder.contents() == [".friends.json.meta", "friends.json"])
    }

    @Test func `SH-04 payload and sidecar change while no other process can change them`() async throws {
        let (path, held, free) = (folder.path, StepLog(), StepLog())
        let source = FileSource(path: folder.template("{key}.json"), clock: ManualClock().clock) { step throws(SystemFailure) in
            let result = (try? Folder(path))?.descriptor.lock()
            try (result == .heldByAnother ? held : free).hook(step)
        }

        for version in 1...2 { try await source.write(.version(version), for: key) }
        try await source.remove(key)
        try await source.write(.version(3), for: key)
        try await source.clear(pipeline: "friends")

        let write: [FileStep] = [.stampPayload, .writeSidecar, .replaceSidecar, .replacePayload]
        let rewrite: [FileStep] = [.stampPayload, .readSidecar, .writeSidecar, .replaceSidecar, .replacePayload]
        let remove: [FileStep] = [.removePayload, .removeSidecar]
        #expect(held.seen == write + rewrite + remove + write + [.readSidecar] + remove)
        #expect(Set(free.seen) == [.createTemporary, .writePayload, .lockFolder])
    }

    @Test func `SH-04 processes that write one file at the same time leave one of the values with its own metadata`() async throws {
        try await newSource().write(.version(0, size: 100), for: key)
        let isOver = Mutex(false)

        async let one: Void = writeInAnotherProcess(from: 1_000)
        async let other: Void = writeInAnotherProcess(from: 2_000)
        async let remover: Void = rewriteInAnotherProcess(from: 3_000)
        async let reads = readUntil { isOver.withLock { $0 } }
        _ = await (one, other, remover)
        isOver.withLock { $0 = true }

        #expect(try await reads > 0)
        let last = try await newSource().read(key)
        #expect(last == nil || last?.wholeVersion != nil)
        #expect(try folder.contents().allSatisfy { !$0.hasPrefix(".pipe-run-") })
    }

    private func readUntil(_ isOver: () -> Bool) async throws -> Int {
        var count = 0
        while !isOver() {
            if let entry = try await newSource().read(key) {
                #expect(entry.wholeVersion != nil, "\(entry.text?.prefix(20) ?? "") has the tag \(entry.etag ?? "of no writer")")
            }
            count += 1
            await Task.yield()
        }
        return count
    }

    private func writeInAnotherProcess(from start: Int) async {
        await #expect(processExitsWith: .success) { [path = folder.path as String, start = start as Int] in
            let source = FileSource(path: .text(path + "/{key}.json"), clock: .system)
            for version in start..<(start + 200) { try await source.write(.version(version, size: 100), for: Key(pipeline: "friends")) }
        }
    }

    private func rewriteInAnotherProcess(from start: Int) async {
        await #expect(processExitsWith: .success) { [path = folder.path as String, start = start as Int] in
            let source = FileSource(path: .text(path + "/{key}.json"), clock: .system)
            for version in start..<(start + 100) {
                try await source.remove(Key(pipeline: "friends"))
                try await source.write(.version(version, size: 100), for: Key(pipeline: "friends"))
                if version.isMultiple(of: 10) { try await source.clear(pipeline: "friends") }
            }
        }
    }

    @Test func `folders that are pruned while others write into them are made again`() async throws {
        let source = FileSource(path: folder.template("{user}/{pipeline}.json"), clock: ManualClock().clock)

        await withTaskGroup { group in
            for pipeline in ["a", "b", "c"] {
                group.addTask {
                    for turn in 0..<60 {
                        await #expect(throws: Never.self) {
                            let key = Key(pipeline: pipeline, parameters: ["user": "\(turn % 2)"])
                            try await source.write(.version(turn), for: key)
                            #expect(try await source.read(key)?.wholeVersion == turn)
                            try await source.clear(pipeline: pipeline)
                        }
                    }
                }
            }
        }

        #expect(try folder.contents() == [])
    }
}
