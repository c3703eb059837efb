private import CTaskHook
#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// Where the runtime asks what to do with a job that is bound to no executor.
enum JobHook {
    private typealias Original = @convention(thin) (UnownedJob) -> Void
    private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

    /// Under which a thread keeps its loop. The hook is set with it, once, and stays: threads without a loop pass through it.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        let slot = UnsafeMutableRawPointer(pipe_run_task_hook())?.assumingMemoryBound(to: Hook?.self)
        slot?.pointee = { job, original in
            if let loop = JobHook.current { loop.add(job) } else { original(job) }
        }
        return key
    }()

    private static var current: JobLoop? {
        pthread_getspecific(key).map { Unmanaged<JobLoop>.fromOpaque($0).takeUnretainedValue() }
    }

    /// From now on the jobs that this thread hands in go to `loop`.
    static func enter(_ loop: JobLoop) {
        pthread_setspecific(key, Unmanaged.passRetained(loop).toOpaque())
    }

    /// Ends what ``enter(_:)`` began.
    static func leave() {
        if let loop = pthread_getspecific(key) { Unmanaged<JobLoop>.fromOpaque(loop).release() }
        pthread_setspecific(key, nil)
    }
}
