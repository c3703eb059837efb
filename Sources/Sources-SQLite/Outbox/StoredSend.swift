internal import GRDB
internal import Pipeline
internal import PipelineSending

/// A row of the table `sends` as it was read.
struct StoredSend: Sendable {
    /// The reason of a row that cannot be read.
    static let unreadable = "unreadable"

    /// The send. One that cannot be read is held, with what can be read of it.
    let row: SendRow
    /// The number of the transaction that changed it last.
    let change: Int64
    /// Indicates whether all of it could be read.
    let isReadable: Bool

    /// Reads `cells`.
    ///
    /// - Parameter owner: the owner as sends in memory have it.
    init(_ cells: SendCells, owner: String) {
        let sound = try? Self.row(cells, owner: owner)
        row = sound ?? Self.remains(cells, owner: owner)
        change = cells.change
        isReadable = sound != nil
    }

    private static func row(_ cells: SendCells, owner: String) throws(UnreadableCell) -> SendRow {
        var row = SendRow(
            number: cells.number, id: try cells.id(), name: try cells.expected(cells.text(.name)), arguments: try cells.arguments(),
            payload: try cells.bytes(.payload), owner: owner, tag: try cells.text(.tag), taken: try cells.expected(cells.moment(.taken)),
            state: try cells.state())
        row.reason = try cells.text(.reason)
        row.tries = try cells.count(.tries)
        row.faults = try cells.count(.faults)
        row.conflicts = try cells.count(.conflicts)
        row.firstTry = try cells.moment(.firstTry)
        row.firstUncertain = try cells.moment(.firstUncertain)
        row.next = try cells.moment(.next)
        row.notBefore = try cells.moment(.notBefore)
        row.priority = try cells.priority()
        row.status = try cells.status()
        row.detail = try cells.text(.detail)
        row.answer = try cells.bytes(.answer)
        row.madeID = try cells.madeID()
        row.isSettled = try cells.isSettled()
        row.ended = try cells.moment(.ended)
        row.holder = try cells.text(.holder)
        return row
    }

    private static func remains(_ cells: SendCells, owner: String) -> SendRow {
        var row = SendRow(
            number: cells.number, id: (try? cells.id()) ?? "\(unreadable)-\(cells.number)",
            name: (try? cells.text(.name)) ?? "", arguments: (try? cells.arguments()) ?? [:], payload: (try? cells.bytes(.payload)) ?? [],
            owner: owner, taken: (try? cells.moment(.taken)) ?? cells.times.now, state: .held)
        row.reason = unreadable
        row.tries = (try? cells.count(.tries)) ?? 0
        return row
    }
}
