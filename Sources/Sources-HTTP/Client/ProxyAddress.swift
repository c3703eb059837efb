import NIOCore
import Pipeline
package import PipelineConfig
package import PipelineSockets

/// The proxy that requests go through, and the hosts that are asked without it.
package struct ProxyAddress: Sendable, Hashable {
    /// The URL where the proxy listens.
    package let url: HTTPURL
    /// The credentials for the proxy: a user and a password, separated by a colon; nil for nothing.
    let credentials: String?
    private let exceptions: [DirectHosts]

    /// The proxy at `url`.
    ///
    /// - Parameter exceptions: as `NO_PROXY` has them: `localhost,.example.org,10.0.0.0/8,10.0.0.1:8080`; `*` stands for every host.
    package init(_ url: HTTPURL, credentials: String? = nil, except exceptions: String? = nil) {
        self.url = url
        self.credentials = credentials
        self.exceptions = (exceptions ?? "").lowercased().split { ", \t".contains($0) }.map { DirectHosts(String($0)) }
    }

    /// Indicates whether the server of `target` is asked through the proxy.
    func serves(_ target: HTTPURL) -> Bool {
        let address = HostAddress(target.hostToResolve)
        return !exceptions.contains { $0.contains(target, address) }
    }
}

/// A value of `proxy`: a URL, or nothing, as `${HTTPS_PROXY:-}` can be.
package struct ProxyChoice: Sendable, Hashable {
    /// The proxy; nil for none.
    package let proxy: ProxyAddress?
}

extension ProxyChoice: FieldValue {
    /// A URL.
    package static var fieldType: FieldType { .url }

    /// The pattern of what ``decode(_:with:)`` takes, as ECMA-262 has patterns.
    static let pattern = #"^$|^[Hh][Tt][Tt][Pp]://[^{}]*$"#

    /// The URL of a proxy, whose user and password are kept out of every message; empty for none. `NO_PROXY` names the exceptions.
    package static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> ProxyChoice? {
        guard let text = decoder.text(of: node, expecting: "the URL of a proxy") else { return nil }
        guard !text.isEmpty else { return ProxyChoice(proxy: nil) }
        guard let template = URLTemplate.decode(node, with: decoder, example: "http://proxy.example.org:3128") else { return nil }
        let help = "write it as `http://proxy.example.org:3128`"
        guard template.isConstant else {
            decoder.report(
                .malformed, "malformed URL for `\(decoder.fieldName)`: a parameter cannot stand in it", at: node, help: help)
            return nil
        }
        guard template.scheme == "http" else {
            let problem = template.scheme == "https" ? "a proxy is asked without TLS" : "only a proxy that speaks HTTP can be asked"
            decoder.report(
                .outOfRange, "\(decoder.quoted(node)) is out of range for `\(decoder.fieldName)`: \(problem)", at: node, help: help)
            return nil
        }
        do {
            let url = try HTTPURL(template.filled(for: Key(pipeline: "")))
            let exceptions = decoder.variable("NO_PROXY") ?? decoder.variable("no_proxy")
            return ProxyChoice(proxy: ProxyAddress(url, credentials: template.credentials, except: exceptions))
        } catch {
            decoder.report(.malformed, "malformed URL for `\(decoder.fieldName)`: \(error.words)", at: node)
            return nil
        }
    }

    /// The place alone.
    package var written: String? { proxy?.url.origin }
}

/// An entry of `NO_PROXY`: hosts that are asked without the proxy.
enum DirectHosts: Sendable, Hashable {
    case all
    /// A name and those below it; with a port, if that is asked.
    case domain(String, port: Int?)
    /// An address, however it is written.
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

/// The bytes of an IP address, the same for all its spellings: `127.1`, `0x7f.0.0.1`, `::ffff:127.0.0.1` and `127.0.0.1`.
struct HostAddress: Sendable, Hashable {
    /// 4 or 16.
    let bytes: [UInt8]

    /// Reads an address; nil if `host` is a name. An address of version 6 may stand in brackets.
    init?(_ host: some StringProtocol) {
        let text = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : String(host)
        if let bytes = Self.version4(text) {
            self.bytes = bytes
        } else if let address = try? SocketAddress(ipAddress: text, port: 0), case .v6 = address {
            // Behind the family, the port and the flow of a `sockaddr_in6`.
            let bytes = address.withSockAddr { Array(UnsafeRawBufferPointer(start: $0, count: $1).dropFirst(8).prefix(16)) }
            self.bytes = bytes.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]) ? Array(bytes.suffix(4)) : bytes
        } else {
            return nil
        }
    }

    /// Indicates whether its first bits are those of `network`.
    func isWithin(_ network: HostAddress, bits: Int) -> Bool {
        guard bytes.count == network.bytes.count else { return false }
        let (whole, rest) = (bits / 8, bits % 8)
        guard bytes.prefix(whole).elementsEqual(network.bytes.prefix(whole)) else { return false }
        return rest == 0 || (bytes[whole] ^ network.bytes[whole]) >> (8 - rest) == 0
    }

    /// One to four numbers, also octal (`010`) and hexadecimal ones (`0x8`), of which the last has all the bytes that are left, as resolvers
    /// take them.
    private static func version4(_ text: String) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { part -> UInt64? in
            let (digits, radix): (Substring, Int) =
                part.hasPrefix("0x") ? (part.dropFirst(2), 16) : part.hasPrefix("0") && part.count > 1 ? (part.dropFirst(), 8) : (part, 10)
            return digits.utf8.allSatisfy { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "+") } ? UInt64(digits, radix: radix) : nil
        }
        let numbers = parts.compactMap(\.self)
        guard 1...4 ~= parts.count, numbers.count == parts.count, let last = numbers.last, last < 1 << (8 * (5 - UInt64(numbers.count))),
            numbers.dropLast().allSatisfy({ $0 < 256 })
        else { return nil }
        let tail = (0..<(5 - numbers.count)).reversed().map { UInt8(truncatingIfNeeded: last >> (8 * UInt64($0))) }
        return numbers.dropLast().map { UInt8($0) } + tail
    }
}
