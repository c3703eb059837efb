import NIOHTTP1
import Pipeline
internal import PipelineConfig
import PipelineSockets

/// The beginning of a body whose download broke off, and what the server said of the whole (RFC 9110, section 14).
struct PartialBody: Sendable {
    let bytes: [UInt8]
    /// The fields of the answer that it comes from.
    let headers: HTTPHeaders
    /// What `If-Range` needs to be sure that it is still the same body.
    let validator: String
    /// The length of the whole; nil where the server did not say.
    let total: Int?

    /// The part that `answer` gave; nil when it cannot be continued.
    init?(_ bytes: [UInt8], of answer: HTTPExchange.Answer, after earlier: PartialBody?) {
        let headers = earlier.map { answer.headers.completing($0.headers) } ?? answer.headers
        let isIdentity = answer.headers[canonicalForm: "Content-Encoding"].allSatisfy { $0.isEmpty || $0.lowercased() == "identity" }
        let takesRanges = answer.status == 206 || answer.headers[canonicalForm: "Accept-Ranges"].contains { $0.lowercased() == "bytes" }
        guard isIdentity, takesRanges, answer.status == 200 || answer.status == 206, let validator = headers.rangeValidator else { return nil }
        self.bytes = bytes
        self.headers = headers
        self.validator = validator
        total = earlier?.total ?? answer.headers.first(name: "Content-Length").flatMap { Int($0) }
    }

    /// Whether `answer` goes on where this ends, of the same whole.
    func continues(in answer: HTTPExchange.Answer) -> Bool {
        guard let range = answer.headers.contentRange, range.first == bytes.count else { return false }
        if let etag = answer.headers.first(name: "ETag"), let known = headers.first(name: "ETag"), etag != known { return false }
        return total == nil || range.total == nil || total == range.total
    }
}

extension HTTPHeaders {
    /// A strong etag, or a `Last-Modified` that is at least a second older than `Date` (RFC 9110, sections 8.8.2.2 and 13.1.5).
    fileprivate var rangeValidator: String? {
        if let etag = first(name: "ETag") { return etag.hasPrefix("\"") && HeaderFields.canBeTag(etag) ? etag : nil }
        guard let modified = first(name: "Last-Modified"), let date = first(name: "Date"), HeaderFields.canBeValue(modified) else { return nil }
        // Both dates in the form of today: the server wrote them.
        let (older, newer) = (HTTPDate.parse(modified), HTTPDate.parse(date))
        guard let older, let newer, older + .seconds(1) <= newer else { return nil }
        return modified
    }

    /// `bytes 3-9/10`: where a part begins, and the length of the whole where it is known.
    fileprivate var contentRange: (first: Int, total: Int?)? {
        guard let text = first(name: "Content-Range"), text.lowercased().hasPrefix("bytes ") else { return nil }
        let parts = text.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
        let ends = (parts.first ?? "").split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, ends.count == 2, let first = Int(ends[0]), let last = Int(ends[1]), 0 <= first, first <= last else { return nil }
        let total = Int(parts[1])
        guard parts[1] == "*" || total.map({ last < $0 }) == true else { return nil }
        return (first, total)
    }

    /// These fields of a part, with what `earlier`, those of the answer before, say beside them (RFC 9110, section 15.3.7.3).
    func completing(_ earlier: HTTPHeaders) -> HTTPHeaders {
        var whole = earlier
        for name in ["Content-Length", "Content-Range"] { whole.remove(name: name) }
        for name in Set(map { $0.name.lowercased() }) where name != "content-length" && name != "content-range" {
            whole.remove(name: name)
            for value in self[name] { whole.add(name: name, value: value) }
        }
        return whole
    }
}
