internal import NIOCore
internal import NIOHTTP1

/// Which proxies are believed when they say for whom they ask.
///
/// Anyone can send an `X-Forwarded-For`. Each proxy adds, at its end, the address that asked it: what stands before an address that is not
/// that of such a proxy is the word of a stranger.
package struct ProxyRule: Sendable {
    private let trusted: Set<String>

    /// - Parameter addresses: those of proxies.
    package init(trusting addresses: [String] = []) {
        trusted = Set(addresses.compactMap(Self.address))
    }

    /// Who asks: the peer of the connection, or, where that is such a proxy, the last one that it names and that is none.
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
