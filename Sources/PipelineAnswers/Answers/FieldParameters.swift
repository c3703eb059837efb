/// The parameters at the end of a field's value (RFC 9110, section 5.6.6): `; name=value; name="value"`.
struct FieldParameters {
    /// Names in lower case.
    private var all: [(name: String, value: String)] = []

    /// Takes the parameters from the front of `rest`, up to a comma. Between them, whatever breaks the grammar is skipped.
    init(_ rest: inout Substring.UTF8View) {
        rest.skipBlanks()
        while rest.first == UInt8(ascii: ";") {
            rest = rest.dropFirst()
            rest.skipBlanks()
            let name = rest.take { !"=;, \t".utf8.contains($0) }.lowercased()
            rest.skipBlanks()
            var value = ""
            if rest.first == UInt8(ascii: "=") {
                rest = rest.dropFirst()
                rest.skipBlanks()
                value = rest.first == UInt8(ascii: "\"") ? rest.takeQuoted() : rest.take { !";,".utf8.contains($0) }.trimmed
            }
            all.append((name, value))
            rest = rest.drop { !";,".utf8.contains($0) }
        }
    }

    /// The value of the first parameter of this name, which is in lower case; nil if there is none.
    subscript(name: String) -> String? { all.first { $0.name == name }?.value }
}

extension Substring.UTF8View {
    fileprivate mutating func skipBlanks() { self = drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") } }

    fileprivate mutating func take(_ isTaken: (UInt8) -> Bool) -> String {
        let taken = prefix(while: isTaken)
        self = self[taken.endIndex...]
        return String(Substring(taken))
    }

    /// Takes a quoted string, of which the end may be missing. A backslash stands before a character that is taken as it is.
    fileprivate mutating func takeQuoted() -> String {
        var bytes: [UInt8] = []
        self = dropFirst()
        while let byte = popFirst(), byte != UInt8(ascii: "\"") {
            bytes.append(byte == UInt8(ascii: "\\") ? popFirst() ?? byte : byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension String {
    /// The text without the blanks and line ends around it.
    var trimmed: String {
        let isBlank: (UInt8) -> Bool = { " \t\r\n".utf8.contains($0) }
        let begin = utf8.drop(while: isBlank)
        guard let last = begin.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(Substring(begin[...last]))
    }
}
