internal import Pipeline
internal import PipelineConfig
private import Synchronization

/// A line at the end of a terminal that says how much of a download has come, and goes when that ends.
///
/// It is written over with spaces: a terminal needs to know no control sequence for that.
final class ProgressLine: Sendable {
    /// The time after which a line is shown.
    private static let patience = Duration.seconds(1)
    /// The longest line: longer ones would be broken, and the beginning would stay.
    private static let width = 79

    private struct State {
        var first: (moment: Timestamp, received: Int)?
        var shown = 0
        var isOver = false
    }

    private let clock: PipelineClock
    private let write: @Sendable (String) -> Void
    private let state = Mutex(State())

    init(clock: PipelineClock = .system, write: @escaping @Sendable (String) -> Void = { Console.error.write($0) }) {
        self.clock = clock
        self.write = write
    }

    /// Shows `progress`, once a second has passed since the first.
    func show(_ progress: LoadProgress) {
        let now = clock.now
        // Written under the lock: what is written after `erase` would stay there.
        state.withLock { state in
            let first = state.first ?? (now, progress.received)
            state.first = first
            let elapsed = now.duration(since: first.moment)
            guard !state.isOver, elapsed >= Self.patience else { return }
            let text = Self.text(progress, rate: Double(progress.received - first.received) / (elapsed / .seconds(1)))
            write("\r" + text + String(repeating: " ", count: max(0, state.shown - text.count)))
            state.shown = max(state.shown, text.count)
        }
    }

    /// Erases the line. Nothing is shown after it.
    func erase() {
        state.withLock { state in
            state.isOver = true
            guard state.shown > 0 else { return }
            write("\r" + String(repeating: " ", count: state.shown) + "\r")
        }
    }

    private static func text(_ progress: LoadProgress, rate: Double) -> String {
        let total = progress.total.map { " of \(bytes(Double($0)))" } ?? ""
        let end = ": \(bytes(Double(progress.received)))\(total), \(bytes(rate))/s"
        return String(progress.source.printable.prefix(max(8, width - end.count))) + end
    }

    /// A number of bytes as people say it: `12.3MB`.
    private static func bytes(_ count: Double) -> String {
        for (unit, size) in [("GB", 1e9), ("MB", 1e6), ("KB", 1e3)] where count >= size {
            let tenths = Int(count / size * 10)
            return "\(tenths / 10).\(tenths % 10)\(unit)"
        }
        return "\(max(0, Int(count)))B"
    }
}

/// A line at the end of a terminal that says what is going on, and goes when that ends. Elsewhere nothing is shown.
final class StatusLine: Sendable {
    /// The longest line: longer ones would be broken, and the beginning would stay.
    private static let width = 79

    private let shown = Mutex(0)

    /// Shows `text` in place of what was shown before.
    func show(_ text: String) {
        guard Console.error.isTerminal else { return }
        shown.withLock { shown in
            let text = text.prefix(Self.width)
            Console.error.write("\r" + text + String(repeating: " ", count: max(0, shown - text.count)))
            shown = text.count
        }
    }

    /// Erases the line.
    func erase() {
        shown.withLock { shown in
            guard shown > 0 else { return }
            Console.error.write("\r" + String(repeating: " ", count: shown) + "\r")
            shown = 0
        }
    }
}
