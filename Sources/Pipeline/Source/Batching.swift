/// How a source reads several keys with one call: ``Source/batching``.
///
/// ```swift
/// var batching: Batching? {
///     Batching(of: "id", most: 50) { keys, context in
///         let list = try await self.users(keys.map { $0["id"] ?? "" })
///         return try BatchAnswer(list, id: JSONPointer(parsing: "/id"), of: "id", for: keys, as: Entry([], created: self.clock.now))
///     }
/// }
/// ```
///
/// A fetch of several keys (``DataPipeline/fetch(many:policy:priority:timeout:)``) then makes few calls: values that a cache has, or that are
/// loaded already, are not requested again. `retry` and `circuit_breaker` of the tier see one call. A key alone is read by ``Source/read(_:_:)``.
public struct Batching: Sendable {
    /// The parameter whose values are the ids. Keys share a call only where they are of one pipeline and all other parameters are equal. Nil where
    /// any keys of a pipeline can share one, as in a cache.
    package let parameter: String?
    /// The most keys of one call, at least 2: one is never more than a read.
    package let most: Int
    /// How long a key waits for others that are asked for independently; zero for only those that are asked for together.
    package let window: Duration
    /// Reads them.
    package let read: @Sendable (_ keys: [Key], _ context: ReadContext) async throws -> BatchAnswer

    /// Keys that differ in `parameter` are read by one call of `read`.
    ///
    /// - Parameters:
    ///   - parameter: the parameter whose values are the ids. Keys share a call only where they are of one pipeline and all other parameters are
    ///     equal. Nil where any keys of a pipeline can share one, as in a cache.
    ///   - most: the most keys of one call, at least 2.
    ///   - window: how long a key waits for others that are asked for independently; zero for only those that are asked for together.
    ///   - read: reads the values of several keys, at least two, each once. What it throws fails all of them. The task is cancelled when none of
    ///     them is needed any more; throw `CancellationError` then.
    public init(
        of parameter: String?, most: Int, window: Duration = .zero,
        read: @escaping @Sendable (_ keys: [Key], _ context: ReadContext) async throws -> BatchAnswer
    ) {
        self.parameter = parameter
        self.most = max(2, most)
        self.window = max(.zero, window)
        self.read = read
    }
}
