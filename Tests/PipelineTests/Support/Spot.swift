import PipelineConfig
import PipelineTesting
import Synchronization
import Testing

@testable import Pipeline

/// A ``Scene`` with another cache, `spot`, that is read on the calling thread as files are, or otherwise.
struct Spot: Sendable {
    /// What happens in the middle of the next read, once: what it reads itself is a read like others.
    private final class Interruption: Sendable {
        private let action = Mutex<(@Sendable () -> Void)?>(nil)

        func set(_ action: @escaping @Sendable () -> Void) { self.action.withLock { $0 = action } }

        func happen() {
            let action = action.withLock { action in
                defer { action = nil }
                return action
            }
            action?()
        }
    }

    let scene: Scene
    let spot: StubSource
    private let interruption = Interruption()

    init(_ pipeline: String, observers: [PipelineEvent.Observer] = [], reading: StubReading = .onThread) throws {
        let made = Mutex<StubSource?>(nil)
        let plugin = SourcePlugin("stub_spot", summary: "", capabilities: [.writes, .keepsMetadata, .keepsNotFound]) {
            [interruption] context in
            let stub = StubSource("spot", clock: context.clock)
            made.withLock { $0 = stub }
            return reading.source(stub) { interruption.happen() }
        }
        scene = try Scene(pipeline, extra: [plugin], sources: "spot: { type: stub_spot }", observers: observers)
        spot = try #require(made.withLock { $0 })
    }

    /// Has `action` done in the middle of the next read, on the thread of who reads.
    func interrupt(_ action: @escaping @Sendable () -> Void) { interruption.set(action) }

    /// A fetch that begins on the thread of who calls this, and is on its way when this returns.
    func fetch(_ policy: FetchPolicy = .default, timeout: Duration? = nil) -> Task<Outcome, any Error> {
        Task.immediate { try await scene.friends.fetch(scene.key, policy: policy, timeout: timeout) }
    }
}
