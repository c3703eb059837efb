internal import PipelineJSON

/// The format of a pipeline's payloads. A payload of another format is `invalid`, and never written back.
///
/// New cases may come: switch with a `default`.
public enum PayloadFormat: String, Sendable, CaseIterable {
    /// One JSON value (RFC 8259).
    case json
    /// UTF-8 text.
    case text
    /// Any bytes.
    case bytes
}

extension PayloadFormat {
    /// The reason why `payload` is not of this format; nil if it is.
    ///
    /// - Parameter empty: the reason for an empty one.
    package func problem(of payload: [UInt8], empty: String = "empty") -> String? {
        switch self {
        case .json where payload.isEmpty: "\(empty): expected JSON"
        case .json where payload.starts(with: [0xEF, 0xBB, 0xBF]): "begins with a byte order mark: expected JSON without one"
        case .json where payload.first == UInt8(ascii: "<"): "begins with `<`, as a web page does: expected JSON"
        case .json: JSONScanner.problem(of: payload).map { "not JSON: \($0.description)" }
        case .text: payload.withUnsafeBufferPointer { UTF8Scanner.firstInvalid(in: $0) }.map { "not UTF-8: byte \($0)" }
        case .bytes: nil
        }
    }
}
