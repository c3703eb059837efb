import NIOCore

/// The bytes of an IP address, the same for all its spellings: `127.1`, `0x7f.0.0.1`, `::ffff:127.0.0.1` and `127.0.0.1`.
struct HostAddress: Sendable, Hashable {
    /// 4 or 16.
    let bytes: [UInt8]

    /// Nil where `host` is a name. An address of version 6 may stand in brackets.
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

    /// Whether its first bits are those of `network`.
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
