import AsyncHTTPClient
import NIOHTTP1
import Pipeline
import PipelineSockets

/// The way of a request to its server.
enum Route: Sendable, Hashable {
    case direct
    /// A tunnel that a proxy opens (RFC 9110, section 9.3.6): for TLS.
    case tunnel(ProxyAddress)
    /// A proxy that gets the absolute URL (RFC 9112, section 3.2.2): without TLS, where few proxies open a tunnel.
    case forward(ProxyAddress)

    init(to url: HTTPURL, through proxy: ProxyAddress?) {
        guard let proxy, proxy.serves(url) else {
            self = .direct
            return
        }
        self = url.scheme == .https ? .tunnel(proxy) : .forward(proxy)
    }

    /// The address that the client connects to for a request to `url`.
    func address(for url: HTTPURL) -> HTTPURL {
        switch self {
        case .direct: url
        case .tunnel(let proxy), .forward(let proxy): proxy.url
        }
    }

    /// `request`, which is for `url`, as the client needs it. ``AnswerGuard`` puts the absolute URL into the line of a request that is
    /// forwarded.
    func adapted(_ request: HTTPClientRequest, for url: HTTPURL) -> HTTPClientRequest {
        guard case .forward(let proxy) = self else { return request }
        var adapted = request
        adapted.url = proxy.url.origin + url.path + (url.query.map { "?" + $0 } ?? "")
        // A proxy goes by the URL, and `Host` has to agree with that (RFC 9112, section 3.2.2).
        adapted.headers.replaceOrAdd(name: "Host", value: String(url.origin.dropFirst("http://".count)))
        if let credentials = proxy.credentials {
            adapted.headers.add(name: "Proxy-Authorization", value: HTTPHeaders.basicAuthentication(credentials))
        }
        return adapted
    }

    /// The proxy that the client itself has to know of.
    var clientProxy: HTTPClient.Configuration.Proxy? {
        guard case .tunnel(let proxy) = self else { return nil }
        let host = proxy.url.hostToResolve
        guard let credentials = proxy.credentials else { return .server(host: host, port: proxy.url.port) }
        let value = HTTPHeaders.basicAuthentication(credentials).dropFirst("Basic ".count)
        return .server(host: host, port: proxy.url.port, authorization: .basic(credentials: String(value)))
    }

    /// Indicates whether requests name the absolute URL.
    var isForward: Bool { if case .forward = self { true } else { false } }
}
