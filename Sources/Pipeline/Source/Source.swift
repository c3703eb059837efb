/// A configured place to load from.
public protocol Source: SourceFacets {
    /// The entry stored for `key`, or nil when this source has none. Throws only when it could not answer.
    ///
    /// An origin that is sure that there is no value returns ``Entry/notFound(created:)``: that is an answer and stops the
    /// fetch, while nil lets the next tier be asked. The caller may be cancelled; throw `CancellationError` then.
    func read(_ key: Key) async throws -> Entry?
}
