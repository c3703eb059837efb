/// Masks what is secret in texts that people read: traces, events, reports.
public struct Redactor: Sendable {
    private let mask: (@Sendable (String) -> String)?

    /// A redactor that leaves every text as it is.
    @usableFromInline package init() {
        mask = nil
    }

    /// A redactor that shows `mask(text)` in place of each text. Texts come uncut: mask before anything is cut.
    public init(masking mask: @escaping @Sendable (String) -> String) {
        self.mask = mask
    }

    /// `text` without what is secret.
    package func redacted(_ text: String) -> String { mask?(text) ?? text }
}
