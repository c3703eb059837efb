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

    /// The length of the whole, where `answer` goes on where this ends and has all the rest; nil where it does not. A server may give less
    /// than it was asked for (RFC 9110, section 15.3.7).
    func whole(continuedBy answer: HTTPExchange.Answer) -> Int? {
        guard answer.headers.contentCodings.isEmpty, let range = answer.headers.contentRange, range.first == bytes.count else { return nil }
        if let etag = answer.headers.first(name: "ETag"), let known = headers.first(name: "ETag"), etag != known { return nil }
        guard let whole = range.total ?? total, total == nil || total == whole, range.last == whole - 1 else { return nil }
        return whole
    }
}

extension PartialBody {
    /// The part that `answer` gave; nil when it cannot be continued.
    ///
    /// - Parameter wall: the present wall time.
    init?(_ bytes: [UInt8], of answer: HTTPExchange.Answer, wall: Timestamp) {
        headers = answer.headers
        guard answer.status == 200, headers.contentCodings.isEmpty,
            headers[canonicalForm: "Accept-Ranges"].contains(where: { $0.lowercased() == "bytes" }),
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

    /// `bytes 3-9/10`: where a part begins and ends, and the length of the whole where it is known.
    fileprivate var contentRange: (first: Int, last: Int, total: Int?)? {
        guard let text = first(name: "Content-Range"), text.lowercased().hasPrefix("bytes ") else { return nil }
        let parts = text.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
        let ends = (parts.first ?? "").split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, ends.count == 2, let first = Int(ends[0]), let last = Int(ends[1]), 0 <= first, first <= last else {
            return nil
        }
        let total = Int(parts[1])
        guard parts[1] == "*" || total.map({ last < $0 }) == true else { return nil }
        return (first, last, total)
    }

    /// These fields of the rest of a body, with what those of its beginning say beside them (RFC 9110, section 15.3.7.3).
    ///
    /// - Parameter length: that of the whole.
    fileprivate func completing(_ beginning: HTTPHeaders, length: Int) -> HTTPHeaders {
        var whole = beginning
        for name in Set(map { $0.name.lowercased() } + ["content-length"]) { whole.remove(name: name) }
        for field in self where !["content-length", "content-range"].contains(field.name.lowercased()) {
            whole.add(name: field.name, value: field.value)
        }
        whole.add(name: "Content-Length", value: "\(length)")
        return whole
    }
}

extension HTTPExchange.Answer {
    /// Whether it calls itself whole, and has a part by its `Content-Range`. That field means nothing with a 200 (RFC 9110, section 14.4), but
    /// some servers answer a request for a part so.
    var isSlice: Bool {
        guard status == 200, let range = headers.contentRange else { return false }
        return range.first > 0 || range.total.map { range.last < $0 - 1 } ?? true
    }

    /// The answer with the whole body, of this length: that of this one after `part`.
    func continuing(_ part: PartialBody, length: Int) -> HTTPExchange.Answer {
        var whole = self
        whole.status = 200
        whole.headers = headers.completing(part.headers, length: length)
        whole.beginning = part.bytes
        return whole
    }
}
