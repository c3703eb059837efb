internal import GRDBSQLite
internal import Pipeline
internal import PipelineConfig
internal import Synchronization
#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// The wait for a database that another connection holds: with growing pauses, up to a limit, and no longer than a caller waits.
///
/// SQLite has nothing to wait on: it asks again and again, on the thread that asked for the database.
final class BusyWait: Sendable {
    /// Stays on the thread for so many milliseconds.
    typealias Sleep = @Sendable (_ milliseconds: Int) -> Void

    /// SQLite's own pauses, in milliseconds: short ones first, since most locks are held for a moment.
    private static let pauses = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100]

    private enum Opening {
        case underWay
        case givenUp
        case over
    }

    /// The limit in words, as `5s`.
    let words: String
    private let limit: Int
    private let sleep: Sleep
    private let opening = Mutex(Opening.over)
    private let isHurried = Atomic(false)

    /// A wait for at most `limit`.
    init(limit: Duration, sleep: @escaping Sleep = BusyWait.sleep) {
        self.sleep = sleep
        words = limit.written ?? "too long"
        self.limit = Int(clamping: min(max(limit, .zero), .seconds(1_000_000)).saturatedNanoseconds / 1_000_000)
    }

    /// Begins to open the database: on a thread where no task is that could be cancelled.
    func beginOpening() { opening.withLock { $0 = .underWay } }

    /// Runs `body` without waiting for other connections.
    func hurrying<Value>(_ body: () throws -> Value) rethrows -> Value {
        isHurried.store(true, ordering: .relaxed)
        defer { isHurried.store(false, ordering: .relaxed) }
        return try body()
    }

    /// Notes that no caller waits for the opening any more.
    func giveUpOpening() { opening.withLock { if $0 == .underWay { $0 = .givenUp } } }

    /// Notes that the database is open: those who use it from now on are tasks, each with a cancellation of its own.
    func endOpening() { opening.withLock { $0 = .over } }

    /// Makes a connection wait this way. The caller keeps this object as long as the connection.
    func wait(on connection: OpaquePointer?) {
        sqlite3_busy_handler(
            connection,
            { pointer, count in
                guard let pointer else { return 0 }
                return Unmanaged<BusyWait>.fromOpaque(pointer).takeUnretainedValue().goesOn(after: Int(count)) ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Indicates whether to ask again, after a pause; the answer to SQLite's question after `count` tries without success.
    func goesOn(after count: Int) -> Bool {
        guard !isHurried.load(ordering: .relaxed), !Task.isCancelled, opening.withLock({ $0 != .givenUp }) else { return false }
        let left = limit - Self.waited(before: count)
        guard left > 0 else { return false }
        sleep(min(Self.pause(count), left))
        return true
    }

    @Sendable static func sleep(_ milliseconds: Int) { usleep(UInt32(milliseconds) * 1_000) }

    private static func pause(_ count: Int) -> Int { pauses[min(count, pauses.count - 1)] }

    private static func waited(before count: Int) -> Int {
        pauses.prefix(count).reduce(0, +) + max(0, count - pauses.count) * pause(count)
    }
}
