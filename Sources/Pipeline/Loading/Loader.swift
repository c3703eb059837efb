/// A way to load: a source with its policy, or a composition of these.
///
/// Loaders are values over two closures; each stage (`fallback`, `storing`, `coalescing`, …) wraps a loader and returns a new one.
package struct Loader: Sendable {
    /// Loads. Throws `CancellationError` and nothing else: failures are part of the reply. Goes on from what ``Begin`` left in the request.
    package typealias Load = @Sendable (LoadRequest) async throws -> LoadReply
    /// Loads as far as that needs no waiting. Nil when there is more to do: ``Load`` does the rest, and what was found is in the request.
    package typealias Begin = @Sendable (inout LoadRequest) -> LoadReply?

    /// The source, or the first one of a composition, for messages.
    package let name: String
    let load: Load
    let begin: Begin?

    /// A loader that calls `load`, after `begin` had no reply.
    package init(_ name: String, begin: Begin? = nil, load: @escaping Load) {
        self.name = name
        self.begin = begin
        self.load = load
    }

    /// Loads what `request` asks for. Throws `CancellationError` when the task is cancelled, and nothing else.
    package func callAsFunction(_ request: LoadRequest) async throws -> LoadReply {
        var request = request
        if let reply = begin?(&request) { return reply }
        return try await load(request)
    }

    /// A stage that changes the reply, and nothing else.
    func changing(_ change: @escaping @Sendable (inout LoadReply, LoadRequest) -> Void) -> Loader {
        let begin = begin.map { begin -> Begin in
            { request in
                guard var reply = begin(&request) else { return nil }
                change(&reply, request)
                return reply
            }
        }
        return Loader(name, begin: begin) { request in
            var reply = try await load(request)
            change(&reply, request)
            return reply
        }
    }

    /// The beginning of a stage that passes answers on as they are: everything else is left to its ``load``.
    var beginningOfAnswers: Begin? {
        guard let begin else { return nil }
        return { request in
            let reply = begin(&request)
            return reply?.isAnswer == true ? reply : nil
        }
    }
}
