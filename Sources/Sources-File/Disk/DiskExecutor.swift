internal import Dispatch
internal import Pipeline
internal import PipelineConfig
internal import Synchronization

/// Runs what may wait for a disk on threads of its own, never on one that the tasks of the process need.
///
/// At most ``width`` calls run at the same time. The others wait in line, and one whose task is cancelled leaves it.
final class DiskExecutor: Sendable {
    /// One for the process: more threads that wait for a disk do not make it faster.
    static let shared = DiskExecutor()

    /// The most threads: fewer where there are few descriptors, of which each uses up to four.
    static let width = max(1, min(16, DescriptorBudget.process.most / 16))

    private struct Job {
        let work: @Sendable () -> Void
        let cancel: @Sendable () -> Void
    }

    private struct State {
        var line = WaitingLine<Job>()
        var idle = Array(0..<DiskExecutor.width)
    }

    /// The place where the task of a job can find it in the line.
    private enum Place {
        case outside
        case number(UInt64)
        case cancelled
    }

    /// Serial queues: each gets a thread besides those of tasks, from whose number the system takes the threads of a concurrent one.
    private let queues = (0..<DiskExecutor.width).map { DispatchQueue(label: "pipe-run.files.\($0)") }
    private let state = Mutex(State())

    /// Does `work` on one of the threads. Throws `CancellationError` when the task is cancelled before the work begins; once begun, the work
    /// is awaited to its end.
    func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        let place = Mutex(Place.outside)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let job = Job(
                    work: { continuation.resume(with: Result { try work() }) },
                    cancel: { continuation.resume(throwing: CancellationError()) })
                let isIn = place.withLock { place in
                    if case .cancelled = place { return false }
                    place = .number(add(job))
                    return true
                }
                if !isIn { job.cancel() }
            }
        } onCancel: {
            let before = place.withLock { place in
                defer { place = .cancelled }
                return place
            }
            guard case .number(let number) = before else { return }
            state.withLock { $0.line.remove(number) }?.cancel()
        }
    }

    private func add(_ job: Job) -> UInt64 {
        let (number, idle) = state.withLock { ($0.line.add(job), $0.idle.popLast()) }
        if let idle { queues[idle].async { [self] in serve(idle) } }
        return number
    }

    /// Does what stands in line until nothing does.
    private func serve(_ thread: Int) {
        while let job = next(for: thread) { job.work() }
    }

    private func next(for thread: Int) -> Job? {
        state.withLock { state in
            let job = state.line.popFirst()
            if job == nil { state.idle.append(thread) }
            return job
        }
    }
}

/// Elements in the order in which they came. Any of them can leave before its turn.
struct WaitingLine<Element> {
    private var elements: [UInt64: Element] = [:]
    private var first: UInt64 = 0
    private var next: UInt64 = 0

    var isEmpty: Bool { elements.isEmpty }

    /// Adds an element at the end; returns the number that ``remove(_:)`` takes.
    mutating func add(_ element: Element) -> UInt64 {
        defer { next += 1 }
        elements[next] = element
        return next
    }

    /// Takes an element out; nil if it has left already.
    @discardableResult
    mutating func remove(_ number: UInt64) -> Element? {
        elements.removeValue(forKey: number)
    }

    /// Takes out the element that came first.
    mutating func popFirst() -> Element? {
        while !elements.isEmpty {
            defer { first += 1 }
            if let element = elements.removeValue(forKey: first) { return element }
        }
        first = next
        return nil
    }
}
