extension JSONPathParser {
    /// A string in single or double quotes.
    mutating func string() throws(Problem) -> String {
        let quote = scalars[index]
        index += 1
        var text = String.UnicodeScalarView()
        while let scalar = peek {
            switch scalar {
            case quote:
                index += 1
                return String(text)
            case "\\":
                index += 1
                text.append(try escaped(in: quote))
            case _ where scalar.value < 0x20: throw problem("a control character in a string")
            default:
                text.append(scalar)
                index += 1
            }
        }
        throw problem("expected the end of a string")
    }

    private mutating func escaped(in quote: Unicode.Scalar) throws(Problem) -> Unicode.Scalar {
        guard let scalar = peek else { throw problem("expected the end of a string") }
        index += 1
        switch scalar {
        case quote, "\\", "/": return scalar
        case "b": return "\u{8}"
        case "f": return "\u{C}"
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "u": return try unicode()
        default: throw problem("an unknown escape in a string", at: index - 1)
        }
    }

    /// The scalar of four digits, or of two surrogates.
    private mutating func unicode() throws(Problem) -> Unicode.Scalar {
        let start = index
        let first = try fourDigits()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, take("\\u") else { throw problem("half of a surrogate pair", at: start) }
        let second = try fourDigits()
        guard 0xDC00...0xDFFF ~= second, let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)) else {
            throw problem("half of a surrogate pair", at: start)
        }
        return scalar
    }

    private mutating func fourDigits() throws(Problem) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = peek.flatMap({ $0.isASCII ? Character($0).hexDigitValue : nil }) else {
                throw problem("expected four hexadecimal digits")
            }
            value = value << 4 | UInt32(digit)
            index += 1
        }
        return value
    }

    /// Skips a number as JSON writes it.
    mutating func number() throws(Problem) {
        let start = index
        _ = take("-")
        let digits = index
        try self.digits()
        if scalars[digits] == "0", index > digits + 1 { throw problem("a number has no leading zero", at: start) }
        if take(".") { try self.digits() }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            try self.digits()
        }
    }

    private mutating func digits() throws(Problem) {
        let start = index
        while let scalar = peek, Self.isDigit(scalar) { index += 1 }
        if index == start { throw problem("expected a digit") }
    }
}
