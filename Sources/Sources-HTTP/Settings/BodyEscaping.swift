internal import Pipeline
public import PipelineConfig

/// The way in which the values of parameters are written in a request's body, so that none becomes a part of its structure.
public enum BodyEscaping: String, FieldChoice {
    /// The escapes of JSON.
    case json
    /// The escapes of XML.
    case xml
    /// Percent-encoded.
    case form
    /// No escapes.
    case verbatim = "none"

    /// The escaping for a body of `contentType`; nil for a type whose language is unknown.
    init?(contentType: String) {
        let type = Self.essence(of: contentType)
        let parts = type.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        switch type {
        case "application/x-www-form-urlencoded": self = .form
        case "text/plain", "application/octet-stream": self = .verbatim
        case _ where Self.isJSON(parts[1]): self = .json
        case _ where ["xml", "xml-external-parsed-entity"].contains(parts[1]) || parts[1].hasSuffix("+xml"): self = .xml
        default: return nil
        }
    }

    /// A media type without its parameters, in lower case (RFC 9110, section 8.3.1).
    private static func essence(of contentType: String) -> String {
        contentType.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
    }

    /// Indicates whether `subtype` is JSON, or several JSON texts: `json`, `problem+json`, `json-seq`, `x-ndjson`, `x-amz-json-1.1`.
    private static func isJSON(_ subtype: Substring) -> Bool {
        // What stands behind a plus sign says the language (RFC 6838, section 4.2.8), whatever the rest is.
        let language = subtype.split(separator: "+", omittingEmptySubsequences: false).last ?? subtype
        let words = language.split { "-._".contains($0) }
        guard let index = words.lastIndex(where: { ["json", "ndjson", "ldjson", "jsonl", "jsonlines"].contains($0) }) else { return false }
        return words[(index + 1)...].allSatisfy { ["seq", "lines", "stream"].contains($0) || $0.allSatisfy(\.isNumber) }
    }

    /// The body for `key`.
    func fill(_ body: TextTemplate, for key: Key) -> [UInt8] {
        switch self {
        case .json: JSONBody.fill(body, for: key)
        case .xml: Array(body.filled(for: key, encoding: XMLText.escaped).utf8)
        case .form: Array(body.filled(for: key, encoding: PercentEncoding.url.encoded).utf8)
        case .verbatim: Array(body.filled(for: key).utf8)
        }
    }
}

extension BodyEscaping {
    /// The escaping for a body in a request with `headers`: what `chosen` says, else their Content-Type, else how the body begins. Nil if
    /// there is a value to write, and none of them tells.
    ///
    /// A type that a parameter could change is none that tells.
    static func of(_ body: TextTemplate, _ headers: FieldMap<SecretTemplate>, chosen: BodyEscaping?) -> BodyEscaping? {
        if let chosen { return chosen }
        if body.isConstant { return .verbatim }
        let types = headers.filter { $0.name.lowercased() == "content-type" }.map(\.value)
        guard let type = types.first else { return impliedType(of: body).flatMap { BodyEscaping(contentType: $0) } ?? Self.verbatim }
        let written = type.prefix
        return types.count == 1 && (type.isConstant || written.contains(";")) ? BodyEscaping(contentType: written) : nil
    }

    /// The Content-Type of a body that comes without one; nil if its beginning does not tell.
    static func impliedType(of body: TextTemplate) -> String? {
        switch body.prefix.utf8.first(where: { !" \t\r\n".utf8.contains($0) }) {
        case UInt8(ascii: "{"), UInt8(ascii: "["): "application/json"
        case UInt8(ascii: "<"): "application/xml"
        default: nil
        }
    }
}
