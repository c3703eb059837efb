import Pipeline
import Synchronization

/// An executor whose jobs wait until the test has them run: an actor that is busy.
final class HeldExecutor: SerialExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    /// How many jobs wait.
    var count: Int { jobs.withLock(\.count) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// Runs what waits, on this thread.
    func run() {
        let waiting = jobs.withLock { jobs in
            defer { jobs = [] }
            return jobs
        }
        for job in waiting { job.runSynchronously(on: asUnownedSerialExecutor()) }
    }
}
