import NIOCore
package import PipelineConfig

/// An `http` or `https` URL in its parts, written so that no reader finds other parts in it.
///
/// A host has only the characters of host names and addresses: no escapes, which resolvers and servers read in different ways.
package struct HTTPURL: Hashable, Sendable {
    /// The reason why a text is no such URL, as the end of a sentence.
    package struct Problem: Error {
        package let words: String
    }

    package enum Scheme: String, Sendable {
        case http
        case https
    }

    package let scheme: Scheme
    /// A name or an address, lower case; an IPv6 address in brackets.
    package let host: String
    package let port: Int
    /// Percent-encoded; begins with `/`.
    package private(set) var path: String
    /// Percent-encoded, without the `?`.
    package private(set) var query: String?

    /// Reads an absolute URL. A user and password in it are left out.
    package init(_ text: String) throws(Problem) {
        let reference = URLReference(text)
        guard let scheme = reference.scheme, let authority = reference.authority else { throw Problem(words: "it is not a whole URL") }
        try self.init(scheme: scheme, authority: authority, path: reference.path, query: reference.query)
    }

    private init(
        scheme: String, authority: ArraySlice<UInt8>, path: some Sequence<UInt8>, query: ArraySlice<UInt8>?
    ) throws(Problem) {
        guard let scheme = Scheme(rawValue: scheme) else { throw Problem(words: "`\(scheme.prefix(20))` is neither http nor https") }
        self.scheme = scheme
        (host, port) = try Self.hostAndPort(of: authority, scheme: scheme)
        let path = Self.encoded(path)
        self.path = path.hasPrefix("/") ? path : "/" + path
        self.query = query.map(Self.encoded)
    }

    /// The URL that `reference`, found in an answer from this one, stands for (RFC 3986, section 5.2).
    package func resolving(_ reference: String) throws(Problem) -> HTTPURL {
        let reference = URLReference(reference)
        if let authority = reference.authority {
            return try HTTPURL(
                scheme: reference.scheme ?? scheme.rawValue, authority: authority, path: Self.withoutDots(reference.path),
                query: reference.query)
        }
        guard reference.scheme == nil else { throw Problem(words: "it has no host") }
        var copy = self
        copy.query = reference.query.map(Self.encoded)
        if reference.path.isEmpty {
            copy.query = copy.query ?? query
        } else if reference.path.first == UInt8(ascii: "/") {
            copy.path = Self.encoded(Self.withoutDots(reference.path))
        } else {
            let folder = path.utf8.prefix(through: path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex)
            copy.path = Self.encoded(Self.withoutDots((Array(folder) + reference.path)[...]))
        }
        return copy
    }

    /// This URL with `name=value` at the end of its query, both encoded already.
    package func appending(_ name: String, _ value: String) -> HTTPURL {
        var copy = self
        copy.query = (query.map { $0.isEmpty ? "" : $0 + "&" } ?? "") + name + "=" + value
        return copy
    }

    /// Host and port.
    package var authority: String { "\(host):\(port)" }

    /// The host as a resolver takes it, without the brackets of an IPv6 address.
    package var hostToResolve: String { host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host }

    /// Scheme, host, port and path, for messages: a query may hold what others should not read.
    package var place: String { "\(origin)\(path)" }

    /// The URL to ask.
    package var text: String { place + (query.map { "?" + $0 } ?? "") }

    /// Scheme, host and port, as a browser tells sites apart (RFC 6454).
    package var origin: String { "\(scheme)://\(host)\(port == Self.standardPort(of: scheme) ? "" : ":\(port)")" }
}

extension HTTPURL {
    private static func standardPort(of scheme: Scheme) -> Int {
        scheme == .http ? 80 : 443
    }

