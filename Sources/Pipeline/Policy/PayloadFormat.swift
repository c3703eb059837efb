/// What a pipeline's payloads are. A payload that is not is `invalid`, and never written back.
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
