internal import NIOHTTP1

/// Pages of which origins may read event streams (RFC 6454).
///
/// A browser lets a page open a stream to any server, and keeps it open. The server refuses those that it was not told to allow.
package struct OriginRule: Sendable {
    private let allowed: Set<String>

    /// - Parameter origins: those that are allowed besides the server's own.
    package init(allowing origins: [String] = []) {
        allowed = Set(origins.compactMap(Self.normal))
    }

    /// What a request's origin means for it.
    enum Verdict: Equatable {
        /// It names none, or the server's own.
        case own
        /// It is allowed: the answer must say so to the browser.
        case allowed(String)
        case foreign(String)
    }

    func verdict(on headers: HTTPHeaders) -> Verdict {
        guard let field = headers.first(name: "origin") else { return .own }
        guard headers["origin"].count == 1, let origin = Self.normal(field) else { return .foreign(field) }
        if allowed.contains(origin) { return .allowed(field) }
        // Behind a proxy the scheme is not known here: the host and port decide.
        let hosts = ["http", "https"].map { scheme in headers.first(name: "host").flatMap { Self.normal("\(scheme)://\($0)") } }
        return hosts.contains(origin) ? .own : .foreign(field)
    }

    /// An origin in lower case, without the port where that is the scheme's own; nil when it is none.
    package static func normal(_ origin: String) -> String? {
        let text = origin.lowercased()
        guard let end = text.firstRange(of: "://"), !text.hasPrefix("://") else { return nil }
        let (scheme, host) = (text[..<end.lowerBound], String(text[end.upperBound...]))
        guard scheme.utf8.allSatisfy({ UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || "0123456789+-.".utf8.contains($0) }),
            let name = HostRule.name(in: host)
        else { return nil }
        let rest = host.lastIndex(of: "]").map { host[$0...] } ?? host[...]
        let port = rest.lastIndex(of: ":").map { rest[$0...] } ?? ""
        let isDefault = ["http:80", "https:443"].contains(scheme + port) || port == ":"
        return "\(scheme)://\(name)\(isDefault ? "" : port)"
    }
}
