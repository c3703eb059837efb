internal import Pipeline
internal import PipelineJSON

/// A payload in a line of JSON: as it is, as text in a string, or in Base64 (RFC 4648) where it is neither.
enum PayloadText {
    /// What the member is called that holds it: one name for each format, so that a reader can tell them apart.
    static func name(_ format: PayloadFormat) -> String {
        switch format {
        case .json: "value"
        case .text: "value_text"
        case .bytes: "value_base64"
        }
    }

    /// The payload on one line.
    static func json(_ payload: [UInt8], _ format: PayloadFormat) -> JSONText {
        switch format {
        case .json: .raw(JSONScanner.compacted(payload))
        case .text: .string(String(decoding: payload, as: UTF8.self))
        case .bytes: .string(Base64.encoded(payload))
        }
    }

    /// The member that holds the payload; null without one.
    static func member(_ payload: [UInt8]?, _ format: PayloadFormat) -> (String, JSONText) {
        (name(format), payload.map { json($0, format) } ?? .null)
    }
}
