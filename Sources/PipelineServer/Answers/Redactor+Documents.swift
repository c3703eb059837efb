package import Pipeline
internal import PipelineJSON

extension Redactor {
    /// A document that leaves the process, without what is secret; it can be read as before. Texts have been masked where they were written:
    /// this is for what was forgotten there.
    ///
    /// In JSON, values that are texts are masked, and nothing else: a secret may be a number, or spelt as the name of a member. In SVG and other
    /// XML it is what stands outside of tags.
    package func redacted(document text: String) -> String {
        let redacted = redacted(text)
        // Nearly always.
        if redacted == text { return text }
        switch text.utf8.first {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            return JSONScanner.problem(of: Array(text.utf8)) == nil ? redactedInStrings(text) : redacted
        case UInt8(ascii: "<"): return redactedOutsideOfTags(text)
        default: return redacted
        }
    }

    /// A text with what stands in its double quotes masked, names of members aside: JSON, and metrics.
    package func redactedInStrings(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var index = 0
        while let start = bytes[index...].firstIndex(of: UInt8(ascii: "\"")) {
            var end = start + 1
            while end < bytes.count, bytes[end] != UInt8(ascii: "\"") { end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1 }
            guard end < bytes.count else { break }
            result += bytes[index..<start]
            index = end + 1
            let next = bytes[index...].first { $0 != UInt8(ascii: " ") }
            let string = JSONScalar.string(bytes, at: start..<index)
            let masked = next == UInt8(ascii: ":") ? string : redacted(string)
            result += masked == string ? bytes[start..<index] : Array("\"\(JSONText.escaped(masked))\"".utf8)[...]
        }
        return String(decoding: result + bytes[index...], as: UTF8.self)
    }

    private func redactedOutsideOfTags(_ text: String) -> String {
        text.split(separator: "<", omittingEmptySubsequences: false).map { part in
            guard let end = part.firstIndex(of: ">") else { return String(part) }
            return part[...end] + redacted(String(part[part.index(after: end)...]))
        }.joined(separator: "<")
    }
}
