/// A way to load: a source with its policy, or a composition of these.
///
/// Loaders are values over one closure; each stage (`fallback`, `storing`, `coalescing`, …) wraps a loader and returns a new one.
package struct Loader: Sendable {
    /// Loads. Throws `CancellationError` and nothing else: failures are part of the reply.
    package typealias Load = @Sendable (LoadRequest) async throws -> LoadReply

    /// The source, or the first one of a composition, for messages.
    package let name: String
    let load: Load

    /// A loader that calls `load`.
    package init(_ name: String, load: @escaping Load) {
        self.name = name
        self.load = load
    }

    /// Loads what `request` asks for. Throws `CancellationError` when the task is cancelled, and nothing else.
    package func callAsFunction(_ request: LoadRequest) async throws -> LoadReply { try await load(request) }

    /// A stage that changes the reply, and nothing else.
    func changing(_ change: @escaping @Sendable (inout LoadReply, LoadRequest) -> Void) -> Loader {
        Loader(name) { request in
            var reply = try await load(request)
            change(&reply, request)
            return reply
        }
    }
}
