extension JSONScanner {
    init(_ bytes: UnsafeBufferPointer<UInt8>, at range: Range<Int>?) {
        self.init(range.map { UnsafeBufferPointer(rebasing: bytes[..<$0.upperBound]) } ?? bytes)
        index = range?.lowerBound ?? 0
    }

    /// The range of the value at `pointer`; nil if there is none, and if `payload` is no JSON on the way there.
    ///
    /// Names are compared by their UTF-8 bytes once their escapes are decoded. Of members with one name the last counts, as it does for
    /// `JSON.parse` and most parsers. An index has no leading zero; `-` names no element.
    ///
    /// - Parameter range: the value in `payload` that the pointer begins at; nil for all of it.
    package static func range(of pointer: JSONPointer, in payload: [UInt8], at range: Range<Int>? = nil) -> Range<Int>? {
        if pointer.tokens.isEmpty, let range { return range }
        return payload.withUnsafeBufferPointer { bytes in
            var scanner = JSONScanner(bytes, at: range)
            return try? scanner.find(pointer)
        }
    }

    private mutating func find(_ pointer: JSONPointer) throws(Problem) -> Range<Int>? {
        skipSpace()
        for token in pointer.tokens {
            switch peek {
            case UInt8(ascii: "{"): guard try enterMember(token) else { return nil }
            case UInt8(ascii: "["): guard try enterElement(token) else { return nil }
            default: return nil
            }
        }
        let start = index
        try skipValue()
        return start..<index
    }

    /// Goes to the value of the last member with this name.
    private mutating func enterMember(_ token: String) throws(Problem) -> Bool {
        var found: Int?
        index += 1
        skipSpace()
        if peek == UInt8(ascii: "}") { return false }
        repeat {
            skipSpace()
            let name = try readName()
            if isName(name, token) { found = index }
            try skipValue()
            skipSpace()
        } while take(UInt8(ascii: ","))
        guard let found else { return false }
        index = found
        return true
    }

    private mutating func enterElement(_ token: String) throws(Problem) -> Bool {
        guard let position = JSONPlaces.position(token) else { return false }
        index += 1
        skipSpace()
        if peek == UInt8(ascii: "]") { return false }
        for _ in 0..<position {
            try skipValue()
            skipSpace()
            guard take(UInt8(ascii: ",")) else { return false }
            skipSpace()
        }
        return true
    }

    /// The range of a name with its quotes, up to the value that follows the colon.
    mutating func readName() throws(Problem) -> Range<Int> {
        guard peek == UInt8(ascii: "\"") else { throw problem("expected a name in quotes") }
        let start = index
        try skipString()
        let name = start..<index
        skipSpace()
        guard take(UInt8(ascii: ":")) else { throw problem("expected `:`") }
        skipSpace()
        return name
    }

    /// Indicates whether the string at `range`, quotes included, is `text`.
    func isName(_ range: Range<Int>, _ text: String) -> Bool {
        let inner = UnsafeBufferPointer(rebasing: bytes[(range.lowerBound + 1)..<(range.upperBound - 1)])
        if inner.contains(UInt8(ascii: "\\")) { return JSONScalar.decoded(inner).utf8.elementsEqual(text.utf8) }
        guard inner.count == text.utf8.count else { return false }
        return text.utf8.withContiguousStorageIfAvailable { $0.elementsEqual(inner) } ?? text.utf8.elementsEqual(inner)
    }
}
