private import Synchronization

/// A line at the end of a terminal that says what is going on, and goes when that ends. Elsewhere nothing is shown.
final class StatusLine: Sendable {
    /// Longer lines would be broken, and the beginning would stay.
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
