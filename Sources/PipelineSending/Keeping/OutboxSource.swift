package import Pipeline

/// A source that keeps sends until they are done: an outbox. It holds no values.
///
/// Its calls may come from several tasks. What a call has changed is on the disk when it returns.
package protocol OutboxSource: AnyObject, Source {
    /// The bounds, and whose sends it has.
    var bounds: OutboxBounds { get }

    /// Indicates whether other processes may use it at the same time: what they do is looked for, and the lease renewed. True unless
    /// implemented.
    var isShared: Bool { get }

    /// All rows of this owner that are not done, those that are `sent` and not settled, and those that have failed, by number, and a mark for
    /// ``news(since:)``. Makes the database if there is none.
    ///
    /// A row that cannot be read is given as `held` with the reason, as far as it can be. Throws a `SourceError` if the database is damaged, of a newer version or
    /// another program's: it is never set aside, emptied or made anew.
    func open() async throws -> OutboxNews

    /// Takes sends in, in one transaction, and gives for each its row with its number, or why it is refused. A row whose id is known is not
    /// taken in again: that row is given, with the state that it has.
    ///
    /// Throws a `SourceError` if the disk takes nothing: then none is taken in.
    ///
    /// - Parameter lanes: for each row the lanes in which it stands, for ``OutboxBounds/mostForLane``.
    func takeIn(_ rows: [SendRow], lanes: [[String]]) async throws -> [TakenIn]

    /// Writes rows that are known, in one transaction. One that another process has sent, dropped or merged stays so, unless it is `sent` now,
    /// and so does one that another process has tried more often: what became of an earlier try says nothing of the one that is under way.
    func write(_ rows: [SendRow]) async throws

    /// What others have changed last since `mark`, and the next mark: a row that ``holder`` itself has written since is not among them. Cheap if
    /// nothing has changed.
    func news(since mark: Int64) async throws -> OutboxNews

    /// The row of an id, also of one that is done; nil if there is none of this owner.
    func row(_ id: String) async throws -> SendRow?

    /// The rows of these states, by number, at most so many.
    func rows(_ states: Set<SendState>, most: Int) async throws -> [SendRow]

    /// Takes the lease to deliver, or renews it, until `end`; true if `holder` has it then. A lease is void when its process has ended.
    func lease(_ holder: String, until end: Timestamp) async throws -> Bool

    /// Gives the lease back, if `holder` has it.
    func release(_ holder: String) async

    /// Indicates whether the process that is called `holder` has ended for certain.
    func hasEnded(_ holder: String) async -> Bool

    /// The name of this process as a holder.
    var holder: String { get }

    /// Removes rows that have been done for 24 hours, and those beyond the latest 10,000.
    func forgetOld(at now: Timestamp) async throws
}

extension OutboxSource {
    package var isShared: Bool { true }
}

/// The bounds of an outbox, and whose sends it has.
package struct OutboxBounds: Sendable, Equatable {
    /// The most sends that are not done or have failed.
    package var maxEntries = 10_000
    /// The most bytes of their payloads.
    package var maxBytes = Size.mebibytes(64)
    /// The most bytes of one payload.
    package var maxSize = Size.mebibytes(1)
    /// The most sends of one lane that are not done.
    package var mostForLane = 1_000
    /// A hash of the owner: sends of another owner are neither shown nor sent nor listed.
    package var owner = ""

    package init() {}

    /// The reason why there is no room for one more send, nil if there is.
    ///
    /// - Parameters:
    ///   - entries: the sends that are not done or have failed.
    ///   - bytes: the bytes of their payloads.
    ///   - size: the bytes of its payload.
    package func refusal(entries: Int, bytes: Int, adding size: Int) -> String? {
        if entries >= maxEntries {
            let sends = entries == 1 ? "1 send that waits or has failed" : "\(entries) sends that wait or have failed"
            return "the outbox is full: it has \(sends) (max_entries)"
        }
        let (sum, overflow) = bytes.addingReportingOverflow(size)
        guard overflow || sum > maxBytes.bytes else { return nil }
        return "the outbox is full: \(bytes) bytes wait, and \(size) more are over \(maxBytes.words) (max_bytes)"
    }

    /// The reason why there is no room in a lane.
    package var laneRefusal: String { "the outbox is full: \(mostForLane) sends wait for the same key or scope" }
}

extension SendRefusal {
    /// The refusal of a send whose id another one has.
    package static func knownID(_ id: String) -> SendRefusal { SendRefusal(.knownID, "the id \(id) is that of another send") }
}

/// What became of a send that was to be taken in.
package enum TakenIn: Sendable, Equatable {
    /// It is on the disk.
    case new(SendRow)
    /// Its id is known: the row that has it.
    case known(SendRow)
    /// It is not taken in.
    case refused(SendRefusal)
}

/// Rows of an outbox that have changed.
package struct OutboxNews: Sendable {
    /// The rows, by number.
    package var rows: [SendRow]
    /// What to ask with next.
    package var mark: Int64

    package init(_ rows: [SendRow], mark: Int64) { (self.rows, self.mark) = (rows, mark) }
}
