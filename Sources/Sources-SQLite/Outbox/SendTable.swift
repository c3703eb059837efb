internal import Foundation
internal import GRDB
internal import Pipeline
internal import PipelineSending
internal import Synchronization

/// The tables of an outbox in one transaction.
struct SendTable {
    let db: Database
    let connection: OutboxConnection
    let times: WallTimes
    /// The owner as sends in memory have it.
    let owner: String
    /// The name of this process.
    let holder: String

    private static let columns = SendColumn.allCases.names
    private static let insertion =
        "INSERT INTO sends (\(SendColumn.inserted.names)) VALUES (\(SendColumn.inserted.places))"
    /// What another process has sent or given up for good, or has tried once more since, becomes nothing else than sent.
    private static let update = """
        UPDATE sends SET \(SendColumn.changing.assignments)
        WHERE number = ? AND id = ? AND owner = ?
            AND (? = 'sent' OR state NOT IN \(OutboxSchema.uncounted) AND (tries <= ? OR holder IS ?))
        """
    private static let updateOfFate = "UPDATE sends SET \(SendColumn.fate.assignments) WHERE number = ? AND owner = ?"

    /// The number that the hashes are made with; nil if it is not as an outbox wrote it.
    static func salt(in db: Database) throws -> OutboxSalt? {
        let bytes: Data? = try Row.fetchOne(db, sql: "SELECT salt FROM outbox")?.value("salt")
        return bytes.flatMap { OutboxSalt(Array($0)) }
    }

    /// The sends of this owner that meet `condition`, by number, at most so many of those that are wanted.
    ///
    /// - Parameter condition: SQL, with a place for each of `arguments`.
    func sends(
        where condition: String, _ arguments: [any DatabaseValueConvertible] = [], most: Int = .max,
        isWanted: (StoredSend) -> Bool = { _ in true }
    ) throws -> [SendRow] {
        let statement = try db.cachedStatement(
            sql: "SELECT \(Self.columns) FROM sends WHERE owner = ? AND (\(condition)) ORDER BY number")
        let cursor = try Row.fetchCursor(statement, arguments: StatementArguments([connection.owner] + arguments))
        var sends: [SendRow] = []
        while sends.count < most, let row = try cursor.next() {
            let send = stored(row)
            if isWanted(send) { sends.append(send.row) }
        }
        return sends
    }

    /// The row with an id, of whatever owner; nil if there is none.
    func known(_ id: String) throws -> (send: StoredSend, isOwn: Bool, content: String?)? {
        let statement = try db.cachedStatement(sql: "SELECT \(Self.columns) FROM sends WHERE id = ?")
        guard let row = try Row.fetchOne(statement, arguments: [id]) else { return nil }
        let cells = SendCells(row: row, times: times)
        let (owner, content) = (try? cells.text(.owner), try? cells.text(.content))
        return (stored(row), owner == connection.owner, content)
    }

    /// Inserts a new send; gives its number.
    func insert(_ row: SendRow, content: String, change: Int64) throws -> Int64 {
        let written = WrittenSend(row: row, times: times, change: change, owner: connection.owner, content: content)
        try db.cachedStatement(sql: Self.insertion).execute(arguments: StatementArguments(written.values(of: SendColumn.inserted)))
        return db.lastInsertedRowID
    }

    /// Changes the row of a send; tells whether there is one that can change. Of one that could not be read only its fate changes.
    func update(_ row: SendRow, change: Int64) throws -> Bool {
        let written = WrittenSend(row: row, times: times, change: change)
        if connection.unreadable.withLock({ $0.contains(row.number) }) {
            try db.cachedStatement(sql: Self.updateOfFate).execute(
                arguments: StatementArguments(written.values(of: SendColumn.fate) + [row.number, connection.owner]))
        } else {
            try db.cachedStatement(sql: Self.update).execute(
                arguments: StatementArguments(
                    written.values(of: SendColumn.changing) + [row.number, row.id, connection.owner, row.state.rawValue, row.tries, holder])
            )
        }
        return db.changesCount > 0
    }

