/// The parts of a request target that is a whole URL, as a client sends to a proxy: `http://localhost/friends?user=42` (RFC 9112, section 3.2.2).
struct AbsoluteTarget {
    /// The host, and the port where one is given.
    let authority: String
    /// Path and query, as a client that knows of no proxy writes them.
    let target: String

    /// Nil for a target of another form.
    init?(_ text: String) {
        // Most begin with the path.
        guard text.utf8.first != UInt8(ascii: "/") else { return nil }
        let begin = text.prefix("https://".count).lowercased()
        guard let scheme = ["http://", "https://"].first(where: begin.hasPrefix) else { return nil }
        let rest = text.dropFirst(scheme.count)
        let authority = rest.prefix { !"/?#".contains($0) }
        let path = rest[authority.endIndex...]
        self.authority = String(authority)
        target = path.hasPrefix("/") ? String(path) : "/" + path
    }
}
