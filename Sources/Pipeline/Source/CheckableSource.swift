/// A source that can tell whether it could be used now, for `validate --level connect`.
public protocol CheckableSource: Source {
    /// Looks whether the source could be used now. Creates, writes and changes nothing, here or at the other end.
    ///
    /// Throws a ``SourceError``: made with `refused` when the source was reached and said no, any other when it could not be
    /// reached. The time limit is the caller's: throw `CancellationError` when cancelled. May be called before anything else.
    func check() async throws -> Reachability
}
