import NIOHTTP1
import Pipeline
internal import PipelineConfig
internal import PipelineSending

extension HTTPSettings {
    /// Indicates whether the source takes sends: the method changes something.
    var takesSends: Bool {
        switch method {
        case .get, .query: false
        case .post, .put, .patch, .delete: true
        }
    }

    /// Whether a write may be repeated: by its method (RFC 9110, section 9.2.2), or because the origin recognises its id.
    var repetition: SendRepetition {
        guard mayRepeat(method) else { return .never }
        return method.isRepeatable ? .always : .byID
    }

    /// The request that makes `send`. Whatever the send holds, it has the configured URL, fields and body, with values in their places.
    func request(for send: OutgoingSend) throws -> OutgoingRequest {
        guard takesSends else { throw SourceError("`method: \(method.rawValue)` takes no sends") }
        let request = try request(for: send.key)
        let bytes = body == nil ? send.payload : request.body ?? []
        // What a template is says its beginning, as for a read.
        let type = body == nil ? send.format.contentType : nil
        return request.carrying(bytes.isEmpty ? nil : bytes, ofType: type, try HTTPHeaders(of: send))
    }
}

extension HTTPHeaders {
    /// The fields that say which send it is, and on which condition.
    fileprivate init(of send: OutgoingSend) throws(SourceError) {
        self.init()
        if let field = send.idHeader {
            guard let value = field.value(of: send.id) else { throw SourceError("the id cannot stand in the header `\(field.name)`") }
            add(name: field.name, value: value)
        }
        if let tag = send.condition {
            // Without it the write would overwrite what was not seen.
            guard HeaderFields.canBeTag(tag) else { throw SourceError("the entity tag cannot stand in the header `If-Match`") }
            add(name: "If-Match", value: tag)
        }
    }
}

extension IDHeader {
    /// The field's value for `id`: bare, or a string of RFC 9651 (section 3.3.3). Nil if it cannot be one.
    fileprivate func value(of id: String) -> String? {
        guard !id.isEmpty, id.utf8.allSatisfy({ 32..<127 ~= $0 }) else { return nil }
        guard isQuoted else { return id }
        return "\"" + id.map { "\"\\".contains($0) ? "\\\($0)" : "\($0)" }.joined() + "\""
    }
}

extension PayloadFormat {
    /// The media type of a payload.
    fileprivate var contentType: String {
        switch self {
        case .json: "application/json"
        case .text: "text/plain; charset=utf-8"
        case .bytes: "application/octet-stream"
        }
    }
}
