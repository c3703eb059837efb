internal import GRDB
internal import Pipeline
internal import PipelineConfig
internal import PipelineJSON
internal import PipelineSending
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

/// How far one connection knows what was changed in an outbox: a pure machine.
///
/// Each transaction that changes sends has a number, one more than the one before. SQLite tells a connection whether others have changed
/// anything (`PRAGMA data_version`), so that nobody looks for changes where there are none.
struct OutboxMark: Sendable {
    private var known: (version: Int64, mark: Int64)?
    /// The numbers of this connection's own transactions since, as few ranges as possible.
    private(set) var own: [ClosedRange<Int64>] = []

    /// Notes a transaction of this connection's own, which has been committed.
    mutating func noteOwn(_ change: Int64) {
        if let last = own.last, change > 0, last.upperBound == change - 1 {
            own[own.count - 1] = last.lowerBound...change
        } else {
            own.append(change...change)
        }
    }

    /// Indicates whether the transaction was one of this connection's own.
    func isOwn(_ change: Int64) -> Bool { own.contains { $0.contains(change) } }

    /// The mark that follows `mark` if nobody else has changed anything since; nil if somebody may have.
    mutating func next(after mark: Int64, version: Int64) -> Int64? {
        guard let known, known == (version, mark) else { return nil }
        let next = own.reduce(mark) { max($0, $1.upperBound) }
        advance(to: next, version: version)
        return next
    }

    /// Notes that all transactions up to `mark` are known.
    ///
    /// - Parameter version: what SQLite said before they were read.
    mutating func advance(to mark: Int64, version: Int64) {
        known = (version, mark)
        own.removeAll { $0.upperBound <= mark }
    }
}

/// The random number of an outbox with which it hashes what it need not know: owners, and what a send was when it was taken in.
///
/// A hash keeps an owner, as a mail address, from standing in the file and in copies of it, and one cannot tell from two files that they
/// have an owner in common. It keeps no secret: the number stands in the same file, so who has the file can try out guesses.
struct OutboxSalt: Sendable {
    private let first: UInt64
    private let second: UInt64

    /// The number in these sixteen bytes; nil for another count.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        first = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
        second = bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The hash of an owner; empty if there is none.
    func hash(ofOwner owner: String) -> String { owner.isEmpty ? "" : hash(of: Array(owner.utf8)) }

    /// The hash of all that must be the same for the same id: name, arguments and payload.
    func hash(of row: SendRow) -> String {
        let head = JSONText.array([.string(row.name), .json(row.arguments.jsonText)]).text
        return hash(of: Array(head.utf8) + row.payload)
    }

    /// Two hashes with keys of their own, so that no two texts ever have the same by chance.
    private func hash(of bytes: [UInt8]) -> String {
        let halves = [KeyHash(key: (first, second)), KeyHash(key: (~second, first))]
        return halves.map { KeyHash.digits(of: $0.hash(of: bytes)) }.joined()
    }
}
