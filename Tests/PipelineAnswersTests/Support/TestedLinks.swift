import PipelineAnswers

extension AnswerURL {
    static let tested = AnswerURL(isSecure: true, host: "api.example.org", port: 443, target: "/v1/orders")

    /// A URL of the form `https://host:port/path`.
    init(reading text: String) throws(LinkRule.Problem) {
        guard let colon = text.firstIndex(of: ":") else { throw LinkRule.Problem("it is not a whole URL") }
        let scheme = text[..<colon].lowercased()
        guard scheme == "http" || scheme == "https" else { throw LinkRule.Problem("`\(scheme)` is neither http nor https") }
        let rest = text[colon...].dropFirst()
        guard rest.hasPrefix("//") else { throw LinkRule.Problem("it has no host") }
        try self.init(isSecure: scheme == "https", rest.dropFirst(2))
    }

    fileprivate init(isSecure: Bool, _ text: Substring) throws(LinkRule.Problem) {
        let end = text.firstIndex { "/?".contains($0) } ?? text.endIndex
        let place = text[..<end].split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        let parts = place.split(separator: ":", omittingEmptySubsequences: false)
        guard let host = parts.first, !host.isEmpty, let port = parts.count > 1 ? Int(parts[1]) : isSecure ? 443 : 80 else {
            throw LinkRule.Problem("it has no host")
        }
        let target = text[end...]
        self.init(
            isSecure: isSecure, host: host.lowercased(), port: port, target: target.hasPrefix("/") ? String(target) : "/" + target)
    }
}

extension LinkRule {
    /// The rule of a source with the URL `url`, with as much of the rules of URLs as the tests need.
    static func tested(_ url: AnswerURL = .tested, hosts: [String] = []) -> LinkRule {
        LinkRule(url: url, hosts: hosts.compactMap { LinkedHost($0) }) { (text, page) throws(Problem) in
            let link = String(text.prefix { $0 != "#" })
            let colon = link.firstIndex(of: ":")
            let slash = link.firstIndex { "/?".contains($0) }
            if let colon, slash.map({ colon < $0 }) ?? true { return try AnswerURL(reading: link) }
            if link.hasPrefix("//") { return try AnswerURL(isSecure: page.isSecure, link.dropFirst(2)) }
            var result = page
            let path = page.target.prefix { $0 != "?" }
            if link.hasPrefix("/") {
                result.target = link
            } else if link.hasPrefix("?") {
                result.target = path + link
            } else {
                result.target = path[...(path.lastIndex(of: "/") ?? path.startIndex)] + link
            }
            return result
        }
    }
}
