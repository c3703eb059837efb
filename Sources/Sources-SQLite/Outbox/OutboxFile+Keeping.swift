internal import GRDB
package import Pipeline
package import PipelineSending
internal import Synchronization

extension OutboxFile: OutboxSource {
    /// The time for which sends are kept that are done.
    private static let keeping = Duration.seconds(24 * 3_600)
    /// The most that are kept of them.
    private static let mostDone = 10_000

    /// The rows that matter now, of one state of the database.
    package func open() async throws -> OutboxNews {
        let times = WallTimes(clock)
        let news = try await database.read(making: true) { db, connection in
            let table = table(db, connection, times)
            let version = try Self.version(of: db)
            let mark = try table.counters().change
            let rows = try table.sends(
                where: "state NOT IN \(OutboxSchema.uncounted) OR state = 'sent' AND settled IS NOT 1")
            connection.mark.withLock { $0.advance(to: mark, version: version) }
            return OutboxNews(rows, mark: mark)
        }
        return news ?? OutboxNews([], mark: 0)
    }

    /// Takes sends in, in one transaction.
    package func takeIn(_ rows: [SendRow], lanes: [[String]]) async throws -> [TakenIn] {
        precondition(rows.count == lanes.count, "each send has a list of lanes")
        guard !rows.isEmpty else { return [] }
        let times = WallTimes(clock)
        let taken = try await database.write(making: true) { db, connection, change in
            var intake = try OutboxIntake(table(db, connection, times), bounds)
            var taken: [TakenIn] = []
            for (row, lanes) in zip(rows, lanes) { taken.append(try intake.take(row, lanes: lanes)) }
            change = try intake.end()
            return taken
        }
        return taken ?? []
    }

    /// Writes the rows that are there. A task that is cancelled writes them all the same: what came of a try has to be noted.
    ///
    /// A row that is gone, since a person removed it, is passed over. Throws for one that is to be `sending`, after writing the others: it
    /// must not go out without being on the disk.
    package func write(_ rows: [SendRow]) async throws {
        guard !rows.isEmpty else { return }
        let times = WallTimes(clock)
        // Ends with the transaction.
        let gone = try await Task { [self] in
            try await database.write(making: false) { db, connection, change in
                let table = table(db, connection, times)
                let number = try table.nextChange()
                change = number
                return try rows.filter { try !table.update($0, change: number) && $0.state == .sending }
            }
        }.value
        guard let gone else { throw SourceError.cannot("write", database.path, because: "no such file or directory") }
        if let first = gone.first { throw SourceError.cannot("write", database.path, because: "the send \(first.id) is gone from it") }
    }

    /// The rows that others have changed. Asks for rows only if SQLite says that others have changed anything.
    package func news(since mark: Int64) async throws -> OutboxNews {
        let times = WallTimes(clock)
        let news = try await database.read { db, connection in
            let version = try Self.version(of: db)
            if let next = connection.mark.withLock({ $0.next(after: mark, version: version) }) { return OutboxNews([], mark: next) }
            let table = table(db, connection, times)
            let change = try table.counters().change
            let known = connection.mark.withLock { $0 }
            // Another file has taken the place of the one that the mark is of.
            let since = change < mark ? .min : mark
            let rows = try table.sends(where: "number IN (SELECT number FROM sends WHERE change > ?)", [since]) { !known.isOwn($0.change) }
            connection.mark.withLock { $0.advance(to: change, version: version) }
            return OutboxNews(rows, mark: change)
        }
        return news ?? OutboxNews([], mark: mark)
    }

    /// The row with an id, if it is this owner's.
    package func row(_ id: String) async throws -> SendRow? {
        let times = WallTimes(clock)
        // Nil twice: there may be no database, or no row in it.
        return try await database.read { db, connection in try table(db, connection, times).sends(where: "id = ?", [id]).first } ?? nil
    }

    /// The rows of these states, by number. One that cannot be read is held, whatever the database says.
    package func rows(_ states: Set<SendState>, most: Int) async throws -> [SendRow] {
        let times = WallTimes(clock)
        let names = states.map(\.rawValue).sorted()
        let places = names.map { _ in "?" }.joined(separator: ", ")
        let others = states.contains(.held) ? " OR state NOT IN \(OutboxSchema.uncounted)" : ""
        let rows = try await database.read { db, connection in
            try table(db, connection, times).sends(where: "state IN (\(places))\(others)", names, most: most) {
                states.contains($0.row.state)
            }
        }
        return rows ?? []
    }

    /// Removes rows, of every owner, whose end is long past. They keep within the bound, too, while a clock is wrong.
    package func forgetOld(at now: Timestamp) async throws {
        let end = WallTimes(clock).time(of: now - Self.keeping)
        _ = try await database.write(making: false) { db, _, _ in
            try db.execute(
                sql: "DELETE FROM sends WHERE state IN \(OutboxSchema.uncounted) AND ended <= ?", arguments: [end])
            try db.execute(
                sql: """
                    DELETE FROM sends WHERE number IN (
                        SELECT number FROM sends WHERE state IN \(OutboxSchema.uncounted) ORDER BY ended DESC, number DESC LIMIT -1 OFFSET ?
                    )
                    """, arguments: [Self.mostDone])
        }
    }

    func table(_ db: Database, _ connection: OutboxConnection, _ times: WallTimes) -> SendTable {
        SendTable(db: db, connection: connection, times: times, owner: bounds.owner, holder: holder)
    }

    /// SQLite's number for the state of the database, which changes with the writes of other connections alone.
    private static func version(of db: Database) throws -> Int64 {
        try Int64.fetchOne(db.cachedStatement(sql: "PRAGMA data_version")) ?? 0
    }
}
