import Pipeline

/// Reads what ``FieldBytes`` wrote; throws where there is something else.
struct FieldReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func integer<Value: FixedWidthInteger>() throws -> Value {
        let size = Value.bitWidth / 8
        guard rest.count >= size else { throw StoredEntry.torn }
        defer { rest = rest.dropFirst(size) }
        return rest.prefix(size).reduce(0) { $0 << 8 | Value(truncatingIfNeeded: $1) }
    }

    mutating func flag() throws -> Bool {
        switch rest.popFirst() {
        case 0: false
        case 1: true
        default: throw StoredEntry.torn
        }
    }

    mutating func moment() throws -> Timestamp? {
        try flag() ? Timestamp(nanoseconds: try integer()) : nil
    }

    mutating func text() throws -> String? {
        guard try flag() else { return nil }
        let size = Int(try integer() as UInt32)
        guard rest.count >= size, let text = String(validating: rest.prefix(size), as: UTF8.self) else { throw StoredEntry.torn }
        rest = rest.dropFirst(size)
        return text
    }
}
