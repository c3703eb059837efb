#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif
private import CTaskHook

/// One thread on which every task of a simulation runs, one job at a time, in an order that the simulation decides.
///
/// The tasks that the engine starts by itself are caught by the concurrency runtime's own hook, for the jobs that this thread hands
/// in; other tests of the process keep their threads. When ``drain()`` returns, all that can happen at this moment has happened:
/// nothing has to be waited for, and a seed replays a run exactly.
final class JobLoop: TaskExecutor, @unchecked Sendable {  // Only its own thread touches it.
    private var jobs: [UnownedJob] = []
    private var first = 0
    /// Picks which of so many jobs runs next; the oldest when nil.
    var choose: ((Int) -> Int)?

    func enqueue(_ job: consuming ExecutorJob) { add(UnownedJob(job)) }

    fileprivate func add(_ job: UnownedJob) { jobs.append(job) }

    /// Runs one job; false when there is none.
    func step() -> Bool {
        guard first < jobs.count else {
            jobs.removeAll(keepingCapacity: true)
            first = 0
            return false
        }
        if let choose { jobs.swapAt(first, first + choose(jobs.count - first)) }
        let job = jobs[first]
        first += 1
        job.runSynchronously(on: asUnownedTaskExecutor())
        return true
    }

    /// Runs jobs until there is none.
    func drain() {
        while step() {}
    }

    /// Starts `body` as a task of this loop.
    func start<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Running<Value> {
        let running = Running<Value>()
        running.task = Task { running.result = await body() }
        return running
    }

    /// Runs `body` on a thread of its own, on which all tasks it starts run in the loop that it gets.
    static func run<Value: Sendable>(_ body: @escaping @Sendable (JobLoop) -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            Thread.start {
                let loop = JobLoop()
                JobHook.enter(loop)
                let value = body(loop)
                JobHook.leave()
                continuation.resume(returning: value)
            }
        }
    }
}

/// A task of a loop, and what it came to.
final class Running<Value: Sendable>: @unchecked Sendable {  // Only its loop's thread touches it.
    fileprivate(set) var result: Value?
    fileprivate var task: Task<Void, Never>?

    func cancel() { task?.cancel() }
}

/// Where the runtime asks what to do with a job that is bound to no executor.
private enum JobHook {
    typealias Original = @convention(thin) (UnownedJob) -> Void
    typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

    private nonisolated(unsafe) static let slot = UnsafeMutableRawPointer(pipe_run_task_hook())?.assumingMemoryBound(to: Hook?.self)

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        slot?.pointee = { job, original in
            if let loop = JobHook.current { loop.add(job) } else { original(job) }
        }
        return key
    }()

    private static var current: JobLoop? {
        pthread_getspecific(key).map { Unmanaged<JobLoop>.fromOpaque($0).takeUnretainedValue() }
    }

    static func enter(_ loop: JobLoop) {
        pthread_setspecific(key, Unmanaged.passRetained(loop).toOpaque())
    }

    static func leave() {
        if let loop = pthread_getspecific(key) { Unmanaged<JobLoop>.fromOpaque(loop).release() }
        pthread_setspecific(key, nil)
    }
}

private final class Thread {
    private let body: @Sendable () -> Void

    private init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }

    /// Starts a thread with a stack of 16 MiB that ends with `body`.
    static func start(_ body: @escaping @Sendable () -> Void) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setstacksize(&attributes, 16 << 20)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        let argument = Unmanaged.passRetained(Thread(body)).toOpaque()
        #if canImport(Darwin)
        var thread: pthread_t?
        #else
        var thread = pthread_t()
        #endif
        let failure = pthread_create(
            &thread, &attributes,
            { argument in
                #if canImport(Darwin)
                Unmanaged<Thread>.fromOpaque(argument).takeRetainedValue().body()
                #else
                if let argument { Unmanaged<Thread>.fromOpaque(argument).takeRetainedValue().body() }
                #endif
                return nil
            }, argument)
        precondition(failure == 0, "a thread can be started")
        pthread_attr_destroy(&attributes)
    }
}
