internal import Pipeline
public import PipelineConfig

/// The URL of a server: `redis://user:password@host:6379/0`, or `rediss://…` for one behind TLS.
public struct RedisURL: Sendable, Hashable {
    /// The reason why a text is no such URL, as the end of a sentence.
    struct Problem: Error {
        let words: String
    }

    /// `redis`, `rediss`, or another that the field refuses.
    let scheme: String
    /// A name or an address, lower case; an IPv6 address in brackets.
    let host: String
    let port: Int
    let database: Int
    let user: String?
    let password: String?

    /// Indicates whether the server is behind TLS.
    var isSecure: Bool { scheme == "rediss" }
    /// Host and port, for messages.
    var authority: String { "\(host):\(port)" }
    /// The host as a resolver takes it, without the brackets of an IPv6 address.
    var hostToResolve: String { host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host }

    /// The URL that `text` is; nil if it is none of a server. User and password in it may be percent-encoded.
    public init?(_ text: String) {
        guard let slashes = text.firstRange(of: "://") else { return nil }
        let rest = text[slashes.upperBound...]
        let at = rest.prefix { $0 != "/" }.lastIndex(of: "@")
        let address = at.map { rest[rest.index(after: $0)...] } ?? rest
        let scheme = text[..<slashes.lowerBound].lowercased()
        guard ["redis", "rediss"].contains(scheme) else { return nil }
        do {
            try self.init(scheme: scheme, credentials: at.map { rest[..<$0] } ?? "", address: address)
        } catch {
            return nil
        }
    }

    init(_ template: URLTemplate) throws(Problem) {
        guard template.isConstant else { throw Problem(words: "one server holds every key, there is no place for a parameter") }
        let address = template.filled(for: Key(pipeline: "")).dropFirst(template.scheme.count + 3)
        try self.init(scheme: template.scheme, credentials: Substring(template.credentials ?? ""), address: address)
    }

    private init(scheme: String, credentials: Substring, address: Substring) throws(Problem) {
        guard !address.contains(where: { "?#".contains($0) }) else {
            throw Problem(words: "nothing may follow the number of the database")
        }
        self.scheme = scheme
        (host, port) = try Self.hostAndPort(of: address.prefix { $0 != "/" })
        database = try Self.database(of: address.drop { $0 != "/" }.dropFirst())
        let parts = credentials.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        user = Self.decoded(parts.first)
        password = Self.decoded(parts.count > 1 ? parts[1] : nil)
        guard user == nil || password != nil else { throw Problem(words: "a password stands after a colon: `redis://:PASSWORD@host`") }
    }

    private static func hostAndPort(of text: Substring) throws(Problem) -> (String, Int) {
        let afterAddress = text.lastIndex(of: "]") ?? text.startIndex
        let colon = text[afterAddress...].firstIndex(of: ":") ?? text.endIndex
        let host = text[..<colon].lowercased()
        guard isHost(host) else { throw Problem(words: "that is not the name of a host") }
        let digits = text[colon...].dropFirst()
        // A number may have a sign for Swift.
        guard let port = digits.isEmpty ? 6_379 : digits.first == "+" ? nil : UInt16(digits), port > 0 else {
            throw Problem(words: "that is not a port")
        }
        return (host, Int(port))
    }

    private static func isHost(_ host: String) -> Bool {
        if host.hasPrefix("["), host.hasSuffix("]") {
            return host.utf8.count > 2 && host.utf8.dropFirst().dropLast().allSatisfy { "0123456789abcdef:.".utf8.contains($0) }
        }
        return !host.isEmpty && host.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789-._".utf8.contains($0) }
    }

    private static func database(of text: Substring) throws(Problem) -> Int {
        if text.isEmpty { return 0 }
        guard text.utf8.count < 10, text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }), let number = Int(text) else {
            throw Problem(words: "the number of a database stands after the host: `redis://host/2`")
        }
        return number
    }

    /// A part of the credentials without its escapes; nil if it is empty.
    private static func decoded(_ text: Substring?) -> String? {
        guard let text, !text.isEmpty else { return nil }
        return PercentEncoding.leniently(decoded: text.utf8)
    }
}

extension RedisURL: FieldValue {
    /// A URL.
    public static var fieldType: FieldType { .url }

    /// A URL without parameters; user and password in it are kept out of every message.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> RedisURL? {
        guard let template = URLTemplate.decode(node, with: decoder, example: "redis://host:6379") else { return nil }
        do {
            let url = try RedisURL(template)
            for secret in [url.user, url.password] { secret.map(decoder.keepSecret) }
            return url
        } catch {
            decoder.report(.malformed, "malformed URL for `\(decoder.fieldName)`: \(error.words)", at: node)
            return nil
        }
    }

    /// The place alone, so that two URLs of one database are written alike.
    public var written: String? { "\(scheme)://\(authority)/\(database)" }

    /// A URL that can be read, as ECMA-262 has patterns. A variable may stand for any part of it.
    static let pattern =
        #"^[Rr][Ee][Dd][Ii][Ss][Ss]?://(([^/?#{:]*:[^/?#{]+|:)?@)?(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:[0-9]*)?(/[0-9]{0,9})?$"#
}
