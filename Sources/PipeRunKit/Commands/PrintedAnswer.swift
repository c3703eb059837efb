internal import ArgumentParser
internal import Pipeline
internal import Synchronization

/// Whether the last answer of a `fetch` is printed: a signal that comes after it, while caches are written, takes nothing from it.
final class PrintedAnswer: Sendable {
    private let status = Mutex<Int32?>(nil)

    /// The exit code that belongs to the answer; nil before it is printed.
    var exitCode: ExitCode? { status.withLock { $0 }.map { ExitCode($0) } }

    /// The answer is printed; `worst` is the code of the worst outcome, nil when all went well.
    func note(_ worst: ExitCode?) {
        status.withLock { $0 = worst?.rawValue ?? 0 }
    }
}
