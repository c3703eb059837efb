/// A place that a path leads to, in the bytes of a JSON text.
package struct JSONPlace: Sendable, Hashable {
    /// The value, without white space around it.
    package internal(set) var range: Range<Int>
    /// The array or object whose element or member it is, from bracket to bracket; the value itself where the path is empty.
    package internal(set) var holder: Range<Int>
    /// How many arrays and objects are around it.
    package let depth: Int
    /// Its way, in ``JSONPlaces``.
    let steps: Range<Int>
}

/// The places of one path in the order of the text, each once.
package struct JSONPlaces: Sendable, RandomAccessCollection {
    enum Step: Sendable, Hashable {
        case index(Int)
        /// The range of a name, quotes included.
        case name(Range<Int>)
    }

    var places: [JSONPlace] = []
    var steps: [Step] = []

    package var startIndex: Int { 0 }
    package var endIndex: Int { places.count }
    package subscript(position: Int) -> JSONPlace { places[position] }

    /// Where `place` is in `payload`, as a pointer.
    package func pointer(to place: JSONPlace, in payload: [UInt8]) -> JSONPointer {
        JSONPointer(
            tokens: steps[place.steps].map { step in
                switch step {
                case .index(let index): "\(index)"
                case .name(let range): JSONScalar.string(payload, at: range)
                }
            })
    }

    /// The normalized path of `place` (RFC 9535, section 2.7).
    package func normalizedPath(of place: JSONPlace, in payload: [UInt8]) -> String {
        "$"
            + steps[place.steps].map { step in
                switch step {
                case .index(let index): "[\(index)]"
                case .name(let range): "['\(Self.normalized(JSONScalar.string(payload, at: range)))']"
                }
            }.joined()
    }

    private static func normalized(_ name: String) -> String {
        var text = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "'": text += "\\'"
            case "\\": text += "\\\\"
            case "\u{8}": text += "\\b"
            case "\u{C}": text += "\\f"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    /// The index that a token of a JSON Pointer spells: no leading zero, and `-` is none.
    static func position(_ token: String) -> Int? {
        guard !token.isEmpty, token.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
            token == "0" || token.utf8.first != UInt8(ascii: "0")
        else { return nil }
        return Int(token)
    }
}
