internal import Pipeline
internal import PipelineConfig

/// A window on the command line: `api@10m+10m`, `api@10m+5m×10`.
package struct WindowArgument: Sendable, Equatable {
    package let source: String
    package let window: TimeWindow

    /// The window that `text` says; nil when it is none.
    package init?(_ text: String) {
        guard let at = text.lastIndex(of: "@"), at > text.startIndex else { return nil }
        source = String(text[..<at])
        let rest = text[text.index(after: at)...].replacing("×", with: "x")
        let parts = rest.split(separator: "+", omittingEmptySubsequences: false)
        guard parts.count == 2, let from = try? Quantity.duration(String(parts[0])) else { return nil }
        let ends = parts[1].split(separator: "x", omittingEmptySubsequences: false)
        guard 1...2 ~= ends.count, let lasting = try? Quantity.duration(String(ends[0])) else { return nil }
        let factor = ends.count == 2 ? Double(ends[1]) : 2
        guard let factor, factor.isFinite, factor >= 1, factor <= 1e6 else { return nil }
        window = TimeWindow(from: from, for: lasting, factor: factor)
    }
}
