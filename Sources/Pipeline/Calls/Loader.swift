/// A way to load: a source with its policy, or a composition of these.
///
/// Loaders are values over one closure; each stage (`fallback`, `storing`, `coalescing`, …) wraps a loader and returns a new one.
package struct Loader: Sendable {
    /// Loads. Throws `CancellationError` and nothing else: failures are part of the reply.
    ///
    /// What is asked for, what the tiers before found, and what the load may do. The trail of the reply has the attempts of this loader
    /// alone.
    package typealias Load = @Sendable (Call, Trail, Standing) async throws -> LoadReply

    /// The source, or the first one of a composition, for messages.
    package let name: String
    let load: Load

    /// A loader that calls `load`.
    package init(_ name: String, load: @escaping Load) {
        self.name = name
        self.load = load
    }

    /// Loads what `call` asks for. Throws `CancellationError` when the task is cancelled, and nothing else.
    package func callAsFunction(_ call: Call, after trail: Trail = Trail()) async throws -> LoadReply {
        try await load(call, trail, Standing())
    }

    /// A stage that changes the reply, and nothing else.
    func changing(_ change: @escaping @Sendable (inout LoadReply, Call) -> Void) -> Loader {
        Loader(name) { call, trail, standing in
            var reply = try await load(call, trail, standing)
            change(&reply, call)
            return reply
        }
    }
}
