internal import Foundation
internal import GRDB
internal import Pipeline
internal import PipelineSending

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
        case .name: Self.value(of: row.name)
        case .arguments: row.arguments.jsonText
        case .tag: Self.value(of: row.tag)
        case .taken: times.time(of: row.taken)
        case .reason: Self.value(of: row.reason)
        case .tries: row.tries
        case .faults: row.faults
        case .conflicts: row.conflicts
        case .firstTry: row.firstTry.map(times.time)
        case .firstUncertain: row.firstUncertain.map(times.time)
        case .next: row.next.map(times.time)
        case .notBefore: row.notBefore.map(times.time)
        case .priority: row.priority?.rawValue
        case .status: row.status
        case .detail: Self.value(of: row.detail)
        case .madeID: Self.value(of: row.madeID)
        case .ended: row.ended.map(times.time)
        case .holder: Self.value(of: row.holder)
        case .owner: owner
        case .content: content
        case .answer: Data(row.answer)
        case .payload: Data(row.payload)
        }
    }

    /// A text with a NUL in it as bytes, since SQLite's texts end there.
    private static func value(of text: String?) -> (any DatabaseValueConvertible)? {
        guard let text else { return nil }
        return text.utf8.contains(0) ? Data(text.utf8) : text
    }
}
