/// Which names belong to values that nobody should find in a file.
enum Credential {
    private static let names: Set<String> = ["authorization", "proxy-authorization", "cookie", "x-api-key"]
    private static let words: Set<String> = ["token", "secret", "password", "passwd", "apikey"]

    /// Whether a value called `name` is a credential: `Authorization`, `X-Auth-Token`, `api_key`.
    static func isName(_ name: String) -> Bool {
        guard name.utf8.count <= 200 else { return false }
        let name = name.lowercased()
        if names.contains(name) { return true }
        let parts = name.split { "-_. ".contains($0) }
        return parts.contains { words.contains(String($0)) } || zip(parts, parts.dropFirst()).contains { $0 == "api" && $1 == "key" }
    }

    /// The variable that could hold the value of `name`: `X_API_KEY`.
    static func variable(for name: String) -> String {
        let spelt = String(name.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
        return spelt.utf8.count <= 40 && Identifier.isValid(spelt) ? spelt : "TOKEN"
    }
}
