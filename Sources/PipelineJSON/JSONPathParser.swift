/// Reads a query of RFC 9535: all of the grammar, of which only a part is run.
struct JSONPathParser {
    typealias Problem = JSONPath.Problem

    /// The deepest nesting of filters, brackets and functions that is read.
    private static let maximumDepth = 64

    let scalars: [Unicode.Scalar]
    var index = 0
    /// The first thing that is read and not run.
    private var unsupported: Problem?
    private var depth = 0

    init(_ text: String) {
        scalars = Array(text.unicodeScalars)
    }

    /// The selectors of each level. Throws for a text that is no query, and then for one that cannot be run.
    mutating func query() throws(Problem) -> [[JSONPath.Selector]] {
        guard take("$") else { throw problem("a JSONPath begins with `$`") }
        let segments = try segments().selectors
        if index < scalars.count { throw problem("expected `.` or `[`") }
        if let unsupported { throw unsupported }
        return segments
    }

    var peek: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

    func problem(_ message: String, at offset: Int? = nil) -> Problem {
        Problem(
            message: index < scalars.count || offset != nil ? message : "the path ends too early: \(message)", offset: offset ?? index,
            isMalformed: true)
    }

    mutating func take(_ text: StaticString) -> Bool {
        var end = index
        let isThere = text.withUTF8Buffer { bytes in
            for byte in bytes {
                guard end < scalars.count, scalars[end] == Unicode.Scalar(byte) else { return false }
                end += 1
            }
            return true
        }
        if isThere { index = end }
        return isThere
    }

    mutating func skipBlanks() {
        while let scalar = peek, scalar == " " || scalar == "\t" || scalar == "\n" || scalar == "\r" { index += 1 }
    }

    /// Notes that something is read that is not run.
    mutating func refuse(_ words: String, at offset: Int) {
        guard unsupported == nil else { return }
        unsupported = Problem(message: "\(words) are not supported here", offset: offset, isMalformed: false)
    }

    /// Reads what is nested in something else.
    mutating func nested<Value>(_ body: (inout JSONPathParser) throws(Problem) -> Value) throws(Problem) -> Value {
        // All that nests is in a filter, which is not run: how it ends makes no difference.
        guard depth < Self.maximumDepth else { throw unsupported ?? problem("nested deeper than \(Self.maximumDepth)") }
        depth += 1
        defer { depth -= 1 }
        return try body(&self)
    }
}

extension JSONPathParser {
    /// The segments after `$` or `@`, and whether they lead to one place at most.
    mutating func segments() throws(Problem) -> (selectors: [[JSONPath.Selector]], isSingular: Bool) {
        var segments: [[JSONPath.Selector]] = []
        var isSingular = true
        while true {
            let start = index
            skipBlanks()
            let begin = index
            var isBracketed = false
            if take("..") {
                refuse("descendants (`..`)", at: begin)
                isSingular = false
                isBracketed = peek == "["
                segments.append(try isBracketed ? bracketed() : [dotted()])
            } else if take(".") {
                segments.append([try dotted()])
            } else if peek == "[" {
                segments.append(try bracketed())
            } else {
                // White space belongs to what follows it.
                index = start
                return (segments, isSingular)
            }
            switch segments.last.map({ $0.count == 1 ? $0.first : nil }) {
            case .name, .index: break
            default: isSingular = false
            }
        }
    }

    /// The selector after a dot.
    private mutating func dotted() throws(Problem) -> JSONPath.Selector {
        if take("*") { return .wildcard }
        let start = index
        guard let first = peek, Self.isNameStart(first) else { throw problem("expected a name or `*`") }
        while let scalar = peek, Self.isNameStart(scalar) || Self.isDigit(scalar) { index += 1 }
        return .name(text(start..<index))
    }

    private mutating func bracketed() throws(Problem) -> [JSONPath.Selector] {
        index += 1
        var selectors: [JSONPath.Selector] = []
        repeat {
            skipBlanks()
            selectors.append(try selector())
            skipBlanks()
        } while take(",")
        guard take("]") else { throw problem("expected `,` or `]`") }
        return selectors
    }

    private mutating func selector() throws(Problem) -> JSONPath.Selector {
        let start = index
        switch peek {
        case "'", "\"": return .name(try string())
        case "*":
            index += 1
            return .wildcard
        case "?":
            refuse("filters (`?`)", at: start)
            index += 1
            try nested { parser throws(Problem) in
                parser.skipBlanks()
                try parser.logical()
            }
            // Its place counts: a filter may give any number of values.
            return .wildcard
        default: return try indexOrSlice()
        }
    }

    private mutating func indexOrSlice() throws(Problem) -> JSONPath.Selector {
        let first = try optionalInteger()
        let end = index
        skipBlanks()
        guard take(":") else {
            index = end
            guard let first else { throw problem("expected a selector") }
            return .index(first)
        }
        skipBlanks()
        let second = try optionalInteger()
        let afterSecond = index
        skipBlanks()
        guard take(":") else {
            index = afterSecond
            return .slice(JSONSlice(start: first, end: second, step: 1))
        }
        let afterColon = index
        skipBlanks()
        let step = try optionalInteger()
        if step == nil { index = afterColon }
        return .slice(JSONSlice(start: first, end: second, step: step ?? 1))
    }

    private mutating func optionalInteger() throws(Problem) -> Int? {
        guard let scalar = peek, scalar == "-" || Self.isDigit(scalar) else { return nil }
        return try integer()
    }

    /// An integer that JSON can hold exactly.
    private mutating func integer() throws(Problem) -> Int {
        let start = index
        let isNegative = take("-")
        let digits = index
        while let scalar = peek, Self.isDigit(scalar) { index += 1 }
        guard digits < index else { throw problem("expected a digit") }
        if scalars[digits] == "0", index > digits + 1 || isNegative {
            throw problem(isNegative && index == digits + 1 ? "`-0` is no index" : "an index has no leading zero", at: start)
        }
        guard let value = Int(text(start..<index)), abs(value) < 1 << 53 else { throw problem("an index beyond ±(2⁵³ - 1)", at: start) }
        return value
    }

    func text(_ range: Range<Int>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars[range])
        return String(text)
    }

    static func isDigit(_ scalar: Unicode.Scalar) -> Bool { "0"..."9" ~= scalar }

    private static func isNameStart(_ scalar: Unicode.Scalar) -> Bool {
        "a"..."z" ~= scalar || "A"..."Z" ~= scalar || scalar == "_" || scalar.value >= 0x80
    }
}
