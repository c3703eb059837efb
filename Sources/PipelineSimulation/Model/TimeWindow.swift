internal import Pipeline
package import PipelineConfig

/// A part of the trace's time, from the first moment to the last one, which it does not contain.
package struct TimeWindow: Sendable, Hashable {
    /// The beginning, since the first request.
    package let from: Duration
    package let lasting: Duration
    /// The factor by which a slow source takes longer; 1 for other windows.
    package let factor: Double
    private let nanoseconds: Range<Int64>

    package init(from: Duration, for lasting: Duration, factor: Double = 1) {
        (self.from, self.lasting, self.factor) = (from, lasting, factor)
        let begin = from.saturatedNanoseconds
        let (end, overflow) = begin.addingReportingOverflow(lasting.saturatedNanoseconds)
        nanoseconds = begin..<(overflow ? .max : end)
    }

    /// Indicates whether `moment`, in nanoseconds since the first request, is in it.
    package func contains(_ moment: Int64) -> Bool { nanoseconds.contains(moment) }
}

extension [TimeWindow] {
    /// Indicates whether `moment`, in nanoseconds since the first request, is in one of them.
    func contain(_ moment: Int64) -> Bool {
        for window in self where window.contains(moment) { return true }
        return false
    }
}

/// The windows of a source: one mapping, or a list of them.
package struct TimeWindows: FieldValue {
    package var windows: [TimeWindow] = []

    package static var fieldType: FieldType { .either([WindowFields.fieldType, .list(WindowFields.fieldType)]) }

    package static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> TimeWindows? {
        decoder.places.withTarget(of: node) { node in
            guard case .sequence(let nodes) = node.content else {
                return WindowFields.decode(node, with: decoder).map { TimeWindows(windows: [$0.window]) }
            }
            let windows = nodes.compactMap { WindowFields.decode($0, with: decoder)?.window }
            return windows.count == nodes.count ? TimeWindows(windows: windows) : nil
        }
    }

    package var written: String? { nil }
}

private struct WindowFields: FieldObject {
    let from: Duration
    let lasting: Duration
    let times: Int

    static let noun = "a window"

    static let fields = FieldGroup(
        Field<Duration>("from", "When it begins, after the first request.", example: "10m"),
        Field<Duration>("for", "How long it lasts.", example: "10m"),
        Field("times", default: 2, range: 1...1_000_000, "By how much a `slow` source takes longer.")
    ) { WindowFields(from: $0, lasting: $1, times: $2) }

    var window: TimeWindow { TimeWindow(from: from, for: lasting, factor: Double(times)) }
}

/// A window on the command line: `api@10m+10m`, `api@10m+5m×10`.
package struct WindowArgument: Sendable, Equatable {
    package let source: String
    package let window: TimeWindow

    /// The window that `text` says; nil if it is none.
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
