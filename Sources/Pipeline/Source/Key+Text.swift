extension Key {
    /// The key whose ``text`` this is, byte for byte; nil for any other text, also for one that only means the same.
    public init?(text: String) {
        var parts = text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).makeIterator()
        guard let first = parts.next(), let pipeline = Self.decoded(first) else { return nil }
        var parameters: [Parameter] = []
        while let part = parts.next() {
            guard let equals = part.firstIndex(of: UInt8(ascii: "=")), let name = Self.decoded(part[..<equals]),
                let value = Self.decoded(part[part.index(after: equals)...])
            else { return nil }
            parameters.append(Parameter(name: name, value: value))
        }
        self.init(pipeline: pipeline, parameters: parameters)
        // Every key has one text: what was written in another way, or in another order, is none.
        guard self.text.utf8.elementsEqual(text.utf8), hasDistinctNames else { return nil }
    }

    private var hasDistinctNames: Bool {
        zip(parameters, parameters.dropFirst()).allSatisfy { !$0.name.utf8.elementsEqual($1.name.utf8) }
    }

    /// The text that was percent-encoded; nil where an escape is cut short, or the bytes are not UTF-8.
    private static func decoded(_ encoded: Substring.UTF8View) -> String? {
        var bytes: [UInt8] = []
        var rest = encoded.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit) else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
