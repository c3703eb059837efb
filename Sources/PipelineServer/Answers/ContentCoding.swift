internal import NIOHTTP1

/// Whether an answer goes to a client compressed with gzip (RFC 9110, section 8.4).
enum ContentCoding {
    /// Below it, compressing saves nothing.
    private static let leastBytes = 1024

    /// Whether a body of this type and size would be compressed for a client that accepts that.
    static func applies(to type: String, count: Int) -> Bool {
        let type = type.prefix { $0 != ";" }.lowercased()
        let isText = type.hasPrefix("text/") || ["json", "xml", "javascript", "yaml", "csv"].contains { type.hasSuffix($0) }
        return count > leastBytes && isText
    }

    /// Whether a client accepts gzip, by its Accept-Encoding fields (RFC 9110, section 12.5.3).
    static func acceptsGzip(_ headers: HTTPHeaders) -> Bool {
        var accepted: Bool?
        var anything = false
        for member in headers[canonicalForm: "accept-encoding"] {
            let parts = member.split(separator: ";")
            let name = parts.first.map { String($0).trimmed.lowercased() } ?? ""
            let isWanted = !parts.dropFirst().contains { Self.isZero(String($0).trimmed.lowercased()) }
            switch name {
            case "gzip", "x-gzip": accepted = isWanted
            case "*": anything = isWanted
            default: break
            }
        }
        return accepted ?? anything
    }

    /// Whether a parameter is a weight of zero: `q=0`, `q=0.000`.
    private static func isZero(_ parameter: String) -> Bool {
        parameter.hasPrefix("q=") && Double(parameter.dropFirst(2)).map { $0 <= 0 } ?? true
    }
}

extension String {
    /// Without spaces and tabs around it.
    fileprivate var trimmed: Substring {
        let isBlank = { (byte: Character) in byte == " " || byte == "\t" }
        var text = drop(while: isBlank)
        while text.last.map(isBlank) ?? false { text.removeLast() }
        return text
    }
}
