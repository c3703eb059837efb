import Dispatch
import Synchronization

/// Runs the tasks that prefer it, and counts how often one of them had to be put in its queue: at its start, and after each switch.
final class CountingExecutor: TaskExecutor {
    private let jobs = Atomic(0)

    var count: Int { jobs.load(ordering: .relaxed) }

    func enqueue(_ job: consuming ExecutorJob) {
        jobs.add(1, ordering: .relaxed)
        let job = UnownedJob(job)
        DispatchQueue.global().async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
