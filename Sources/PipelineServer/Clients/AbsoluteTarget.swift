/// The parts of a request target that is a whole URL, as a client sends to a proxy: `http://localhost/friends?user=42` (RFC 9112, section 3.2.2).
struct AbsoluteTarget {
    /// The host, and the port where one is given.
    let authority: String
    /// Path and query, as a client that knows of no proxy writes them.
    let target: String

    /// Nil for a target of another form.
    init?(_ text: String) {
        guard let scheme = ["http://", "https://"].first(where: { text.lowercased().hasPrefix($0) }) else { return nil }
        let rest = text.dropFirst(scheme.count)
        let authority = rest.prefix { !"/?#".contains($0) }
        let path = rest[authority.endIndex...]
        self.authority = String(authority)
        target = path.hasPrefix("/") ? String(path) : "/" + path
    }
}
