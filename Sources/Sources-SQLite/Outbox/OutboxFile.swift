internal import GRDB
public import Pipeline
package import PipelineSending
internal import Synchronization

/// An outbox in an SQLite database of its own, which several processes may use at once: sends are kept in it until they are done.
///
/// A file that is damaged, of a newer version or of another program is refused, and stays as it is.
public final class OutboxFile: Source {
    /// The bounds, and whose sends it has. The owner is a hash: the text itself is in no row.
    package let bounds: OutboxBounds
    let database: OutboxDatabase
    let clock: PipelineClock
    /// Made at its first use, since the system is asked for it.
    private let ownHolder = OwnHolder()

    /// An outbox in the database at `path`. Nothing is opened or made before the first use.
    ///
    /// - Parameters:
    ///   - owner: whose sends these are: those of another owner are neither shown nor sent nor listed. Only a hash is kept.
    ///   - maxEntries: the most sends that are not done or have failed, of all owners.
    ///   - maxBytes: the most bytes of their payloads.
    ///   - maxSize: the most bytes of one payload.
    ///   - busyTimeout: how long an operation waits while another process holds the database.
    ///   - isDurable: whether a send is taken in only when the disk has it. Without, a power cut may lose the last ones.
    public convenience init(
        path: DatabasePath, owner: String = "", maxEntries: Int = 10_000, maxBytes: Size = Size(bytes: 64 << 20),
        maxSize: Size = Size(bytes: 1 << 20), busyTimeout: Duration = .seconds(5), isDurable: Bool = true, clock: PipelineClock = .system
    ) {
        var bounds = OutboxBounds()
        (bounds.maxEntries, bounds.maxBytes, bounds.maxSize) = (maxEntries, maxBytes, maxSize)
        self.init(
            path: path, owner: owner, bounds: bounds, busyTimeout: busyTimeout, isDurable: isDurable, clock: clock, sleep: BusyWait.sleep)
    }

    /// Makes the outbox with an action between two looks at a database that is held.
    init(
        path: DatabasePath, owner: String, bounds: OutboxBounds, busyTimeout: Duration, isDurable: Bool, clock: PipelineClock,
        sleep: @escaping BusyWait.Sleep
    ) {
        var bounds = bounds
        bounds.owner = owner.isEmpty ? "" : KeyHash.digits(of: KeyHash.hash(of: owner))
        self.bounds = bounds
        database = OutboxDatabase(path: path, owner: owner, isDurable: isDurable, busyTimeout: busyTimeout, sleep: sleep)
        self.clock = clock
    }

    /// The name of this process as a holder, and of this outbox in it.
    package var holder: String { ownHolder.name }

    /// Finds nothing: an outbox holds no values.
    public func read(_ key: Key, _ context: ReadContext) async throws -> Entry? { nil }

    /// Opens the database if there is one; where there is none, checks whether one could be made.
    public func connect() async throws {
        if try await database.read({ _, _ in true }) == nil { _ = try await check() }
    }

    /// Checks whether the database could be used, or made where there is none. Reads one that is there, and writes nothing.
    public func check() async throws -> Reachability {
        try Task.checkCancellation()
        return try await database.check()
    }

    /// Closes the database. Other processes go on.
    public func close() async { await database.close() }
}

/// The name of a holder, made once.
private final class OwnHolder: Sendable {
    private let made = Mutex<String?>(nil)

    var name: String {
        made.withLock { made in
            let name = made ?? OutboxHolder().name
            made = name
            return name
        }
    }
}
