/// An origin that can confirm an entry it gave before, cheaper than by giving it again.
public protocol RevalidatingSource: Source {
    /// The present entry for `key`, given that `known` was its answer before.
    ///
    /// When `known` still holds, the result has its payload and a new ``Entry/created``; otherwise it is what
    /// ``Source/read(_:)`` would return.
    func revalidate(_ known: Entry, for key: Key) async throws -> Entry?
}
