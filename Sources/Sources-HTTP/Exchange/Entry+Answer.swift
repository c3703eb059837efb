import NIOHTTP1
import Pipeline
internal import PipelineConfig
import PipelineSockets

extension Entry {
    /// The value in an answer with these header fields.
    ///
    /// - Parameter freshness: the answer's word on copies; nil if that does not count.
    init(_ payload: [UInt8], created: Timestamp, headers: HTTPHeaders, _ freshness: OriginFreshness?) {
        self.init(
            payload, created: freshness?.created ?? created, freshUntil: freshness?.freshUntil, etag: headers.usableTag,
            lastModified: headers.first(name: "Last-Modified"), contentType: headers.first(name: "Content-Type"),
            cacheControl: freshness?.control, variant: freshness?.variant, notKept: freshness?.notKept)
    }

    /// The entry for a value that there is not, as an answer says it.
    static func notFound(created: Timestamp, _ freshness: OriginFreshness?) -> Entry {
        guard let freshness else { return .notFound(created: created) }
        var entry = Entry(
            [], created: freshness.created, freshUntil: freshness.freshUntil, cacheControl: freshness.control, variant: freshness.variant,
            notKept: freshness.notKept)
        entry.payload = nil
        return entry
    }

    /// This value as confirmed at `created`: fields of the 304 replace what was known (RFC 9111, section 4.3.4).
    ///
    /// Where the answer decides about copies, what describes the payload stays: the etag and the content type stay with the stored bytes.
    func confirmed(at created: Timestamp, by headers: HTTPHeaders, _ freshness: OriginFreshness?) -> Entry {
        let isKept = freshness != nil
        return Entry(
            payload ?? [], created: freshness?.created ?? created, freshUntil: freshness?.freshUntil,
            etag: isKept ? etag : headers.usableTag ?? etag, lastModified: headers.first(name: "Last-Modified") ?? lastModified,
            contentType: isKept ? contentType : headers.first(name: "Content-Type") ?? contentType, version: version,
            cacheControl: freshness?.control, variant: freshness?.variant, notKept: freshness?.notKept)
    }

    /// Indicates whether a 304 with these fields is about this copy: it has its etag, or none. Weak and strong ones of the same text are
    /// equal, as in the condition.
    func isConfirmed(by headers: HTTPHeaders) -> Bool {
        func opaque(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }
        guard let given = headers.first(name: "ETag"), !given.isEmpty else { return true }
        return etag.map { opaque($0).utf8.elementsEqual(opaque(given).utf8) } ?? false
    }
}

extension HTTPHeaders {
    /// The entity tag, with which the value can be confirmed later; nil if none can be.
    var usableTag: String? { first(name: "ETag").flatMap { HeaderFields.canBeTag($0) ? $0 : nil } }
}
