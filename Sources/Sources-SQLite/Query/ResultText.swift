internal import Foundation
internal import GRDBSQLite
internal import Pipeline
internal import PipelineConfig
internal import PipelineJSON

/// The rows of a result as JSON: an object for each, its members in the order of the columns.
///
/// Integers are written as integers and reals as reals, so that each is read back as what it was; texts must be UTF-8, a blob is base64.
struct ResultText {
    private(set) var bytes: [UInt8] = []
    private(set) var count = 0
    private let maxSize: Size
    /// The members' names as JSON, each with the `{` or `,` before it and the `:` after it.
    private var names: [[UInt8]] = []
    private var columns: [String] = []

    init(maxSize: Size) {
        self.maxSize = maxSize
    }

    /// Adds the row that `statement` stands at.
    mutating func add(_ statement: QueryStatement) throws {
        if count == 0 {
            // As they are now: the tables may have changed since the statement was prepared.
            try statement.expectQuery()
            columns = statement.columns
            names = columns.enumerated().map { Array("\($0 == 0 ? "{" : ",")\(JSONText.string($1).text):".utf8) }
        } else {
            bytes.append(UInt8(ascii: ","))
        }
        count += 1
        for index in names.indices {
            bytes += names[index]
            try addValue(of: Int32(index), statement.pointer)
        }
        bytes.append(UInt8(ascii: "}"))
        try expectSize(of: 0)
    }

    private mutating func addValue(of column: Int32, _ statement: OpaquePointer) throws {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: bytes += "\(sqlite3_column_int64(statement, column))".utf8
        case SQLITE_FLOAT:
            let number = sqlite3_column_double(statement, column)
            guard number.isFinite else { throw invalid(column, "is infinite, which JSON cannot say") }
            bytes += "\(number)".utf8
        case SQLITE_TEXT:
            // The text before its length: it may be converted first.
            guard let text = sqlite3_column_text(statement, column) else { throw SourceError("out of memory") }
            try addText(UnsafeBufferPointer(start: text, count: Int(sqlite3_column_bytes(statement, column))), of: column)
        case SQLITE_BLOB:
            let blob = sqlite3_column_blob(statement, column)
            let count = Int(sqlite3_column_bytes(statement, column))
            try expectSize(of: count)
            let data = UnsafeRawBufferPointer(start: blob, count: blob == nil ? 0 : count)
            bytes.append(UInt8(ascii: "\""))
            bytes += Data(data).base64EncodedData()
            bytes.append(UInt8(ascii: "\""))
        default: bytes += "null".utf8
        }
    }

    private mutating func addText(_ text: UnsafeBufferPointer<UInt8>, of column: Int32) throws {
        try expectSize(of: text.count)
        guard UTF8Scanner.firstInvalid(in: text) == nil else { throw invalid(column, "is not UTF-8") }
        bytes.append(UInt8(ascii: "\""))
        for byte in text {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0x20...: bytes.append(byte)
            default: bytes += JSONText.escaped(String(Unicode.Scalar(byte))).utf8
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private func expectSize(of more: Int) throws {
        guard bytes.count + more <= maxSize.bytes else {
            throw SourceError("the result is larger than max_size (\(maxSize.written ?? "\(maxSize.bytes)"))")
        }
    }

    private func invalid(_ column: Int32, _ problem: String) -> SourceError {
        SourceError("`\(columns[Int(column)].shortened)` in row \(count) of the result \(problem)", kind: .invalid)
    }
}
