package import Pipeline

/// A URL in the parts that decide where a request goes. Whoever sends the requests makes it, with the rules of URLs.
package struct AnswerURL: Sendable, Hashable {
    /// Indicates whether it is of `https`, and not of `http`.
    package var isSecure: Bool
    /// A name or an address, lower case; an IPv6 address in brackets.
    package var host: String
    package var port: Int
    /// Path and query, percent-encoded; begins with `/`.
    package var target: String

    package init(isSecure: Bool, host: String, port: Int, target: String) {
        (self.isSecure, self.host, self.port, self.target) = (isSecure, host, port, target)
    }

    /// The URL to ask.
    package var text: String { origin + target }

    /// Scheme, host and port.
    package var origin: String { "\(isSecure ? "https" : "http")://\(place)" }

    /// The host, with the port where the scheme has another one.
    var place: String { port == (isSecure ? 443 : 80) ? host : "\(host):\(port)" }

    fileprivate func hasOrigin(of other: AnswerURL) -> Bool {
        isSecure == other.isSecure && port == other.port && host.hasSameBytes(as: other.host)
    }
}

/// A host that links may lead to besides that of the source: `HOST`, which is its port 443, or `HOST:PORT`.
package struct LinkedHost: Sendable, Hashable {
    package let host: String
    package let port: Int

    /// The host that `text` names; nil for a text of another form.
    package init?(_ text: String) {
        let (host, rest) = Self.parts(text.lowercased()[...])
        let isHost: (Character) -> Bool = { $0.isASCII && !$0.isWhitespace && !"/?#@\\{}".contains($0) }
        guard !host.isEmpty, host.allSatisfy(isHost) else { return nil }
        self.host = String(host)
        guard let digits = rest else {
            port = 443
            return
        }
        guard !digits.isEmpty, digits.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }), let port = UInt16(digits), port > 0
        else { return nil }
        self.port = Int(port)
    }

    /// The host and what stands behind the colon after it.
    private static func parts(_ text: Substring) -> (host: Substring, port: Substring?) {
        guard text.first == "[" else {
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return (parts[0], parts.count > 1 ? parts[1] : nil)
        }
        guard let end = text.firstIndex(of: "]") else { return ("", nil) }
        let rest = text[text.index(after: end)...]
        return rest.isEmpty ? (text, nil) : rest.first == ":" ? (text[...end], rest.dropFirst()) : ("", nil)
    }
}

/// The rule for where links in answers may lead: to the origin of the source's own URL, or to a host that is named besides.
package struct LinkRule: Sendable {
    /// The reason why a text cannot be resolved, as the end of a sentence: `it has no host`.
    package struct Problem: Error {
        package let words: String

        package init(_ words: String) { self.words = words }
    }

    /// A URL that may be asked.
    package struct Link: Sendable, Hashable {
        package let url: AnswerURL
        /// Indicates whether it is of a host that is named besides: the fields, the signature and the certificate of the source stay away.
        package let isForeign: Bool
    }

    /// The rule by which a link on a page becomes a URL (RFC 3986, section 5.2), without its user, password and fragment.
    package typealias Resolve = @Sendable (_ link: String, _ page: AnswerURL) throws(Problem) -> AnswerURL

    /// The most bytes of a URL.
    package static let mostBytes = 8_192

    /// The source's own URL, for this load.
    package let url: AnswerURL
    private let hosts: [LinkedHost]
    private let resolve: Resolve

    package init(url: AnswerURL, hosts: [LinkedHost] = [], resolve: @escaping Resolve) {
        (self.url, self.hosts, self.resolve) = (url, hosts, resolve)
    }

    /// The URL that `text` stands for in an answer from `page`; the answer may have come by way of redirects.
    ///
    /// Where the source is asked by https, so is a link to its host by http. Throws for a link that leads elsewhere, and for a text that is
    /// no URL, has a control character, or is too long.
    ///
    /// - Parameter noun: what the link leads to, in a sentence: `the next page`.
    package func link(_ text: String, on page: AnswerURL, to noun: String) throws(SourceError) -> Link {
        if text.utf8.count > Self.mostBytes { throw tooLong(text.utf8.count, noun) }
        if text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) { throw .unusable("the URL of \(noun) has a control character") }
        var link: AnswerURL
        do throws(Problem) {
            link = try resolve(text, page)
        } catch {
            throw .unusable("the URL of \(noun) cannot be asked: \(error.words)")
        }
        // Escapes make it longer.
        if link.text.utf8.count > Self.mostBytes { throw tooLong(link.text.utf8.count, noun) }
        if url.isSecure, !link.isSecure, link.port == 80 || link.port == url.port, link.host.hasSameBytes(as: url.host) {
            (link.isSecure, link.port) = (true, url.port)
        }
        if link.hasOrigin(of: url) { return Link(url: link, isForeign: false) }
        let isNamed = hosts.contains { $0.port == link.port && $0.host.hasSameBytes(as: link.host) }
        // Nothing is asked in the open for a source that is not.
        guard isNamed, link.isSecure || !url.isSecure else {
            let place = link.place.hasSameBytes(as: url.place) ? link.origin : link.place
            throw .unusable("\(noun) is at another host: \(place.shortened(to: 200))")
        }
        return Link(url: link, isForeign: true)
    }

    private func tooLong(_ count: Int, _ noun: String) -> SourceError {
        .unusable("the URL of \(noun) has \(count) bytes, and no more than \(Self.mostBytes) are allowed")
    }
}
