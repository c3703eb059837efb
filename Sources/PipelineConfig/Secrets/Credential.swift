/// The rules for which names belong to credentials: values that must not stand in a file or show in a message.
package enum Credential {
    private static let names: Set<String> = ["authorization", "proxy-authorization", "cookie", "x-api-key"]
    private static let words: Set<String> = ["token", "secret", "password", "passwd", "apikey"]

    /// Indicates whether a value called `name` is a credential: `Authorization`, `X-Auth-Token`, `api_key`.
    package static func isName(_ name: String) -> Bool {
        guard name.utf8.count <= 200 else { return false }
        let name = name.lowercased()
        if names.contains(name) { return true }
        let parts = parts(of: name)
        return parts.contains { words.contains($0) } || zip(parts, parts.dropFirst()).contains { $0 == "api" && $1 == "key" }
    }

    /// Whether `value`, which a request has as its parameter `name`, is a credential: of `access_token`, not of `page_token` or `token_type`.
    ///
    /// What is often called `key` or `sig` is one when it looks like one.
    static func isParameter(_ name: String, value: some StringProtocol) -> Bool {
        guard name.utf8.count <= 200 else { return false }
        let parts = parts(of: name.lowercased())
        guard let last = parts.last, !aspects.contains(last), positions.isDisjoint(with: parts) else { return false }
        if isName(name) || parts.contains(where: { part in endingsOfParameters.contains { part.hasSuffix($0) } }) { return true }
        return oftenHarmless.contains(last) && value.utf8.count >= 16 && value.contains(where: \.isNumber)
            && value.contains(where: \.isLetter)
            && !value.contains { " /:".contains($0) }
    }

    private static let endingsOfParameters: Set<String> = [
        "accesstoken", "authtoken", "apikey", "accesskey", "privatekey", "password", "secret",
    ]
    private static let oftenHarmless: Set<String> = ["key", "sig", "signature", "auth", "appid"]
    /// Such a token says where a list goes on.
    private static let positions: Set<String> = ["page", "next", "continuation", "sync", "cursor"]

    /// Whether the value of a reference is a credential: `name` is that of a variable, or `file:` and the path of a file.
    ///
    /// Rather too often than too seldom: such a value is masked, which does no harm, while a literal would be reported.
    static func isOrigin(_ name: String) -> Bool {
        guard name.hasPrefix("file:") else { return isVariable(name) }
        return name.dropFirst(5).split(separator: "/").contains { $0 == "secrets" || isVariable(String($0)) }
    }

    /// Indicates whether a value that stands beside `name` in a file must be masked where the file is shown: `token`, `X-Api-Key`,
    /// `DB_PASS`; not `key`, `token_ttl` or `next_token`.
    package static func isBeside(_ name: String) -> Bool {
        guard name.utf8.count <= 200 else { return false }
        let parts = parts(of: name.lowercased())
        guard let last = parts.last, !aspects.contains(last), positions.isDisjoint(with: parts) else { return false }
        return isName(name) || (isVariable(name) && parts != ["key"])
    }

    /// The variable that could hold the value of `name`: `X_API_KEY`.
    static func variable(for name: String) -> String {
        let spelt = String(name.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
        return spelt.utf8.count <= 40 && Identifier.isValid(spelt) ? spelt : "TOKEN"
    }
}

extension Credential {
    /// A part of a name that ends like this: `GITHUB_TOKEN_2`, `PGPASSWORD`, `apiKey`.
    private static let endings = words + ["passphrase", "accesskey", "privatekey", "jwt", "bearer", "authorization", "cookie"]
    /// The last part of a name, as in `DB_PASS`.
    private static let lastWords: Set<String> = ["pass", "pwd", "key", "credentials"]
    /// Such a `key` opens nothing: `SORT_KEY`.
    private static let harmlessKeys: Set<String> = [
        "cache", "foreign", "group", "idempotency", "index", "map", "partition", "primary", "public", "row", "sort", "surrogate",
    ]
    /// What is known about a credential and is none: `TOKEN_URL`, `PASSWORD_FILE`, `SECRET_TTL`.
    private static let aspects: Set<String> = [
        "algorithm", "audience", "count", "dir", "enabled", "endpoint", "expiry", "file", "header", "host", "issuer", "length", "lifetime",
        "limit", "name", "path", "port", "scope", "size", "timeout", "ttl", "type", "uri", "url", "user", "username", "version",
    ]

    private static func isVariable(_ name: String) -> Bool {
        guard name.utf8.count <= 200 else { return false }
        let parts = parts(of: name.lowercased())
        // `PWD` alone is a folder.
        guard let last = parts.last, !aspects.contains(last), parts != ["pwd"] else { return false }
        if parts.contains(where: { part in endings.contains { part.hasSuffix($0) } }) { return true }
        return lastWords.contains(last) && !(last == "key" && parts.dropLast().last.map(harmlessKeys.contains) ?? false)
    }

    private static func parts(of name: String) -> [String] {
        name.split { "-_. ".contains($0) }.map(String.init)
    }
}
