internal import Pipeline
import PipelineComposing

/// The field Pipe-Run-Incomplete: where an answer lacks what a failed part would have given. A list of strings of structured fields (RFC 9651,
/// section 3.1), each a JSON Pointer into the answer.
enum IncompleteField {
    static let name = "Pipe-Run-Incomplete"

    /// A longer field would be more than many proxies take.
    static let mostBytes = 4_096

    /// The text of the field; nil for an answer that is complete. If there are more places than fit, the last one is `""`, all of the
    /// value.
    static func value(of outcome: Outcome) -> String? {
        // The parts of a composite at hand are made when they are asked for.
        if outcome.isComplete { return nil }
        let places = places(outcome.parts, isComplete: false)
        var text = ""
        for (index, place) in places.enumerated() {
            let member = quoted(place)
            guard text.utf8.count + member.utf8.count + 2 <= mostBytes else {
                return places[..<index].contains("") ? text : list(text, quoted(""))
            }
            text = list(text, member)
        }
        return text
    }

    /// The places where parts are degraded, each once, in the order of the parts. All of the value, `""`, if no part says so; none for an
    /// answer that is complete.
    static func places(_ parts: [PartOutcome], isComplete: Bool) -> [String] {
        if isComplete { return [] }
        var seen: Set<ExactName> = []
        let places = parts.filter(\.isDegraded).map(\.at).filter { seen.insert(ExactName($0)).inserted }
        return places.isEmpty ? [""] : places
    }

    private static func list(_ text: String, _ member: String) -> String { text.isEmpty ? member : text + ", " + member }

    /// A string of structured fields, which holds printable ASCII only: any other byte is percent-encoded, and so is `%` itself.
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
