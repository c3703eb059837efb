package import Pipeline
import PipelineLive
private import Synchronization

/// The pipelines that requests are answered with. Others can take their place at any moment: a request asks those that were there when it came.
package final class ServedPipelines: Sendable {
    private struct State {
        let pipelines: Pipelines
        let sends: ServedSends
        /// A random text for the life of each pipeline.
        let epochs: [String: String]
        /// Keeps the feeds of pipelines without parameters running.
        let fed: [any Sendable]

        init(_ pipelines: Pipelines, _ sends: ServedSends, after former: State? = nil) {
            (self.pipelines, self.sends) = (pipelines, sends)
            fed = pipelines.all.compactMap { pipeline in
                pipeline.spec.parameters.isEmpty ? (try? pipeline.key()).flatMap { pipeline.keepFed($0) } : nil
            }
            epochs = pipelines.all.reduce(into: [:]) { epochs, pipeline in
                let name = pipeline.spec.name
                let isSame = (try? former?.pipelines.pipeline(named: name)) === pipeline
                epochs[name] = (isSame ? former?.epochs[name] : nil) ?? String(UInt64.random(in: .min ... .max), radix: 36)
            }
        }
    }

    private let state: Mutex<State>
    private let followers = Mutex<[@Sendable (Set<String>?) -> Void]>([])

    /// - Parameter sends: those that clients may ask for.
    package init(_ pipelines: Pipelines, sends: ServedSends = .none) {
        state = Mutex(State(pipelines, sends))
    }

    /// The pipelines as they are now.
    package var current: Pipelines { state.withLock { $0.pipelines } }

    /// The pipelines as they are now, and the sends that clients may ask for.
    var taking: (pipelines: Pipelines, sends: ServedSends) { state.withLock { ($0.pipelines, $0.sends) } }

    /// The pipeline called `name`, and the epoch of its revisions.
    func pipeline(named name: String) throws -> (DataPipeline, epoch: String) {
        let state = state.withLock { $0 }
        return (try state.pipelines.pipeline(named: name), state.epochs[name] ?? "")
    }

    /// Calls `body` with the names of the pipelines whenever others have taken over, and with nil before, while there may be both.
    package func follow(_ body: @escaping @Sendable (Set<String>?) -> Void) { followers.withLock { $0.append(body) } }

    /// Answers the requests that come from now on with `pipelines`.
    ///
    /// - Parameter sends: those that clients may ask for from now on.
    package func replace(by pipelines: Pipelines, sends: ServedSends = .none) {
        let followers = followers.withLock { $0 }
        for follower in followers { follower(nil) }
        defer { for follower in followers { follower(Set(pipelines.all.map(\.spec.name))) } }
        let next = State(pipelines, sends, after: state.withLock { $0 })
        // Those before end outside of the lock.
        let former = state.withLock { state in
            defer { state = next }
            return state
        }
        withExtendedLifetime(former) {}
    }
}
