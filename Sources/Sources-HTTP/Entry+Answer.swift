import NIOHTTP1
import Pipeline
internal import PipelineConfig
import PipelineSockets

extension Entry {
    /// The value in an answer with these header fields.
    init(_ payload: [UInt8], created: Timestamp, headers: HTTPHeaders) {
        self.init(
            payload, created: created, etag: headers.usableTag, lastModified: headers.first(name: "Last-Modified"),
            contentType: headers.first(name: "Content-Type"))
    }

    /// This value as confirmed at `created`: fields of the 304 replace what was known (RFC 9111, section 4.3.4).
    func confirmed(at created: Timestamp, by headers: HTTPHeaders) -> Entry {
        Entry(
            payload ?? [], created: created, etag: headers.usableTag ?? etag,
            lastModified: headers.first(name: "Last-Modified") ?? lastModified,
            contentType: headers.first(name: "Content-Type") ?? contentType, version: version)
    }
}

extension HTTPHeaders {
    /// The entity tag, with which the value can be confirmed later; nil where none can be.
    fileprivate var usableTag: String? { first(name: "ETag").flatMap { HeaderFields.canBeTag($0) ? $0 : nil } }
}
