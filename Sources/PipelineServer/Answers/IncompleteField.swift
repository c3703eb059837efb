internal import Pipeline

/// The field Pipe-Run-Incomplete: where an answer lacks what a failed part would have given. A list of strings of structured fields (RFC 9651,
/// section 3.1), each a JSON Pointer into the answer.
enum IncompleteField {
    static let name = "Pipe-Run-Incomplete"

    /// A longer field would be more than many proxies take.
    static let mostBytes = 4_096

    /// The text of the field; nil for an answer that is complete. Where there are more places than fit, the last one is `""`, the whole.
    static func value(of outcome: Outcome) -> String? {
        guard !outcome.isComplete else { return nil }
        var text = ""
        var seen: Set<String> = []
        for part in outcome.parts where part.isDegraded {
            let place = quoted(part.at)
            guard seen.insert(place).inserted else { continue }
            guard text.utf8.count + place.utf8.count + 2 <= mostBytes else {
                return seen.contains(quoted("")) ? text : list(text, quoted(""))
            }
            text = list(text, place)
        }
        return text.isEmpty ? quoted("") : text
    }

    private static func list(_ text: String, _ member: String) -> String { text.isEmpty ? member : text + ", " + member }

    /// A string of structured fields holds printable ASCII only: any other byte is percent-encoded, and so is `%` itself.
    private static func quoted(_ place: String) -> String {
        var text = "\""
        for byte in place.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += "\\" + String(Unicode.Scalar(byte))
            case UInt8(ascii: "%"): text += "%25"
            case 0x20...0x7E: text.unicodeScalars.append(Unicode.Scalar(byte))
            default: text += "%" + (byte < 0x10 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return text + "\""
    }
}
