/// Numbers and columns in the bytes of a line.
extension ArraySlice<UInt8> {
    /// The bytes without spaces at either end.
    var trimmed: ArraySlice<UInt8> {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        var rest = drop(while: isSpace)
        while let last = rest.last, isSpace(last) { rest.removeLast() }
        return rest
    }

    /// The number that they spell in decimal digits.
    var unsigned: UInt64? {
        guard !isEmpty else { return nil }
        var number: UInt64 = 0
        for byte in self {
            guard 48...57 ~= byte else { return nil }
            let (product, overflows) = number.multipliedReportingOverflow(by: 10)
            let (sum, overflows2) = product.addingReportingOverflow(UInt64(byte - 48))
            if overflows || overflows2 { return nil }
            number = sum
        }
        return number
    }

    /// The number of bytes that they spell.
    var byteCount: Int64? { unsigned.flatMap { Int64(exactly: $0) } }

    /// The nanoseconds of seconds with or without a fraction, of which more than nine digits are not read.
    var seconds: (nanoseconds: Int64, isWhole: Bool)? {
        let point = firstIndex(of: UInt8(ascii: ".")) ?? endIndex
        guard let whole = self[..<point].unsigned, whole <= Self.mostSeconds else { return nil }
        let digits = self[point...].dropFirst()
        guard point == endIndex || digits.unsigned != nil || digits.count > 9 && digits.allSatisfy({ 48...57 ~= $0 }) else { return nil }
        var fraction: Int64 = 0
        var unit: Int64 = 100_000_000
        for digit in digits.prefix(9) {
            fraction += Int64(digit - 48) * unit
            unit /= 10
        }
        return (Int64(whole) * 1_000_000_000 + fraction, digits.allSatisfy { $0 == 48 })
    }

    /// The number of seconds whose nanoseconds fit: until the year 2261.
    static var mostSeconds: UInt64 { 9_200_000_000 }

    /// The columns that `separator` divides.
    func columns(by separator: UInt8) -> [ArraySlice<UInt8>] {
        contains(UInt8(ascii: "\"")) ? quotedColumns(by: separator) : split(separator: separator, omittingEmptySubsequences: false)
    }

    /// Columns of which some are in quotes (RFC 4180, section 2); a quote in those is two.
    private func quotedColumns(by separator: UInt8) -> [ArraySlice<UInt8>] {
        let quote = UInt8(ascii: "\"")
        var columns: [ArraySlice<UInt8>] = []
        var column: [UInt8] = []
        var isQuoted = false
        var index = startIndex
        while index < endIndex {
            let byte = self[index]
            if byte == quote {
                if isQuoted, index + 1 < endIndex, self[index + 1] == quote {
                    column.append(quote)
                    index += 1
                } else {
                    isQuoted.toggle()
                }
            } else if byte == separator, !isQuoted {
                columns.append(column[...])
                column = []
            } else {
                column.append(byte)
            }
            index += 1
        }
        return columns + [column[...]]
    }

    /// The bytes as text for a message: shortened, and without what is not UTF-8.
    var quoted: String {
        let text = String(decoding: prefix(60), as: UTF8.self)
        return "`\(text)\(count > 60 ? "…" : "")`"
    }
}

extension TraceRequest.Operation {
    /// The operation that a word of a trace stands for; nil for one that is none of a cache's.
    init?(word: ArraySlice<UInt8>) {
        switch String(decoding: word.prefix(20), as: UTF8.self).lowercased() {
        case "get", "gets", "read", "r", "fetch", "head": self = .fetch
        case "set", "add", "replace", "cas", "put", "write", "w": self = .put
        case "delete", "remove", "del", "d": self = .remove
        default: return nil
        }
    }
}
