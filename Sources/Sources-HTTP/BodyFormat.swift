import Pipeline
internal import PipelineConfig

/// The language of a request's body: how a parameter's value is written in it.
enum BodyFormat: Sendable, Equatable {
    case json
    case xml
    case form
    case plain

    /// The format that `contentType` names; without one, a body that begins as JSON does is JSON.
    init(contentType: String?, of body: TextTemplate) {
        guard let contentType else {
            let first = body.prefix.utf8.first { !" \t\r\n".utf8.contains($0) }
            self = first == UInt8(ascii: "{") || first == UInt8(ascii: "[") ? .json : .plain
            return
        }
        let type = contentType.lowercased().split(separator: ";").first.map { $0.filter { $0 != " " && $0 != "\t" } } ?? ""
        switch type {
        case "application/x-www-form-urlencoded": self = .form
        case _ where type.hasSuffix("/json") || type.hasSuffix("+json"): self = .json
        case _ where type.hasSuffix("/xml") || type.hasSuffix("+xml"): self = .xml
        default: self = .plain
        }
    }

    /// The body for `key`; a value cannot leave its place.
    func fill(_ body: TextTemplate, for key: Key) -> [UInt8] {
        switch self {
        case .json: JSONBody.fill(body, for: key)
        case .xml: Array(body.filled(for: key, encoding: XMLText.escaped).utf8)
        case .form: Array(body.filled(for: key, encoding: PercentEncoding.url.encoded).utf8)
        case .plain: Array(body.filled(for: key).utf8)
        }
    }
}
