import NIOHTTP1
import Pipeline

/// Which of several answers a request gets, by the fields that the server names in `Vary` (RFC 9111, section 4.1): their names, and a hash
/// of what was sent in them. The values are never kept.
struct RequestVariant: Equatable {
    /// The longest list of names that is kept.
    private static let longest = 1_024

    /// `accept-language,authorization 9f86d081884c7d65`
    let text: String

    /// Nil where the answer does not vary. Throws ``Endless`` where no other request is known to get it.
    init?(of answer: HTTPHeaders, to request: HTTPHeaders) throws(Endless) {
        let names = Set(answer[canonicalForm: "Vary"].map { $0.lowercased() }.filter { !$0.isEmpty }).sorted()
        if names.isEmpty { return nil }
        if names.contains("*") { throw Endless(reason: "vary: *") }
        guard names.joined().utf8.count <= Self.longest else { throw Endless(reason: "vary: too many names") }
        self.init(names, in: request)
    }

    /// An answer that depends on more than the fields of its request, or on more of them than are kept.
    struct Endless: Error {
        let reason: String
    }

    private init(_ names: [String], in request: HTTPHeaders) {
        // A field that is not sent is another one than a field that is sent empty. Several lines are one list, whose blanks count for nothing.
        let sent = names.map { name in
            let values = request[name]
            return values.isEmpty ? name : "\(name):\(CacheControl.list(values.joined(separator: ",")).joined(separator: ","))"
        }.joined(separator: "\n")
        text = names.joined(separator: ",") + " " + KeyHash.digits(of: KeyHash.hash(of: sent))
    }

    /// Whether `request` has in the fields that `text` names what was sent when it was made.
    static func matches(_ text: String, _ request: HTTPHeaders) -> Bool {
        guard let end = text.lastIndex(of: " ") else { return false }
        return RequestVariant(text[..<end].split(separator: ",").map(String.init), in: request).text == text
    }
}
