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

    /// Whether `answer` goes on where this ends, of the same whole.
    func continues(in answer: HTTPExchange.Answer) -> Bool {
        guard let range = answer.headers.contentRange, range.first == bytes.count else { return false }
        if let etag = answer.headers.first(name: "ETag"), let known = headers.first(name: "ETag"), etag != known { return false }
        return total == nil || range.total == nil || total == range.total
    }
}

extension PartialBody {
    /// The part that `answer` gave; nil when it cannot be continued.
    ///
    /// - Parameter wall: the present wall time.
    init?(_ bytes: [UInt8], of answer: HTTPExchange.Answer, wall: Timestamp) {
        headers = answer.headers
        let isIdentity = headers[canonicalForm: "Content-Encoding"].allSatisfy { $0.isEmpty || $0.lowercased() == "identity" }
        guard answer.status == 200, isIdentity, headers[canonicalForm: "Accept-Ranges"].contains(where: { $0.lowercased() == "bytes" }),
            let validator = headers.rangeValidator(wall: wall)
        else { return nil }
        self.bytes = bytes
        self.validator = validator
        total = headers.first(name: "Content-Length").flatMap { Int($0) }
    }
}

extension HTTPHeaders {
    /// A strong etag, or a `Last-Modified` that is at least a second older than `Date` (RFC 9110, sections 8.8.2.2 and 13.1.5).
    fileprivate func rangeValidator(wall: Timestamp) -> String? {
        if let etag = first(name: "ETag") { return etag.hasPrefix("\"") && HeaderFields.canBeTag(etag) ? etag : nil }
        let times = AnswerTimes(self, wall: wall)
        guard let modified = first(name: "Last-Modified"), HeaderFields.canBeValue(modified), let older = times.lastModified,
            let newer = first(name: "Date").flatMap(times.seconds), older < newer
        else { return nil }
        return modified
    }

    /// `bytes 3-9/10`: where a part begins, and the length of the whole where it is known.
    fileprivate var contentRange: (first: Int, total: Int?)? {
        guard let text = first(name: "Content-Range"), text.lowercased().hasPrefix("bytes ") else { return nil }
        let parts = text.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
        let ends = (parts.first ?? "").split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, ends.count == 2, let first = Int(ends[0]), let last = Int(ends[1]), 0 <= first, first <= last else {
            return nil
        }
        let total = Int(parts[1])
        guard parts[1] == "*" || total.map({ last < $0 }) == true else { return nil }
        return (first, total)
    }

    /// These fields of the rest of a body, with what those of its beginning say beside them (RFC 9110, section 15.3.7.3).
    ///
    /// - Parameter count: the length of the beginning.
    fileprivate func completing(_ beginning: HTTPHeaders, of count: Int) -> HTTPHeaders {
        var whole = beginning
        for name in Set(map { $0.name.lowercased() } + ["content-length"]) { whole.remove(name: name) }
        for field in self where !["content-length", "content-range"].contains(field.name.lowercased()) {
            whole.add(name: field.name, value: field.value)
        }
        if let rest = first(name: "Content-Length").flatMap({ Int($0) }), rest >= 0, rest < 1 << 48 {
            whole.add(name: "Content-Length", value: "\(count + rest)")
        }
        return whole
    }
}

extension HTTPExchange.Answer {
    /// The answer with the whole body: that of this one after `part`.
    func continuing(_ part: PartialBody) -> HTTPExchange.Answer {
        var whole = self
        whole.status = 200
        whole.headers = headers.completing(part.headers, of: part.bytes.count)
        whole.beginning = part.bytes
        return whole
    }
}
