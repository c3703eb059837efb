import Foundation
import GRDB
import Pipeline
import PipelineTesting
import Synchronization
import Testing

@testable import SourcesSQLite

/// Two processes write into one database, and one of them is killed again and again, at moments that a seed decides.
///
/// `SQLITE_SOAK_SECONDS=60` goes on for so long, `SQLITE_SOAK_SEED=7` begins with another seed.
@Suite struct SQLiteKillTests {
    private static let keys = 4

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }

    /// What both processes write into.
    static func cache(in path: String) -> SQLiteSource {
        SQLiteSource(path: DatabasePath(path + "/cache.db"), isDurable: true, busyTimeout: .seconds(30), maxEntries: 100, clock: .system)
    }

    /// A key that `writer` alone writes, or everybody.
    static func key(_ number: Int, of writer: String) -> Key {
        Key(pipeline: "friends", parameters: ["writer": writer, "user": "\(number)"])
    }

    @Test func `SH-02 SH-04 a kill tears nothing, harms no other process, and loses nothing that was acknowledged`() async throws {
        let seconds = Self.number("SQLITE_SOAK_SECONDS") ?? 3
        let seed = Self.number("SQLITE_SOAK_SEED") ?? 2_026
        let end = ContinuousClock.now + .seconds(seconds)
        let living = Self.cache(in: folder.path)
        var (rounds, written, read, acknowledged) = (0, 0, 0, 0)

        while rounds < 3 || ContinuousClock.now < end {
            let isOver = Mutex(false)
            let round = rounds
            async let killed: Void = writeUntilKilled(round: round, seed: seed)
            async let work = liveOn(living, from: round * 1_000_000) { isOver.withLock { $0 } }
            await killed
            isOver.withLock { $0 = true }
            let (writes, reads) = try await work
            (rounds, written, read) = (rounds + 1, written + writes, read + reads)

            acknowledged += try await expectAcknowledged(living, "SQLITE_SOAK_SEED=\(seed), round \(rounds)")
            try expectSound("SQLITE_SOAK_SEED=\(seed), round \(rounds)")
        }
        await living.close()

        #expect(written >= rounds && read >= rounds && acknowledged >= rounds)
        try expectSound("after the end")
        #expect(try folder.contents().allSatisfy { !$0.contains("corrupt") })
    }

    /// In a process of its own: writes, notes each write that was acknowledged, and dies in the middle of it.
    private func writeUntilKilled(round: Int, seed: Int) async {
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = folder.path as String, round = round as Int, seed = seed as Int] in
            var random = SplitMix64(seed: UInt64(seed * 1_000 + round))
            let moment = UInt32(random.below(400_000))
            let cache = SQLiteKillTests.cache(in: path)
            let notes = open(path + "/acknowledged", O_WRONLY | O_APPEND | O_CREAT, 0o600)
            var version = round * 1_000_000
            while true {
                version += 1
                let number = random.below(4)
                try await cache.write(.version(version, size: random.below(100_000)), for: SQLiteKillTests.key(number, of: "dying"))
                let line = Array("\(number) \(version)\n".utf8)
                _ = write(notes, line, line.count)
                if version == round * 1_000_000 + 1 {
                    Thread {
                        usleep(moment)
                        kill(getpid(), SIGKILL)
                    }.start()
                }
                try await cache.write(.version(version, size: random.below(20_000)), for: SQLiteKillTests.key(number, of: "all"))
                if random.chance(10) { try await cache.remove(SQLiteKillTests.key(number, of: "all")) }
            }
        }
    }

    /// Writes and reads beside it until it is dead; what is read is whole, and what this process wrote is there.
    private func liveOn(_ cache: SQLiteSource, from start: Int, until isOver: @Sendable () -> Bool) async throws -> (
        writes: Int, reads: Int
    ) {
        var random = SplitMix64(seed: UInt64(start))
        var (version, reads) = (start + 500_000, 0)
        repeat {
            version += 1
            let number = random.below(Self.keys)
            try await cache.write(.version(version, size: random.below(50_000)), for: Self.key(number, of: "living"))
            try await cache.write(.version(version, size: random.below(20_000)), for: Self.key(number, of: "all"))
            #expect(try await cache.read(Self.key(number, of: "living"))?.wholeVersion == version)
            reads += 1
            for writer in ["dying", "all"] {
                guard let entry = try await cache.read(Self.key(random.below(Self.keys), of: writer)) else { continue }
                #expect(entry.wholeVersion != nil, "a torn entry with the tag \(entry.etag ?? "of no writer")")
                reads += 1
            }
        } while !isOver()
        return (version - start - 500_000, reads)
    }

    /// What the dead process was told to be written is there, or a later value.
    private func expectAcknowledged(_ cache: SQLiteSource, _ comment: Comment) async throws -> Int {
        let notes = (try? String(contentsOfFile: folder.path + "/acknowledged", encoding: .utf8)) ?? ""
        var last: [Int: Int] = [:]
        for line in notes.split(separator: "\n") {
            let numbers = line.split(separator: " ").compactMap { Int($0) }
            if numbers.count == 2 { last[numbers[0]] = numbers[1] }
        }
        for (number, version) in last {
            let found = try await cache.read(Self.key(number, of: "dying"))?.wholeVersion
            // The write after the last that was acknowledged may have been made, too.
            #expect(found ?? .min >= version, comment)
        }
        return last.count
    }

    private func expectSound(_ comment: Comment) throws {
        let database = try DatabaseQueue(path: folder.path + "/cache.db")
        let (answer, counted, rows) = try database.read { db in
            (
                try String.fetchOne(db, sql: "PRAGMA integrity_check"), try Int.fetchOne(db, sql: "SELECT entries FROM totals"),
                try Int.fetchOne(db, sql: "SELECT count(*) FROM entries")
            )
        }
        #expect(answer == "ok", comment)
        #expect(counted == rows, comment)
    }
}
