/// A credential in a text that is no YAML, found by the names in its lines.
///
/// Without a tree it is unknown where a value ends: rather too much is taken for one.
package struct WrittenCredential: Sendable {
    /// The place of the credential.
    package let range: TextRange
    /// The text of the credential; of a longer one only so much as a message could quote.
    package let text: String

    /// A hostile text may have very many.
    private static let most = 10_000
    private static let mostParts = 50
    private static let longest = 4096

    private init(line: Int, _ scalars: ArraySlice<Unicode.Scalar>) {
        range = TextRange(TextPosition(line: line, column: scalars.startIndex + 1), TextPosition(line: line, column: scalars.endIndex + 1))
        text = String(String.UnicodeScalarView(scalars.prefix(Self.longest)))
    }

    /// The credentials in lines 1 to `count`, of which `line` gives the text.
    package static func find(inLines count: Int, _ line: (Int) -> String) -> [WrittenCredential] {
        var found: [WrittenCredential] = []
        var open: Value?
        for number in 1...max(1, count) where found.count < most {
            let scalars = Array(line(number).unicodeScalars)
            let indent = scalars.firstIndex { !isBlank($0) } ?? scalars.count
            if let value = open {
                if let rest = value.rest(of: scalars, indent: indent) {
                    if !rest.isEmpty { found.append(WrittenCredential(line: number, rest)) }
                    if value.quote.map(rest.contains) ?? false { open = nil }
                    continue
                }
                if indent < scalars.count { open = nil }
            }
            if let (value, range) = firstValue(in: scalars, indent: indent) {
                open = value
                if !range.isEmpty, !isReference(scalars[range]) { found.append(WrittenCredential(line: number, scalars[range])) }
            }
            found += namelessParts(of: scalars).map { WrittenCredential(line: number, scalars[$0]) }
        }
        return found
    }

    /// The words that messages may quote of it, without names, references and the words that say what kind of credential follows.
    package var secrets: [String] {
        let scalars = Array(text.unicodeScalars)
        var literal = String.UnicodeScalarView()
        var end = 0
        for reference in VariableReference.all(in: text) where reference.range.lowerBound >= end && reference.defaultRange == nil {
            literal.append(contentsOf: scalars[end..<reference.range.lowerBound])
            literal.append(" ")
            end = reference.range.upperBound
        }
        literal.append(contentsOf: scalars[end...])
        return String(literal).split(maxSplits: Self.mostParts) { $0.isWhitespace || "\"'{}[],".contains($0) }
            .filter { !$0.hasSuffix(":") && !Self.schemes.contains($0.lowercased()) }.map(String.init)
    }

    /// Whether `text` only says what kind of credential follows.
    static func isScheme(_ text: String) -> Bool {
        let words = text.utf8.count <= 40 ? text.split(separator: " ") : []
        return words.count == 1 && schemes.contains(words[0].lowercased()) && words[0].lowercased() != "token"
    }

    /// The credential in a text such as `Bearer 0a1b2c3d`, whatever it stands beside; nil for any other text.
    static func behindScheme(_ text: String) -> String? {
        // Most texts of a file begin with another letter.
        guard text.utf8.first.map({ $0 | 0x20 == UInt8(ascii: "b") }) == true, text.utf8.count <= longest,
            let blank = text.firstIndex(of: " "), ["basic", "bearer"].contains(text[..<blank].lowercased())
        else { return nil }
        let rest = text[blank...].drop { $0 == " " }
        // A word of prose has neither a digit nor a capital within it.
        let isCode = rest.dropFirst().contains { $0.isNumber || $0.isUppercase } && !rest.contains(where: \.isWhitespace)
        return isCode ? String(rest) : nil
    }

    /// The schemes of the header `Authorization`.
    private static let schemes: Set<String> = ["basic", "bearer", "digest", "negotiate", "token"]
}

extension WrittenCredential {
    /// A value that may go on in the lines below.
    private struct Value {
        /// The column, from 0, of its name.
        let column: Int
        /// The quotes that are open; nil when none are.
        let quote: Unicode.Scalar?
        /// Whether nothing of it stands beside its name.
        let isBelow: Bool

        /// The part of the next line that belongs to it; nil where none does.
        func rest(of scalars: [Unicode.Scalar], indent: Int) -> ArraySlice<Unicode.Scalar>? {
            guard indent < scalars.count else { return nil }
            if quote != nil { return scalars[indent...] }
            guard indent > column || (isBelow && indent == column && scalars[indent] == "-") else { return nil }
            guard isBelow,
                let colon = scalars.indices.first(where: { scalars[$0] == ":" && ($0 + 1 == scalars.count || isBlank(scalars[$0 + 1])) })
            else { return scalars[indent...] }
            let start = scalars[(colon + 1)...].firstIndex { !isBlank($0) }
            return start.map { isReference(scalars[$0...]) ? [] : scalars[$0...] } ?? []
        }
    }

