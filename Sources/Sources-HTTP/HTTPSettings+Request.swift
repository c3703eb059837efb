import NIOHTTP1
import Pipeline
internal import PipelineConfig
import PipelineSockets

extension HTTPSettings {
    /// The request for `key`. Whatever the parameters hold, it has the configured URL, fields and body, with values in their places.
    func request(for key: Key) throws -> OutgoingRequest {
        var headers = try HTTPHeaders(filling: self.headers, of: url, for: key)
        let body = try body.map { body in
            guard let escaping = BodyEscaping.of(body, self.headers, chosen: escape) else {
                throw SourceError("nothing says how a parameter is written in the body: `escape` does")
            }
            if !headers.contains(name: "Content-Type"), let type = BodyEscaping.impliedType(of: body) {
                headers.add(name: "Content-Type", value: type)
            }
            return escaping.fill(body, for: key)
        }
        return OutgoingRequest(
            method: method, url: try filled(url.filled(for: key), for: key), headers: headers, body: body,
            identity: RequestIdentity(method.rawValue, url, key))
    }

    /// The request for `keys`, which differ in the parameter of `batch` alone.
    func request(for keys: [Key], _ batch: HTTPBatch) throws -> OutgoingRequest {
        guard let first = keys.first, let parameter = batch.parameter else { throw SourceError("the batch has no ids") }
        var several = self
        several.url = batch.url
        var request = try several.request(for: first)
        request.url = try filled(batch.url.filled(for: keys, joining: parameter), for: first)
        return request
    }

    /// Whether a parameter stands in the host or the port.
    var hostDependsOnKey: Bool { url.hostDependsOnKey }

    /// `text` with the query parameters for `key`.
    private func filled(_ text: String, for key: Key) throws -> HTTPURL {
        do {
            return try query.reduce(HTTPURL(text)) { url, field in
                url.appending(PercentEncoding.url.encoded(field.name), PercentEncoding.url.encoded(field.value.filled(for: key)))
            }
        } catch {
            throw SourceError("cannot ask the URL: \(error.words)", cause: error)
        }
    }
}
