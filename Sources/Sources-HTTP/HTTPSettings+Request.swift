import NIOHTTP1
import Pipeline
internal import PipelineConfig
import PipelineSockets

extension HTTPSettings {
    /// The request for `key`. Whatever the parameters hold, it has the configured URL, fields and body, with values in their places.
    func request(for key: Key) throws -> OutgoingRequest {
        var headers = try HTTPHeaders(filling: self.headers, of: url, for: key)
        let body = body.map { body in
            let format = BodyFormat(contentType: headers.first(name: "Content-Type"), of: body)
            if format == .json, !headers.contains(name: "Content-Type") { headers.add(name: "Content-Type", value: "application/json") }
            return format.fill(body, for: key)
        }
        return OutgoingRequest(method: method, url: try filledURL(for: key), headers: headers, body: body)
    }

    /// Whether a parameter stands in the host or the port.
    var hostDependsOnKey: Bool { url.hostDependsOnKey }

    private func filledURL(for key: Key) throws -> HTTPURL {
        do {
            return try query.reduce(HTTPURL(url.filled(for: key))) { url, field in
                url.appending(PercentEncoding.url.encoded(field.name), PercentEncoding.url.encoded(field.value.filled(for: key)))
            }
        } catch {
            throw SourceError("cannot ask the URL: \(error.words)", cause: error)
        }
    }
}
