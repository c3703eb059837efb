internal import NIOCore
internal import NIOHTTP1

/// The names that a server answers for.
///
/// A page of another origin can give its own name the address of this machine (DNS rebinding). Its requests then reach a server on
/// loopback, but they name the page's host.
package struct HostRule: Sendable {
    /// The names; nil if every name is answered.
    private let names: Set<String>?

    /// - Parameters:
    ///   - address: where the server listens: only on loopback names are checked.
    ///   - names: those that it answers for besides `localhost` and loopback addresses.
    package init(listeningOn address: String, allowing names: [String]) {
        self.names = Self.isLoopback(address) || !names.isEmpty ? Set(names.map { $0.lowercased() }) : nil
    }

    /// Indicates whether requests for this name are answered.
    func allows(_ name: String) -> Bool {
        guard let names else { return true }
        return Self.isLoopback(name) || names.contains(name)
    }

    /// The name in a Host field, in lower case and without the port; nil if the field is malformed (RFC 3986, section 3.2.2).
    package static func name(in field: String) -> String? {
        let bytes = Array(field.lowercased().utf8)
        var name: ArraySlice<UInt8>
        if bytes.first == UInt8(ascii: "[") {
            guard let end = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            name = bytes[...end]
            guard end > 1, name.dropFirst().dropLast().allSatisfy(isInAddress) else { return nil }
        } else {
            name = bytes.prefix { $0 != UInt8(ascii: ":") }
            guard !name.isEmpty, name.allSatisfy(isInName) else { return nil }
        }
        let rest = bytes[name.endIndex...]
        guard rest.isEmpty || rest.first == UInt8(ascii: ":") && rest.count <= 6 && rest.dropFirst().allSatisfy(isDigit) else { return nil }
        // The root's own dot: `localhost.` is `localhost`.
        if name.count > 1, name.last == UInt8(ascii: ".") { name = name.dropLast() }
        return String(decoding: name, as: UTF8.self)
    }

    /// Indicates whether a name or an address is that of the machine itself.
    package static func isLoopback(_ name: String) -> Bool {
        let name = name.lowercased()
        if ["localhost", "::1", "[::1]"].contains(name) || name.hasSuffix(".localhost") { return true }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(isDigit) && UInt8($0) != nil }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

    private static func isLetter(_ byte: UInt8) -> Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte }

    private static func isInAddress(_ byte: UInt8) -> Bool { isDigit(byte) || isLetter(byte) || ":.%".utf8.contains(byte) }

    private static func isInName(_ byte: UInt8) -> Bool { isDigit(byte) || isLetter(byte) || "-._~%!$&'()*+,;=".utf8.contains(byte) }
}

/// Pages of which origins may read event streams (RFC 6454).
///
/// A browser lets a page open a stream to any server, and keeps it open. The server refuses those that it was not told to allow.
package struct OriginRule: Sendable {
    private let allowed: Set<String>

    /// - Parameter origins: those that are allowed besides the server's own.
    package init(allowing origins: [String] = []) {
        allowed = Set(origins.compactMap(Self.normal))
    }

    /// The verdict on a request by its origin.
    enum Verdict: Equatable {
        /// The request names no origin, or the server's own.
        case own
        /// The origin is allowed: the answer must say so to the browser.
        case allowed(String)
        case foreign(String)
    }

    func verdict(on headers: HTTPHeaders) -> Verdict {
        guard let field = headers.first(name: "origin") else { return .own }
        guard headers["origin"].count == 1, let origin = Self.normal(field) else { return .foreign(field) }
        // Behind a proxy the scheme is not known here: the host and port decide.
        let hosts = ["http", "https"].map { scheme in headers.first(name: "host").flatMap { Self.normal("\(scheme)://\($0)") } }
        if hosts.contains(origin) { return .own }
        return allowed.contains(origin) ? .allowed(field) : .foreign(field)
    }

    /// An origin in lower case, without the port where that is the scheme's own; nil if it is none.
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

/// The proxies that are believed when they say for whom they ask.
///
/// Anyone can send an `X-Forwarded-For`. Each proxy adds, at its end, the address that asked it: everything before an address that no such
/// proxy has is the word of a stranger.
package struct ProxyRule: Sendable {
    private let trusted: Set<String>

    /// - Parameter addresses: the addresses of proxies.
    package init(trusting addresses: [String] = []) {
        trusted = Set(addresses.compactMap(Self.address))
    }

    /// The client that asks: the peer of the connection, or, if that is such a proxy, the last address that it names and that is none.
    func client(_ peer: String?, _ headers: HTTPHeaders?) -> String? {
        guard !trusted.isEmpty, let peer, var client = Self.address(peer), trusted.contains(client), let headers else { return peer }
        for name in headers[canonicalForm: "x-forwarded-for"].reversed() {
            guard let address = Self.address(String(name)) else { break }
            client = address
            if !trusted.contains(address) { break }
        }
        return client
    }

    /// An address of IPv4 or IPv6 in its usual form, without the port and the brackets that some proxies write; nil for what is none.
    package static func address(_ text: String) -> String? {
        var host = text[...]
        if host.hasPrefix("["), let end = host.firstIndex(of: "]") {
            host = host[host.index(after: host.startIndex)..<end]
        } else if let colon = host.firstIndex(of: ":"), host[host.index(after: colon)...].allSatisfy(\.isNumber), host.contains(".") {
            host = host[..<colon]
        }
        let address = (try? SocketAddress(ipAddress: String(host), port: 0))?.ipAddress
        // An address of IPv4 at a socket of IPv6.
        guard let address, address.hasPrefix("::ffff:"), address.contains(".") else { return address }
        return String(address.dropFirst("::ffff:".count))
    }
}
