internal import Foundation
internal import GRDB
internal import Pipeline
internal import PipelineJSON
internal import PipelineSending

/// That a cell holds what no outbox writes.
struct UnreadableCell: Error {}

/// The cells of a row of the table `sends`, read with all ``SendColumn``s. Another program can write anything into the table.
struct SendCells {
    /// The most that a counter has come to.
    private static let mostCounted: Int64 = 1_000_000_000

    let row: Row
    let times: WallTimes

    private func storage(_ column: SendColumn) -> DatabaseValue.Storage {
        let value: DatabaseValue = row[column.rawValue]
        return value.storage
    }

    /// A text, which is bytes if there is a NUL in it; nil for none.
    func text(_ column: SendColumn) throws(UnreadableCell) -> String? {
        switch storage(column) {
        case .null: nil
        case .string(let text): text
        case .blob(let bytes): String(decoding: bytes, as: UTF8.self)
        default: throw UnreadableCell()
        }
    }

    /// Bytes; none for null.
    func bytes(_ column: SendColumn) throws(UnreadableCell) -> [UInt8] {
        switch storage(column) {
        case .null: []
        case .string(let text): Array(text.utf8)
        case .blob(let bytes): Array(bytes)
        default: throw UnreadableCell()
        }
    }

    /// An integer; nil for none.
    func integer(_ column: SendColumn) throws(UnreadableCell) -> Int64? {
        switch storage(column) {
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
        guard (1...255).contains(id.utf8.count), id.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw UnreadableCell() }
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
