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
                // Of several the first counts (section 3.3).
                let relations = (link.parameters["rel"] ?? "").lowercased().split { " \t".contains($0) }
                if link.parameters["anchor"] == nil, relations.contains(Substring(relation)) {
                    return link.target
                }
            }
        }
        return nil
    }

    private struct Link {
        let target: String
        let parameters: FieldParameters

        /// Takes the next link from the front of `rest` (RFC 8288, appendix B.2); nil if there is none.
        init?(_ rest: inout Substring.UTF8View) {
            guard let start = rest.firstIndex(of: UInt8(ascii: "<")), let end = rest[start...].firstIndex(of: UInt8(ascii: ">")) else {
                return nil
            }
            target = String(Substring(rest[start...].dropFirst().prefix(upTo: end))).trimmed
            rest = rest[end...].dropFirst()
            parameters = FieldParameters(&rest)
            // Nothing up to the next comma is part of any link.
            rest = rest.drop { $0 != UInt8(ascii: ",") }.dropFirst()
        }
    }
}
