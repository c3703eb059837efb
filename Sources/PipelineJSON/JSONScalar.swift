/// A JSON value that is neither an array nor an object.
package enum JSONScalar: Sendable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)

    /// The scalar at `range` of `payload`, which is the range of one JSON value; nil for an array or object.
    package init?(_ payload: [UInt8], at range: Range<Int>) {
        switch payload[range].first {
        case UInt8(ascii: "\""): self = .string(Self.string(payload, at: range))
        case UInt8(ascii: "t"): self = .bool(true)
        case UInt8(ascii: "f"): self = .bool(false)
        case UInt8(ascii: "n"): self = .null
        case UInt8(ascii: "-"), .some(UInt8(ascii: "0")...UInt8(ascii: "9")): self = .number(JSONNumber(payload[range]))
        default: return nil
        }
    }

    /// The scalar as text: a string's characters, a number's exact decimal value, or the word.
    package var text: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .number(let number): number.description
        case .string(let text): text
        }
    }

    /// The characters of the string at `range`, which includes its quotes.
    package static func string(_ payload: [UInt8], at range: Range<Int>) -> String {
        payload.withUnsafeBufferPointer { decoded(UnsafeBufferPointer(rebasing: $0[(range.lowerBound + 1)..<(range.upperBound - 1)])) }
    }

    /// The characters of the string whose first quote stands at `start`.
    static func string(_ payload: [UInt8], beginningAt start: Int) -> String {
        var end = start + 1
        while payload[end] != UInt8(ascii: "\"") { end += payload[end] == UInt8(ascii: "\\") ? 2 : 1 }
        return string(payload, at: start..<(end + 1))
    }

    /// The characters between the quotes of a string. Half of a surrogate pair becomes U+FFFD.
    static func decoded(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        guard bytes.contains(UInt8(ascii: "\\")) else { return String(decoding: bytes, as: UTF8.self) }
        var units: [UInt16] = []
        var text = ""
        var index = 0
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "\\") else {
                let end = bytes[index...].firstIndex(of: UInt8(ascii: "\\")) ?? bytes.count
                text += String(decoding: units, as: UTF16.self) + String(decoding: bytes[index..<end], as: UTF8.self)
                units = []
                index = end
                continue
            }
            let (unit, length) = escape(bytes[(index + 1)...])
            units.append(unit)
            index += length + 1
        }
        return text + String(decoding: units, as: UTF16.self)
    }

    /// The code unit that the escape after a backslash stands for, and its length.
    private static func escape(_ rest: Slice<UnsafeBufferPointer<UInt8>>) -> (UInt16, Int) {
        guard let first = rest.first else { return (0xFFFD, 1) }
        switch first {
        case UInt8(ascii: "u"):
            let digits = String(decoding: rest.dropFirst().prefix(4), as: UTF8.self)
            return (UInt16(digits, radix: 16) ?? 0xFFFD, 5)
        case UInt8(ascii: "b"): return (8, 1)
        case UInt8(ascii: "f"): return (12, 1)
        case UInt8(ascii: "n"): return (10, 1)
        case UInt8(ascii: "r"): return (13, 1)
        case UInt8(ascii: "t"): return (9, 1)
        default: return (UInt16(first), 1)
        }
    }
}

extension JSONScalar {
    /// The kind of a value in words: `a list`.
    package static func kind(ofValueBeginningWith byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "["): "a list"
        case UInt8(ascii: "{"): "an object"
        case UInt8(ascii: "\""): "a text"
        case UInt8(ascii: "t"), UInt8(ascii: "f"): "a bool"
        case UInt8(ascii: "n"): "null"
        default: "a number"
        }
    }

    /// The text of the value at `range` as a parameter of a key: the characters of a string, or a number as it is written. Nil for any other
    /// value, and for a string with half a surrogate pair, which is no text.
    package static func reference(_ payload: [UInt8], at range: Range<Int>) -> String? {
        switch payload[range].first {
        case UInt8(ascii: "\""): isText(payload, at: range) ? string(payload, at: range) : nil
        case UInt8(ascii: "-"), .some(UInt8(ascii: "0")...UInt8(ascii: "9")): String(decoding: payload[range], as: UTF8.self)
        default: nil
        }
    }

    /// Indicates whether the string at `range`, which includes its quotes, is Unicode text: each half of a surrogate pair has its other
    /// half.
    package static func isText(_ payload: [UInt8], at range: Range<Int>) -> Bool {
        var index = range.lowerBound + 1
        var hasHigh = false
        while index < range.upperBound - 1 {
            var unit: UInt16 = 0
            if payload[index] != UInt8(ascii: "\\") {
                index += 1
            } else if payload[index + 1] == UInt8(ascii: "u") {
                guard index + 6 < range.upperBound else { return false }
                unit = UInt16(String(decoding: payload[(index + 2)..<(index + 6)], as: UTF8.self), radix: 16) ?? 0
                index += 6
            } else {
                index += 2
            }
            let isLow = UTF16.isTrailSurrogate(unit)
            if isLow != hasHigh { return false }
            hasHigh = UTF16.isLeadSurrogate(unit)
        }
        return !hasHigh
    }
}

extension JSONScanner {
    /// The scalar at `pointer`; nil if there is none, or an array or object. See ``range(of:in:at:)``.
    package static func scalar(at pointer: JSONPointer, in payload: [UInt8], at range: Range<Int>? = nil) -> JSONScalar? {
        Self.range(of: pointer, in: payload, at: range).flatMap { JSONScalar(payload, at: $0) }
    }

    /// The place where the scalar at `pointer` begins; nil if there is none, or an array or object.
    package static func place(ofScalar pointer: JSONPointer, in payload: [UInt8], at range: Range<Int>) -> Int? {
        guard let start = Self.range(of: pointer, in: payload, at: range)?.lowerBound else { return nil }
        return payload[start] == UInt8(ascii: "{") || payload[start] == UInt8(ascii: "[") ? nil : start
    }

    /// The scalar whose first byte stands at `start` of a text that was checked before; nil for an array or object.
    package static func scalar(beginningAt start: Int, in payload: [UInt8]) -> JSONScalar? {
        let end = payload.withUnsafeBufferPointer { try? JSONScanner($0, at: nil).endOfCheckedValue(at: start) }
        return end.flatMap { JSONScalar(payload, at: start..<$0) }
    }
}
