/// An observation that a closure receives: see ``DataPipeline/observe(_:owner:_:)``. It goes on when the token is released.
public final class LiveToken: Sendable {
    private let task: Task<Void, Never>

    init(_ task: Task<Void, Never>) {
        self.task = task
    }

    /// Ends the observation. A call that has begun may still be running.
    public func cancel() { task.cancel() }
}
