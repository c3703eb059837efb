import AsyncHTTPClient
import NIOHTTP1
import Pipeline
internal import PipelineConfig

extension HTTPSettings {
    /// The request for `key`. Whatever the parameters hold, it has the configured URL, fields and body, with values in their places.
    func request(for key: Key) throws -> OutgoingRequest {
        var headers = try filledHeaders(for: key)
        let body = body.map { body in
            let format = BodyFormat(contentType: headers.first(name: "Content-Type"), of: body)
            if format == .json, !headers.contains(name: "Content-Type") { headers.add(name: "Content-Type", value: "application/json") }
            return format.fill(body, for: key)
        }
        return OutgoingRequest(method: method, url: try filledURL(for: key), headers: headers, body: body)
    }

    /// Whether a parameter stands in the host or the port.
    var hostDependsOnKey: Bool {
        URLReference(url.description).authority?.contains(UInt8(ascii: "{")) ?? false
    }

    private func filledURL(for key: Key) throws -> HTTPURL {
        do {
            return try query.reduce(HTTPURL(url.filled(for: key))) { url, field in
                url.appending(PercentEncoding.url.encoded(field.name), PercentEncoding.url.encoded(field.value.filled(for: key)))
            }
        } catch {
            throw SourceError("cannot ask the URL: \(error.words)", cause: error)
        }
    }

    private func filledHeaders(for key: Key) throws -> HTTPHeaders {
        var headers = HTTPHeaders()
        for (name, template) in self.headers {
            let value = template.revealed(for: key)
            guard HeaderFields.canBeValue(value) else {
                throw SourceError("the value of the header `\(name)` has a line break or another control character in it")
            }
            headers.add(name: name, value: value)
        }
        if let credentials = url.credentials, !headers.contains(name: "Authorization") {
            headers.add(name: "Authorization", value: Self.basicAuthentication(credentials))
        }
        for (name, value) in [("User-Agent", "pipe-run"), ("Accept", "*/*")] where !headers.contains(name: name) {
            headers.add(name: name, value: value)
        }
        return headers
    }

    /// RFC 7617; `credentials` as they stand in the URL.
    private static func basicAuthentication(_ credentials: String) -> String {
        let parts = credentials.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        let decoded = parts.map { PercentEncoding.leniently(decoded: $0) }
        var request = HTTPClientRequest(url: "")
        request.setBasicAuth(username: decoded.first ?? "", password: decoded.count > 1 ? decoded[1] : "")
        return request.headers.first(name: "Authorization") ?? ""
    }
}
