public import Pipeline

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

    /// The URL for several keys, which differ in `parameter` alone, without the credentials. A comma divides its values; one in a value is
    /// encoded.
    public func filled(for keys: [Key], joining parameter: String) -> String {
        template.filled(for: keys, joining: parameter, encoding: PercentEncoding.url.encoded)
    }

    /// The names of the parameters in it.
    public var parameters: Set<String> { template.parameters }

    /// Indicates whether the template gives one URL for every key.
    public var isConstant: Bool { template.uses.isEmpty }

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

    static let example = "https://example.org/friends"

    /// Reads a URL: a variable at its start may be a whole prefix, any other is encoded for its place.
    ///
    /// - Parameter example: what is expected, for one without a scheme.
    static func parse(_ text: InterpolatedText, example: String = Self.example) throws(Problem) -> URLTemplate {
        let template = Template(text) { value, before in
            before.isEmpty ? value : PercentEncoding.url.encoded(value)
        }
        let prefix = template.prefix
        guard let separator = prefix.range(of: "://"), separator.lowerBound > prefix.startIndex else {
            throw Problem(message: "expected a URL with its scheme, as `\(example)`")
        }
        let scheme = prefix[..<separator.lowerBound].lowercased()
        guard Identifier.isValid(scheme.filter { !"+-.".contains($0) }) else {
            throw Problem(message: text.variables.isEmpty ? "`\(scheme.shortened)` is not a scheme" : "it does not begin with a scheme")
        }
        guard !template.hasParameterInCredentials(after: separator.upperBound) else {
            throw Problem(message: "a parameter cannot stand in the user and password")
        }
        let (stripped, credentials) = template.removingCredentials(after: separator.upperBound)
        let host = stripped.authority(after: prefix.distance(from: prefix.startIndex, to: separator.upperBound))
        guard hasSoundBrackets(host) else { throw Problem(message: "an IPv6 address needs brackets, as in `http://[::1]:8080`") }
        guard !host.isEmpty, !host.hasPrefix(":") else { throw Problem(message: "the URL has no host") }
        if let port = badPort(in: host) {
            // What is not in the file, or could be a part of a password, is not shown.
            let isShown = text.variables.isEmpty && !text.text.utf8.contains(UInt8(ascii: "@"))
            throw Problem(
                message: "\(isShown ? "`\(port.shortened)`" : "the text after the colon") is not a port: expected a number from 1 to 65535")
        }
        for piece in stripped.pieces {
            guard case .literal(let literal) = piece, let scalar = literal.unicodeScalars.first(where: isForbidden) else { continue }
            throw Problem(message: "a URL cannot contain \(words(for: scalar)); percent-encode it")
        }
        return URLTemplate(template: stripped, scheme: scheme, credentials: credentials)
    }

    /// The place of `user:password` in what is written, as offsets in Unicode scalars. In a text that is no URL, rather too much.
    static func credentials(in written: String) -> Range<Int>? {
        let scalars = Array(written.unicodeScalars)
        guard let colon = scalars.indices.dropLast(2).first(where: { scalars[$0...].starts(with: "://".unicodeScalars) }) else {
            return nil
        }
        let start = colon + 3
        let end = scalars[start...].firstIndex { "/?#".unicodeScalars.contains($0) } ?? scalars.endIndex
        guard let at = scalars[start..<end].lastIndex(of: "@") else {
            // With a `/`, `?` or `#` in it, a password seems to begin a port.
            guard let at = scalars[end...].lastIndex(of: "@") else { return nil }
            return badPort(in: String(String.UnicodeScalarView(scalars[start..<end]))) == nil ? nil : start..<at
        }
        return start..<at
    }

    /// What stands for a port in `host` and is none.
    private static func badPort(in host: String) -> String? {
        let afterAddress = host.lastIndex(of: "]").map { host[host.index(after: $0)...] } ?? host[...]
        guard let colon = afterAddress.lastIndex(of: ":") else { return nil }
        let port = afterAddress[afterAddress.index(after: colon)...]
        let isNumber = port.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        return port.isEmpty || port.contains("{") || (isNumber && UInt16(port).map { $0 > 0 } == true) ? nil : String(port)
    }

    /// An IPv6 address stands in brackets, and nothing else does; a colon elsewhere begins the port.
    private static func hasSoundBrackets(_ host: String) -> Bool {
        let brackets = host.filter { "[]".contains($0) }
        guard host.hasPrefix("["), let end = host.firstIndex(of: "]") else { return brackets.isEmpty && host.count { $0 == ":" } <= 1 }
        let rest = host[host.index(after: end)...]
        return brackets == "[]" && (rest.isEmpty || rest.hasPrefix(":"))
    }

    private static func words(for scalar: Unicode.Scalar) -> String {
        if scalar == " " { return "a space" }
        return scalar.isObeyedByTerminals ? "a control character" : "`\(scalar)`"
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

    /// Whether an `@` follows a parameter before the path begins.
    fileprivate func hasParameterInCredentials(after start: String.Index) -> Bool {
        guard !prefix[start...].contains(where: { "/?#@".contains($0) }) else { return false }
        for case .literal(let text) in pieces.dropFirst() {
            if let end = text.firstIndex(where: { "/?#@".contains($0) }) { return text[end] == "@" }
        }
        return false
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

/// A parameter in the query of a URL, as it is written.
struct URLParameter {
    let name: String
    let value: String
    /// The value, as offsets in Unicode scalars.
    let range: Range<Int>

    /// The parameters of `written` that are credentials, and stand there letter by letter.
    static func credentials(in written: String) -> [URLParameter] {
        guard written.hasByte(UInt8(ascii: "?")) else { return [] }
        let scalars = Array(written.unicodeScalars)
        guard let question = scalars.firstIndex(of: "?") else { return [] }
        let end = scalars[question...].firstIndex(of: "#") ?? scalars.endIndex
        return scalars[(question + 1)..<end].split(separator: "&").compactMap { part in
            guard let equals = part.firstIndex(of: "=") else { return nil }
            let value = part[(equals + 1)...]
            let parameter = URLParameter(
                name: String(String.UnicodeScalarView(part[..<equals])), value: String(String.UnicodeScalarView(value)),
                range: value.startIndex..<value.endIndex)
            let isLiteral = !parameter.value.contains { "${}".contains($0) } && ConfigSecrets.isLongEnough(parameter.value)
            return isLiteral && Credential.isParameter(parameter.name, value: parameter.value) ? parameter : nil
        }
    }
}

/// The URL that was meant by one without a scheme, or with a character that a URL cannot have.
enum MeantURL {
    private static let longest = 200

    /// `http://localhost:8080/a` for `localhost:8080/a`; nil for what does not begin with a host.
    ///
    /// - Parameter example: a URL of the field, whose scheme counts where it is neither `http` nor `https`.
    static func withScheme(_ text: String, example: String) -> String? {
        let text = text.hasPrefix("//") ? String(text.dropFirst(2)) : text
        guard text.utf8.count <= longest, !text.contains("://"), !text.contains(where: { $0.isWhitespace || $0 == "@" }) else { return nil }
        let authority = text.prefix { !"/?#".contains($0) }
        let parts = authority.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let host = parts.first, isHost(host), parts.count == 1 || UInt16(parts[1]) != nil else { return nil }
        let scheme = String(example.prefix { $0 != ":" })
        let isNear = host == "localhost" || host.allSatisfy { $0.isNumber || $0 == "." }
        return (["http", "https"].contains(scheme) ? (isNear ? "http" : "https") : scheme) + "://" + text
    }

    private static func isHost(_ host: Substring) -> Bool {
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        let isMade = labels.allSatisfy { label in
            !label.isEmpty && label.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
        }
        return isMade && (labels.count > 1 || host == "localhost")
    }

    /// The URL with what it cannot have percent-encoded, and `<user>` as `{user}` where that is a parameter.
    static func encoded(_ text: String, parameters: Set<String>) -> String? {
        guard text.utf8.count <= longest, !text.contains("@") else { return nil }
        var text = text
        for parameter in parameters.sorted().prefix(20) { text = replacing("<\(parameter)>", in: text, with: "{\(parameter)}") }
        while text.last?.isWhitespace == true { text.removeLast() }
        while text.first?.isWhitespace == true { text.removeFirst() }
        var result = ""
        for scalar in text.unicodeScalars {
            let isForbidden = scalar.value <= 32 || scalar.value >= 127 || "\"<>\\^`|".unicodeScalars.contains(scalar)
            result += isForbidden ? PercentEncoding.url.encoded(String(scalar)) : String(scalar)
        }
        return result
    }

    private static func replacing(_ part: String, in text: String, with other: String) -> String {
        guard let range = text.range(of: part) else { return text }
        return text[..<range.lowerBound] + other + text[range.upperBound...]
    }
}
