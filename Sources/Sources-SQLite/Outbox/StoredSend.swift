internal import Foundation
internal import GRDB
internal import Pipeline
internal import PipelineJSON
internal import PipelineSending

/// A row of the table `sends` as it was read.
struct StoredSend: Sendable {
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
            number: cells.number, id: (try? cells.id()) ?? "\(SendRow.unreadable)-\(cells.number)",
            name: (try? cells.text(.name)) ?? "", arguments: (try? cells.arguments()) ?? [:], payload: (try? cells.bytes(.payload)) ?? [],
            owner: owner, taken: (try? cells.moment(.taken)) ?? cells.times.now, state: .held)
        row.reason = SendRow.unreadable
        row.tries = (try? cells.count(.tries)) ?? 0
        return row
    }
}

/// That a cell holds what no outbox writes.
struct UnreadableCell: Error {}

/// The cells of a row of the table `sends`, read with all ``SendColumn``s. Another program can write anything into the table.
struct SendCells {
    /// The most that a counter has come to.
    private static let mostCounted: Int64 = 1_000_000_000

    let row: Row
    let times: WallTimes

    private func value(_ column: SendColumn) -> DatabaseValue { row[column.rawValue] }

    /// A text, which is bytes if there is a NUL in it; nil for none.
    func text(_ column: SendColumn) throws(UnreadableCell) -> String? {
        let value = value(column)
        return value.isNull ? nil : try expected(value.text)
    }

    /// Bytes; none for null.
    func bytes(_ column: SendColumn) throws(UnreadableCell) -> [UInt8] {
        switch value(column).storage {
        case .null: []
        case .string(let text): Array(text.utf8)
        case .blob(let bytes): Array(bytes)
        default: throw UnreadableCell()
        }
    }

    /// An integer; nil for none.
    func integer(_ column: SendColumn) throws(UnreadableCell) -> Int64? {
        switch value(column).storage {
        case .null: nil
        case .int64(let value): value
        default: throw UnreadableCell()
        }
    }

    /// A count, from zero.
    func count(_ column: SendColumn) throws(UnreadableCell) -> Int {
        guard let value = try integer(column), (0...Self.mostCounted).contains(value) else { throw UnreadableCell() }
        return Int(value)
    }

    /// A moment; nil for none.
    func moment(_ column: SendColumn) throws(UnreadableCell) -> Timestamp? {
        guard let time = try integer(column) else { return nil }
        guard let moment = times.moment(of: time) else { throw UnreadableCell() }
        return moment
    }

    /// A value that must be there.
    func expected<Value>(_ value: Value?) throws(UnreadableCell) -> Value {
        guard let value else { throw UnreadableCell() }
        return value
    }
}

extension SendCells {
    /// The number, which SQLite keeps an integer.
    var number: Int64 { (try? integer(.number)) ?? 0 }

    /// The number of the transaction that changed the row last; 0 if it cannot be read.
    var change: Int64 { (try? integer(.change)) ?? 0 }

    func id() throws(UnreadableCell) -> String {
        let id = try expected(text(.id))
        guard SendRow.isID(id) else { throw UnreadableCell() }
        return id
    }

    func state() throws(UnreadableCell) -> SendState { try expected(text(.state).flatMap { SendState(rawValue: $0) }) }

    func arguments() throws(UnreadableCell) -> [String: String] {
        try expected(text(.arguments).flatMap { [String: String](jsonText: $0) })
    }

    /// The origin's id: a string or a number, since it is put into JSON as it is.
    func madeID() throws(UnreadableCell) -> String? {
        guard let text = try text(.madeID) else { return nil }
        let bytes = Array(text.utf8)
        guard JSONScanner.problem(of: bytes) == nil, let first = bytes.first, "\"-0123456789".utf8.contains(first) else {
            throw UnreadableCell()
        }
        return text
    }

    func isSettled() throws(UnreadableCell) -> Bool {
        switch try integer(.settled) {
        case 0: false
        case 1: true
        default: throw UnreadableCell()
        }
    }

    func priority() throws(UnreadableCell) -> Priority? {
        guard let value = try integer(.priority) else { return nil }
        return try expected(Int(exactly: value).flatMap { Priority(rawValue: $0) })
    }

    func status() throws(UnreadableCell) -> Int? {
        guard let status = try integer(.status) else { return nil }
        guard (0...999).contains(status) else { throw UnreadableCell() }
        return Int(status)
    }
}

extension [String: String] {
    /// The arguments as a JSON object, in the order of their names.
    var jsonText: String {
        JSONText.object(sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }).text
    }

    /// The arguments in a JSON object whose members are all strings; nil for any other text.
    init?(jsonText text: String) {
        let bytes = Array(text.utf8)
        guard JSONScanner.problem(of: bytes) == nil, let members = JSONScanner.parts(of: bytes), members.isObject else { return nil }
        self.init(minimumCapacity: members.parts.count)
        for member in members.parts {
            guard let name = member.name, bytes[member.value].first == UInt8(ascii: "\"") else { return nil }
            self[JSONScalar.string(bytes, at: name)] = JSONScalar.string(bytes, at: member.value)
        }
    }
}
