internal import GRDB
internal import PipelineConfig
internal import Synchronization

/// The open database of an outbox: one connection, which is used on a thread of its own.
final class OutboxConnection: Sendable {
    let queue: DatabaseQueue
    /// The file, whose name can be given to another one at any time.
    let file: DiskFile.Identity
    let salt: OutboxSalt
    /// The hash of the owner, as the table of sends has it.
    let owner: String
    /// What is known of changes.
    let mark = Mutex(OutboxMark())
    /// The numbers of rows that cannot be read, whose columns are left as they are.
    let unreadable = Mutex<Set<Int64>>([])
    /// Indicates whether commits wait for the disk, for certain.
    private let isWaiting: Atomic<Bool>
    /// Counts its files.
    private let descriptors: DescriptorPermit

    init(
        _ queue: DatabaseQueue, file: DiskFile.Identity, salt: OutboxSalt, owner: String, isWaiting: Bool, descriptors: DescriptorPermit
    ) {
        (self.queue, self.file, self.salt) = (queue, file, salt)
        self.owner = salt.hash(ofOwner: owner)
        self.isWaiting = Atomic(isWaiting)
        self.descriptors = descriptors
    }

    /// Returns the value of `body` in a transaction. A task that is cancelled throws `CancellationError`, and nothing is written then.
    ///
    /// - Parameters:
    ///   - isDurable: whether it ends only when the disk has it.
    ///   - body: is given nil, and sets it to the number of the transaction if it changes sends.
    func write<Value: Sendable>(
        isDurable: Bool, _ body: @Sendable (Database, inout Int64?) throws -> Value
    ) async throws -> Value {
        try await queue.writeWithoutTransaction { db in
            try self.wait(isDurable, in: db)
            var change: Int64?
            let value = try db.transaction { try body(db, &change) }
            // Before anything else is done on the connection.
            if let change { self.mark.withLock { $0.noteOwn(change) } }
            return value
        }
    }

    /// Has the next commits wait for the disk, or not.
    ///
    /// At the beginning of a transaction that needs it and not at the end of one that does not: there it could fail unnoticed.
    private func wait(_ isDurable: Bool, in db: Database) throws {
        guard isWaiting.load(ordering: .relaxed) != isDurable else { return }
        isWaiting.store(false, ordering: .relaxed)
        try db.execute(sql: "PRAGMA synchronous = \(isDurable ? "FULL" : "NORMAL")")
        isWaiting.store(isDurable, ordering: .relaxed)
    }

    /// Closes for good, when what is under way has ended. Other processes go on.
    func close() {
        try? queue.close()
        descriptors.giveBack()
    }
}
