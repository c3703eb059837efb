import GRDB
import Pipeline
import PipelineSending
import PipelineTesting
import TestSupport

@testable import SourcesSQLite

/// Outboxes in the databases of one folder, on a manual clock.
struct OutboxSubject: FolderOfDatabases, Sendable {
    let folder: TemporaryFolder
    let time: ManualClock

    init(folder: TemporaryFolder? = nil, time: ManualClock = ManualClock()) throws {
        self.folder = try folder ?? TemporaryFolder()
        self.time = time
    }

    func outbox(
        _ name: String = "outbox.db", owner: String = "", busyTimeout: Duration = .seconds(5), isDurable: Bool = true,
        clock: PipelineClock? = nil, bounds change: (inout OutboxBounds) -> Void = { _ in }, sleep: @escaping BusyWait.Sleep = { _ in }
    ) -> OutboxFile {
        var bounds = OutboxBounds()
        change(&bounds)
        return OutboxFile(
            path: folder.database(name), owner: owner, bounds: bounds, busyTimeout: busyTimeout, isDurable: isDurable,
            clock: clock ?? time.clock, sleep: sleep)
    }

    func send(
        _ id: String, name: String = "add_friend", arguments: [String: String] = ["user": "42"], payload: String = #"{"name":"Ada"}"#,
        owner: String = ""
    ) -> SendRow {
        SendRow(id: id, name: name, arguments: arguments, payload: Array(payload.utf8), owner: owner, taken: time.now)
    }

    /// Takes in new sends, each in a lane of its own.
    @discardableResult
    func takeIn(_ ids: [String], into outbox: OutboxFile) async throws -> [SendRow] {
        let rows = ids.map { send($0, owner: outbox.bounds.owner) }
        return try await outbox.takeIn(rows, lanes: ids.map { [$0] }).map {
            guard case .new(let row) = $0 else { throw NotTaken(result: "\($0)") }
            return row
        }
    }

    struct NotTaken: Error { let result: String }

    /// Changes the database as another program does.
    func run(_ sql: String, in name: String = "outbox.db") throws {
        try folder.withDatabase(name) { try $0.execute(sql: sql) }
    }

    /// What a query gives: the values of a row with spaces between them.
    func texts(_ sql: String, in name: String = "outbox.db") throws -> [String] {
        try folder.withDatabase(name) { db in
            try Row.fetchAll(db, sql: sql).map { row in
                row.databaseValues.map { $0.isNull ? "-" : String.fromDatabaseValue($0) ?? $0.description }.joined(separator: " ")
            }
        }
    }
}

extension SendRow {
    /// This row in another state.
    func with(_ state: SendState, _ change: (inout SendRow) -> Void = { _ in }) -> SendRow {
        var row = self
        row.state = state
        change(&row)
        return row
    }
}

extension [TakenIn] {
    /// `new 1`, `known 1 sent`, or the reason of a refusal.
    var words: [String] {
        map {
            switch $0 {
            case .new(let row): "new \(row.number)"
            case .known(let row): "known \(row.number) \(row.state.rawValue)"
            case .refused(let refusal): refusal.reason
            }
        }
    }
}

extension [SendRow] {
    /// `1 waiting`
    var words: [String] { map { "\($0.number) \($0.state.rawValue)" } }
}
