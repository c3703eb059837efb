internal import GRDB
internal import Pipeline
internal import Synchronization

/// The keys that were read since it was last written down: a read alone writes nothing.
final class RecentUses: Sendable {
    /// The uses that must be written.
    struct Noted: Sendable {
        fileprivate var stamps: [String: Int64] = [:]

        func store(in db: Database) throws {
            guard !stamps.isEmpty else { return }
            let statement = try db.cachedStatement(sql: "UPDATE entries SET used = ?2 WHERE key = ?1 AND used < ?2")
            for (key, stamp) in stamps.sorted(by: { $0.value < $1.value }) { try statement.execute(arguments: [key, stamp]) }
        }
    }

    private struct State {
        var noted = Noted()
        var last = Int64.min
    }

    /// The number of uses that are written down without waiting for the next write.
    private static let limit = 1024

    private let clock: PipelineClock
    private let state = Mutex(State())

    init(clock: PipelineClock) {
        self.clock = clock
    }

    /// The present in nanoseconds since 1970, later than any given before.
    func nextStamp() -> Int64 {
        let now = clock.wall().nanoseconds
        return state.withLock { Self.next(at: now, in: &$0) }
    }

    /// Notes a read of `key`; gives what is noted when that is enough to be written down.
    func note(_ key: Key) -> Noted? {
        let now = clock.wall().nanoseconds
        return state.withLock { state in
            state.noted.stamps[key.text] = Self.next(at: now, in: &state)
            guard state.noted.stamps.count >= Self.limit else { return nil }
            defer { state.noted = Noted() }
            return state.noted
        }
    }

    /// Everything noted since the last call.
    func take() -> Noted {
        state.withLock { state in
            defer { state.noted = Noted() }
            return state.noted
        }
    }

    private static func next(at now: Int64, in state: inout State) -> Int64 {
        state.last = max(now, state.last == .max ? .max : state.last + 1)
        return state.last
    }
}
