/// A template for a URL. Each value is percent-encoded, `/`, `?`, `#` and `..` too, and cannot leave its place.
public struct URLTemplate: Sendable, Hashable, CustomStringConvertible {
    let template: Template
    /// The scheme, lower case: `http`.
    public let scheme: String
    /// User name and password as written before the host (`user:password`), still percent-encoded; nil without one.
    public let credentials: String?

    init(template: Template, scheme: String, credentials: String?) {
        self.template = template
        self.scheme = scheme
        self.credentials = credentials
    }

    /// The URL for `key`, without the credentials.
    public func filled(for key: Key) -> String {
        template.filled(for: key, encoding: PercentEncoding.url.encoded)
    }

    /// The URL as written, credentials masked.
    public var description: String {
        let text = template.pieces.map {
            switch $0 {
            case .literal(let text): text
            case .parameter(let name): "{\(name)}"
            }
        }.joined()
        guard credentials != nil, let slashes = text.range(of: "://") else { return text }
        return text[..<slashes.upperBound] + "***@" + text[slashes.upperBound...]
    }
}

extension URLTemplate {
    /// Why a text is no URL.
    struct Problem: Error {
        let message: String
    }

    /// Reads a URL: a variable at its start may be a whole prefix, any other is encoded for its place.
    static func parse(_ text: InterpolatedText) throws(Problem) -> URLTemplate {
        let template = Template(text) { value, before in
            before.isEmpty ? value : PercentEncoding.url.encoded(value)
        }
        let prefix = template.prefix
        guard let separator = prefix.range(of: "://"), separator.lowerBound > prefix.startIndex else {
            throw Problem(message: "expected a URL with its scheme, as `https://example.org/friends`")
        }
        let scheme = prefix[..<separator.lowerBound].lowercased()
        guard Identifier.isValid(scheme.filter { !"+-.".contains($0) }) else {
            throw Problem(message: "`\(scheme.shortened)` is not the scheme of a URL")
        }
        let (stripped, credentials) = template.removingCredentials(after: separator.upperBound)
        let host = stripped.authority(after: prefix.distance(from: prefix.startIndex, to: separator.upperBound))
        guard !host.isEmpty, !host.hasPrefix(":") else { throw Problem(message: "the URL has no host") }
        try checkPort(of: host)
        for piece in stripped.pieces {
            guard case .literal(let literal) = piece, let scalar = literal.unicodeScalars.first(where: isForbidden) else { continue }
            throw Problem(message: "a URL cannot contain \(scalar == " " ? "a space" : "`\(String(scalar).shortened)`"); percent-encode it")
        }
        return URLTemplate(template: stripped, scheme: scheme, credentials: credentials)
    }

    private static func checkPort(of host: String) throws(Problem) {
        let afterAddress = host.lastIndex(of: "]").map { host[host.index(after: $0)...] } ?? host[...]
        guard let colon = afterAddress.lastIndex(of: ":") else { return }
        let port = afterAddress[afterAddress.index(after: colon)...]
        guard port.isEmpty || port.contains("{") || UInt16(port).map({ $0 > 0 }) == true else {
            throw Problem(message: "`\(String(port).shortened)` is not a port: expected a number from 1 to 65535")
        }
    }

    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value <= 32 || scalar.value >= 127 || "\"<>\\^`|".unicodeScalars.contains(scalar)
    }
}

extension Template {
    /// This template without the `user:password@` that stands at `start` in its first literal.
    fileprivate func removingCredentials(after start: String.Index) -> (Template, credentials: String?) {
        let prefix = self.prefix
        let authorityEnd = prefix[start...].firstIndex { "/?#".contains($0) } ?? prefix.endIndex
        guard let at = prefix[start..<authorityEnd].lastIndex(of: "@") else { return (self, nil) }
        var copy = self
        copy.replacePrefix(prefix[..<start] + prefix[prefix.index(after: at)...])
        return (copy, String(prefix[start..<at]))
    }

    /// Host and port as written, parameters in braces; `offset` counts the characters before it.
    fileprivate func authority(after offset: Int) -> String {
        let text = pieces.map {
            switch $0 {
            case .literal(let text): text
            case .parameter(let name): "{\(name)}"
            }
        }.joined()
        return String(text.dropFirst(offset).prefix { !"/?#".contains($0) })
    }
}

extension StringProtocol {
    /// The first place where `other` stands in this text.
    func range(of other: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(other) { return start..<index(start, offsetBy: other.count) }
            formIndex(after: &start)
        }
        return nil
    }
}
