internal import Dispatch

/// Runs what may wait for a disk on threads of its own, so that a slow one does not hold up the tasks of the process.
final class DiskExecutor: TaskExecutor {
    /// One for the process: a disk does not get faster by more threads that wait for it.
    static let shared = DiskExecutor()

    private let queue = DispatchQueue(label: "pipe-run.files", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        queue.async { job.runSynchronously(on: executor) }
    }

    /// Does `work` on one of those threads.
    func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withTaskExecutorPreference(self) { try await Self.perform(work) }
    }

    /// Leaves the caller's actor; a function that stayed on it would not go where the preference points.
    @concurrent
    private static func perform<Result: Sendable>(_ work: @Sendable () throws -> Result) async throws -> Result {
        try work()
    }
}