    private func stored(_ row: Row) -> StoredSend {
        let send = StoredSend(SendCells(row: row, times: times), owner: owner)
        if !send.isReadable { connection.unreadable.withLock { _ = $0.insert(send.row.number) } }
        return send
    }
}

/// Lanes, and what is counted.
extension SendTable {
    /// Notes that the send with this number stands in `lanes`.
    func insert(_ lanes: [String], of number: Int64) throws {
        let statement = try db.cachedStatement(sql: "INSERT OR IGNORE INTO lanes (lane, number, waits) VALUES (?, ?, 1)")
        for lane in lanes { try statement.execute(arguments: [lane, number]) }
    }

    /// The number of sends that wait in `lane`, or `most` if there are more.
    func countWaiting(in lane: String, most: Int) throws -> Int {
        let statement = try db.cachedStatement(
            sql: "SELECT count(*) AS waiting FROM (SELECT 1 FROM lanes WHERE lane = ? AND waits LIMIT ?)")
        return try Row.fetchOne(statement, arguments: [lane, most])?.value("waiting") ?? 0
    }

    /// What is counted. What cannot be is counted anew.
    func counters() throws -> OutboxCounters {
        let row = try Row.fetchOne(db.cachedStatement(sql: "SELECT change, entries, bytes FROM outbox"))
        guard let row, let change: Int64 = row.value("change"), change >= 0, change < .max else {
            throw SourceError.notAsWritten(connection.queue.path, "the number of its last change")
        }
        guard let entries: Int = row.value("entries"), entries >= 0, let bytes: Int = row.value("bytes"), bytes >= 0 else {
            return try recounted(change: change)
        }
        return OutboxCounters(change: change, entries: entries, bytes: bytes)
    }

    /// What is counted, from the rows themselves.
    func recounted(change: Int64) throws -> OutboxCounters {
        let row = try Row.fetchOne(
            db,
            sql: """
                SELECT count(*) AS entries, ifnull(sum(length(payload)), 0) AS bytes FROM sends
                WHERE state NOT IN \(OutboxSchema.uncounted)
                """)
        return OutboxCounters(change: change, entries: row?.value("entries") ?? 0, bytes: row?.value("bytes") ?? 0)
    }

    /// Writes what is counted.
    func store(_ counters: OutboxCounters) throws {
        try db.cachedStatement(sql: "UPDATE outbox SET change = ?, entries = ?, bytes = ?").execute(
            arguments: [counters.change, counters.entries, counters.bytes])
    }

    /// The number of this transaction, which changes sends; the triggers count the rest along.
    func nextChange() throws -> Int64 {
        let change = try counters().change + 1
        try db.cachedStatement(sql: "UPDATE outbox SET change = ?").execute(arguments: [change])
        return change
    }
}

/// Moments of a process as times by the wall clock, as it is set now, and back: one reading of the clock for all times of a transaction.
struct WallTimes: Sendable {
    /// The years 1970 to 2199: a time outside of them was written by no outbox.
    private static let sound: ClosedRange<Int64> = 0...7_258_118_399_999_999_999

    private let ahead: Duration
    /// The present.
    let now: Timestamp

    init(_ clock: PipelineClock) {
        now = clock.now
        ahead = clock.wallTime(of: now).duration(since: now)
    }

    /// The time to write for a moment. One that no clock shows, as an endless one, becomes the nearest that can be read again.
    func time(of moment: Timestamp) -> Int64 {
        min(max((moment + ahead).nanoseconds, Self.sound.lowerBound), Self.sound.upperBound)
    }

    /// The moment of a time that was read; nil for one that no outbox wrote.
    func moment(of time: Int64) -> Timestamp? {
        Self.sound.contains(time) ? Timestamp(nanoseconds: time) - ahead : nil
    }
}