    /// The first value of a line that stands behind the name of a credential and a colon, or an equals sign: all that is left of the line.
    private static func firstValue(in scalars: [Unicode.Scalar], indent: Int) -> (Value, Range<Int>)? {
        for sign in scalars.indices where scalars[sign] == ":" || scalars[sign] == "=" {
            let (name, column) = name(before: sign, in: scalars)
            guard Credential.isBeside(name) else { continue }
            // What stands in a URL ends there.
            if scalars[sign] == "=", column > 0, "?&".unicodeScalars.contains(scalars[column - 1]) { continue }
            let start = scalars[(sign + 1)...].firstIndex { !isBlank($0) } ?? scalars.count
            let quote = start < scalars.count && "\"'".unicodeScalars.contains(scalars[start]) ? scalars[start] : nil
            let isOpen = quote.map { !scalars[(start + 1)...].contains($0) } ?? false
            let value = Value(column: column, quote: isOpen ? quote : nil, isBelow: start == scalars.count)
            return (value, start..<scalars.count)
        }
        return nil
    }

    /// What stands behind the name of a credential and a blank, as in `token …`, at the beginning of a line or of a member in braces.
    private static func unsigned(in scalars: [Unicode.Scalar]) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var mayBegin = true
        for index in scalars.indices {
            let scalar = scalars[index]
            guard mayBegin, !isBlank(scalar) else {
                mayBegin = mayBegin || "{[,".unicodeScalars.contains(scalar)
                continue
            }
            mayBegin = "{[,-".unicodeScalars.contains(scalar)
            let end = scalars[index...].prefix(200).firstIndex { !(Identifier.canContain($0) || "-.".unicodeScalars.contains($0)) } ?? index
            guard end > index, isBlank(scalars[end]), Credential.isBeside(String(String.UnicodeScalarView(scalars[index..<end]))),
                let start = scalars[end...].firstIndex(where: { !isBlank($0) }), !":=#".unicodeScalars.contains(scalars[start])
            else { continue }
            ranges.append(start..<(scalars[start...].firstIndex { ",}]".unicodeScalars.contains($0) } ?? scalars.endIndex))
        }
        return ranges
    }

    /// What stands behind `Bearer` or `Basic`, wherever in the line.
    private static func behindSchemes(in scalars: [Unicode.Scalar]) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        for blank in scalars.indices where scalars[blank] == " " && blank >= 5 {
            let start = scalars[..<blank].lastIndex { !Identifier.canContain($0) }.map { $0 + 1 } ?? 0
            guard 5...6 ~= blank - start else { continue }
            let end = scalars[(blank + 1)...].firstIndex { isBlank($0) || ",}]\"'#".unicodeScalars.contains($0) } ?? scalars.endIndex
            if behindScheme(String(String.UnicodeScalarView(scalars[start..<end]))) != nil { ranges.append((blank + 1)..<end) }
        }
        return ranges
    }

    /// The user and password of URLs, and the values of parameters that are credentials.
    private static func namelessParts(of scalars: [Unicode.Scalar]) -> [Range<Int>] {
        func parts(_ sign: String, until ends: String, _ part: (Range<Int>) -> Range<Int>?) -> [Range<Int>] {
            var parts: [Range<Int>] = []
            var index = 0
            while let start = scalars[index...].firstIndex(of: sign.unicodeScalars[sign.unicodeScalars.startIndex]) {
                index = start + 1
                guard scalars[start...].starts(with: sign.unicodeScalars) else { continue }
                let first = start + sign.unicodeScalars.count
                index = scalars[first...].firstIndex { isBlank($0) || ends.unicodeScalars.contains($0) } ?? scalars.count
                if let part = part(first..<index) { parts.append(part) }
            }
            return parts
        }
        let users = parts("://", until: "\"'") { url in scalars[url].lastIndex(of: "@").map { url.lowerBound..<$0 } }
        let values = parts("=", until: "&\"'") { value in
            Credential.isBeside(name(before: value.lowerBound - 1, in: scalars).name) ? value : nil
        }
        return (users + values + unsigned(in: scalars) + behindSchemes(in: scalars)).filter { !$0.isEmpty && !isReference(scalars[$0]) }
    }

    /// The word before `end`, in quotes or not, and where it begins.
    private static func name(before end: Int, in scalars: [Unicode.Scalar]) -> (name: String, column: Int) {
        var last = end
        while last > 0, isBlank(scalars[last - 1]) || "\"'".unicodeScalars.contains(scalars[last - 1]) { last -= 1 }
        var first = last
        while first > 0, last - first <= 200, Identifier.canContain(scalars[first - 1]) || "-.".unicodeScalars.contains(scalars[first - 1])
        {
            first -= 1
        }
        return (String(String.UnicodeScalarView(scalars[first..<last])), first)
    }

    /// Whether it is `${NAME}` and nothing else, brackets and quotes aside: the name of a value is none.
    private static func isReference(_ scalars: ArraySlice<Unicode.Scalar>) -> Bool {
        let text = scalars.drop { " \t\"'".unicodeScalars.contains($0) }
        guard text.starts(with: "${".unicodeScalars), let end = text.firstIndex(of: "}") else { return false }
        return text.dropFirst(2).prefix { $0 != "}" }.allSatisfy(Identifier.canContain)
            && text[end...].allSatisfy { " \t\"',]}".unicodeScalars.contains($0) }
    }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }
}
