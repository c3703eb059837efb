import AsyncHTTPClient
import NIOHTTP1
import PipelineConfig
import PipelineSockets

/// A request for an event stream as it goes out.
struct StreamRequest: Sendable {
    private(set) var url: HTTPURL
    /// The configured fields and the defaults. A redirect to another origin leaves the harmless ones.
    private(set) var headers: HTTPHeaders
    /// The id of the last event; nil for none.
    var lastID: String?

    init(url: HTTPURL, headers: HTTPHeaders) {
        self.url = url
        self.headers = headers
    }

    /// What two connections have in common that can be one.
    var channel: String { ([url.text] + headers.map { "\($0.name): \($0.value)" }).joined(separator: "\n") }

    /// The request that follows a redirect to `target`.
    func redirected(to target: HTTPURL) -> StreamRequest {
        var copy = self
        if target.origin != url.origin {
            copy.headers = HTTPHeaders(headers.filter { HeaderFields.harmless.contains($0.name.lowercased()) })
        }
        copy.url = target
        return copy
    }

    /// The request in the client's terms.
    var clientRequest: HTTPClientRequest {
        var request = HTTPClientRequest(url: url.text)
        request.headers = headers
        if let lastID { request.headers.replaceOrAdd(name: "Last-Event-ID", value: lastID) }
        return request
    }
}
