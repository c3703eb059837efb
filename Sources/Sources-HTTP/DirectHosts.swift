import PipelineSockets

/// An entry of `NO_PROXY`: hosts that are asked without the proxy.
enum DirectHosts: Sendable, Hashable {
    case all
    /// This name and those below it; with a port, where that is asked.
    case domain(String, port: Int?)
    /// This address, however it is written.
    case address(HostAddress, port: Int?)
    /// The addresses that begin with so many bits of this one (RFC 4632, section 3.1).
    case network(HostAddress, bits: Int)

    /// - Parameter entry: in lower case.
    init(_ entry: String) {
        let sides = entry.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        if entry == "*" {
            self = .all
        } else if sides.count == 2, let address = HostAddress(sides[0]), let bits = Int(sides[1]), 0...(address.bytes.count * 8) ~= bits {
            self = .network(address, bits: bits)
        } else if let address = HostAddress(entry) {
            self = .address(address, port: nil)
        } else {
            let colon = entry.lastIndex(of: ":")
            let port = colon.flatMap { Int(entry[$0...].dropFirst()) }
            let host = port == nil ? entry[...] : entry[..<(colon ?? entry.endIndex)]
            if let address = HostAddress(host) {
                self = .address(address, port: port)
            } else {
                let name = host.hasPrefix("*.") ? host.dropFirst(2) : host.hasPrefix(".") ? host.dropFirst() : host
                self = .domain(String(name.hasSuffix(".") ? name.dropLast() : name), port: port)
            }
        }
    }

    /// - Parameter address: of the host of `target`, where that is one.
    func contains(_ target: HTTPURL, _ address: HostAddress?) -> Bool {
        switch self {
        case .all: return true
        case .network(let network, let bits): return address?.isWithin(network, bits: bits) ?? false
        case .address(let own, let port): return own == address && port ?? target.port == target.port
        case .domain(let name, let port):
            let host = target.host.hasSuffix(".") ? target.host.dropLast() : target.host[...]
            return address == nil && (host == name || host.hasSuffix("." + name)) && port ?? target.port == target.port
        }
    }
}