    private static func hostAndPort(of authority: ArraySlice<UInt8>, scheme: Scheme) throws(Problem) -> (String, Int) {
        let start = authority.lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 } ?? authority.startIndex
        let address = authority[start...]
        let bracket = address.lastIndex(of: UInt8(ascii: "]"))
        let colon = address[(bracket ?? start)...].firstIndex(of: UInt8(ascii: ":"))
        let host = String(decoding: address[..<(colon ?? address.endIndex)], as: UTF8.self).lowercased()
        guard isHost(host) else { throw Problem(words: host.isEmpty ? "it has no host" : "`\(host.prefix(60))` is not the name of a host") }
        guard let digits = colon.map({ address[($0 + 1)...] }), !digits.isEmpty else { return (host, standardPort(of: scheme)) }
        guard digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
            let port = UInt16(String(decoding: digits, as: UTF8.self)), port > 0
        else { throw Problem(words: "`\(String(decoding: digits.prefix(20), as: UTF8.self))` is not a port") }
        return (host, Int(port))
    }

    private static func isHost(_ host: String) -> Bool {
        if host.hasPrefix("["), host.hasSuffix("]") {
            return host.utf8.count > 2 && host.utf8.dropFirst().dropLast().allSatisfy { "0123456789abcdef:.".utf8.contains($0) }
        }
        return !host.isEmpty && host.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789-._".utf8.contains($0) }
    }

    /// The bytes as they may stand in a path or a query; an escape stays one, a `%` that begins none does not.
    private static func encoded(_ bytes: some Sequence<UInt8>) -> String {
        let bytes = Array(bytes)
        var result: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            let isKept = byte == UInt8(ascii: "%") ? isEscape(bytes[index...]) : isLegal(byte)
            if isKept {
                result.append(byte)
            } else {
                result += [UInt8(ascii: "%"), hexadecimal(byte >> 4), hexadecimal(byte & 15)]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func isEscape(_ bytes: ArraySlice<UInt8>) -> Bool {
        let digits = bytes.dropFirst().prefix(2)
        return digits.count == 2 && digits.allSatisfy { "0123456789abcdefABCDEF".utf8.contains($0) }
    }

    private static func isLegal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "-._~!$&'()*+,;=:@/?".utf8.contains(byte)
        }
    }

    private static func hexadecimal(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    /// The path without its steps `.` and `..` (RFC 3986, section 5.2.4).
    private static func withoutDots(_ path: ArraySlice<UInt8>) -> [UInt8] {
        let segments = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
        var kept: [ArraySlice<UInt8>] = []
        for (index, segment) in zip(segments.indices, segments) {
            let isStep = segment.elementsEqual(".".utf8) || segment.elementsEqual("..".utf8)
            if segment.elementsEqual("..".utf8) { _ = kept.popLast() }
            if !isStep { kept.append(segment) } else if index == segments.endIndex - 1 { kept.append([]) }
        }
        return kept.flatMap { [UInt8(ascii: "/")] + $0 }
    }
}

extension HTTPURL {
    /// Indicates whether the host is an address rather than a name that has to be looked up.
    package var hostIsAddress: Bool { (try? SocketAddress(ipAddress: hostToResolve, port: port)) != nil }

    /// The host as TLS names it; nil for an address, which has no name.
    package var serverName: String? { hostIsAddress ? nil : hostToResolve }
}

/// A URL or a part of one, split into its components (RFC 3986, appendix B), the fragment left out.
package struct URLReference {
    package let scheme: String?
    package let authority: ArraySlice<UInt8>?
    package let path: ArraySlice<UInt8>
    package let query: ArraySlice<UInt8>?

    package init(_ text: String) {
        var rest = Array(text.utf8)[...].prefix { $0 != UInt8(ascii: "#") }
        if let colon = rest.firstIndex(where: { ":/?".utf8.contains($0) }), rest[colon] == UInt8(ascii: ":"),
            Self.isScheme(rest[..<colon])
        {
            scheme = String(decoding: rest[..<colon], as: UTF8.self).lowercased()
            rest = rest[(colon + 1)...]
        } else {
            scheme = nil
        }
        if rest.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            let end = rest.firstIndex { "/?".utf8.contains($0) } ?? rest.endIndex
            authority = rest[..<end]
            rest = rest[end...]
        } else {
            authority = nil
        }
        let mark = rest.firstIndex(of: UInt8(ascii: "?"))
        path = rest[..<(mark ?? rest.endIndex)]
        query = mark.map { rest[($0 + 1)...] }
    }

    private static func isScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, isLetter(first) else { return false }
        return bytes.allSatisfy { isLetter($0) || "0123456789+-.".utf8.contains($0) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
    }
}

extension URLTemplate {
    /// Indicates whether a parameter stands in the host or the port.
    package var hostDependsOnKey: Bool {
        URLReference(description).authority?.contains(UInt8(ascii: "{")) ?? false
    }
}
