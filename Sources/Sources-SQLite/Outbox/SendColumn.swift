internal import Foundation
internal import GRDB
internal import Pipeline
internal import PipelineSending

/// The columns of the table `sends`, in the order in which they are read.
enum SendColumn: Int, CaseIterable {
    case number, id, state, settled, change, name, arguments, tag, taken, reason, tries, faults, conflicts
    case firstTry, firstUncertain, next, notBefore, priority, status, detail, madeID, ended, holder, owner, content, answer, payload

    /// The columns that change while a send is on its way.
    static let changing: [SendColumn] = [
        .state, .settled, .change, .arguments, .tag, .reason, .tries, .faults, .conflicts, .firstTry, .firstUncertain, .next, .notBefore,
        .status, .detail, .madeID, .ended, .holder, .answer, .payload,
    ]

    /// The columns that say what becomes of a send, whatever stands in the others.
    static let fate: [SendColumn] = [.state, .reason, .ended, .change]

    /// The columns of a new row. The database gives the number.
    static let inserted = allCases.filter { $0 != .number }

    /// The name in the database.
    var name: String {
        switch self {
        case .number: "number"
        case .id: "id"
        case .state: "state"
        case .settled: "settled"
        case .change: "change"
        case .name: "name"
        case .arguments: "arguments"
        case .tag: "tag"
        case .taken: "taken"
        case .reason: "reason"
        case .tries: "tries"
        case .faults: "faults"
        case .conflicts: "conflicts"
        case .firstTry: "first_try"
        case .firstUncertain: "first_uncertain"
        case .next: "next_try"
        case .notBefore: "not_before"
        case .priority: "priority"
        case .status: "status"
        case .detail: "detail"
        case .madeID: "made_id"
        case .ended: "ended"
        case .holder: "holder"
        case .owner: "owner"
        case .content: "content"
        case .answer: "answer"
        case .payload: "payload"
        }
    }
}

extension [SendColumn] {
    /// The names, as a list in SQL.
    var names: String { map(\.name).joined(separator: ", ") }

    /// As many places for values.
    var places: String { map { _ in "?" }.joined(separator: ", ") }

    /// An assignment of a value to each.
    var assignments: String { map { "\($0.name) = ?" }.joined(separator: ", ") }
}

/// A send as it is written into the table `sends`.
struct WrittenSend {
    let row: SendRow
    let times: WallTimes
    /// The number of the transaction.
    let change: Int64
    /// The hash of the owner, as the table has it.
    var owner = ""
    /// The hash of what the send is when it is taken in.
    var content = ""

    /// The values of `columns`, to be bound.
    func values(of columns: [SendColumn]) -> [(any DatabaseValueConvertible)?] { columns.map { value(of: $0) } }

    private func value(of column: SendColumn) -> (any DatabaseValueConvertible)? {
        switch column {
        case .number: row.number
        case .id: row.id
        case .state: row.state.rawValue
        case .settled: row.isSettled ? 1 : 0
        case .change: change
        case .name: DatabaseValue(text: row.name)
        case .arguments: row.arguments.jsonText
        case .tag: DatabaseValue(text: row.tag)
        case .taken: times.time(of: row.taken)
        case .reason: DatabaseValue(text: row.reason)
        case .tries: row.tries
        case .faults: row.faults
        case .conflicts: row.conflicts
        case .firstTry: row.firstTry.map(times.time)
        case .firstUncertain: row.firstUncertain.map(times.time)
        case .next: row.next.map(times.time)
        case .notBefore: row.notBefore.map(times.time)
        case .priority: row.priority?.rawValue
        case .status: row.status
        case .detail: DatabaseValue(text: row.detail)
        case .madeID: DatabaseValue(text: row.madeID)
        case .ended: row.ended.map(times.time)
        case .holder: DatabaseValue(text: row.holder)
        case .owner: owner
        case .content: content
        case .answer: Data(row.answer)
        case .payload: Data(row.payload)
        }
    }
}
