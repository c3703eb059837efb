/// The fields `Link` of an answer (RFC 8288, section 3).
package enum LinkHeader {
    /// The target of the first link with this relation; nil if there is none.
    ///
    /// A link may have several relations, in any case. One with an `anchor` is not of the answer itself, and does not count; nor does what
    /// breaks the grammar.
    ///
    /// - Parameter fields: the values of all fields, in their order.
    package static func target(of relation: String, in fields: [String]) -> String? {
        for field in fields {
            var rest = field.utf8[...]
            while let link = Link(&rest) {
                let isOwn = !link.parameters.contains { $0.name == "anchor" }
                // Of several the first counts (section 3.3).
                let relations = link.parameters.first { $0.name == "rel" }?.value ?? ""
                if isOwn, relations.lowercased().split(whereSeparator: { " \t".contains($0) }).contains(Substring(relation)) {
                    return link.target
                }
            }
        }
        return nil
    }

    private typealias Text = Substring.UTF8View

    private struct Link {
        let target: String
        private(set) var parameters: [(name: String, value: String)] = []

        /// Takes the next link from the front of `rest` (appendix B.2); nil if there is none.
        init?(_ rest: inout Text) {
            guard let start = rest.firstIndex(of: UInt8(ascii: "<")), let end = rest[start...].firstIndex(of: UInt8(ascii: ">")) else {
                return nil
            }
            target = String(Substring(rest[start...].dropFirst().prefix(upTo: end))).trimmed
            rest = rest[end...].dropFirst()
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
                    rest.skipBlanks()
                }
                parameters.append((name, value))
            }
            // What follows up to the next comma is no part of any link.
            rest = rest.drop { $0 != UInt8(ascii: ",") }.dropFirst()
        }
    }
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
    fileprivate var trimmed: String {
        var text = self[...].drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return String(text)
    }
}
