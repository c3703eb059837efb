/// A way to load: a source with its policy, or a composition of these.
///
/// Loaders are values over one closure; each stage (`fallback`, `storing`, `coalescing`, …) wraps a loader and gives a new one.
public struct Loader: Sendable {
    /// Loads. Throws `CancellationError` and nothing else: failures are part of the reply.
    public typealias Load = @Sendable (LoadRequest) async throws -> LoadReply
    /// Answers without waiting, or gives nil when that is not possible; then ``Load`` is called.
    public typealias Immediate = @Sendable (LoadRequest) -> LoadReply?

    /// The source, or the first one of a composition, for messages.
    public let name: String
    let load: Load
    let immediate: Immediate?

    /// A loader that calls `load`, after `immediate` had nothing to say.
    public init(_ name: String, immediate: Immediate? = nil, load: @escaping Load) {
        self.name = name
        self.immediate = immediate
        self.load = load
    }

    /// Loads what `request` asks for. Throws `CancellationError` when the task is cancelled, and nothing else.
    public func callAsFunction(_ request: LoadRequest) async throws -> LoadReply {
        if let reply = immediate?(request) { return reply }
        return try await load(request)
    }
}
