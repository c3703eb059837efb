#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif
internal import PipelineSimulation

extension ComparisonReport {
    /// A drawing: for each variant its latencies on one logarithmic axis, block by block and all together.
    package var svg: String { ComparisonSVG(self).text }
}

/// The drawing of a comparison.
private struct ComparisonSVG {
    private static let width = 760.0
    private static let left = 52.0
    private static let right = 520.0
    private static let top = 74.0
    private static let rowHeight = 84.0
    private static let measures: [(name: String, measure: ComparisonFindings.Measure, quantile: Double, colour: SVGStyle)] = [
        ("p50", .p50, 0.5, .cache), ("p99", .p99, 0.99, .origin),
    ]

    let report: ComparisonReport
    /// The variants, and last the first one once more.
    let variants: [ComparisonFindings.Variant]
    /// The powers of ten of a millisecond at both ends of the axis.
    let decades: ClosedRange<Int>

    init(_ report: ComparisonReport) {
        self.report = report
        variants = report.findings.variants + [report.findings.itself]
        let latencies = variants.flatMap { variant in
            Self.measures.flatMap { measure in Self.blocks(of: variant, at: measure.quantile) }
        }
        let low = Int(log10(latencies.min() ?? 1).rounded(.down))
        decades = low...max(low + 1, Int(log10(latencies.max() ?? 1).rounded(.up)))
    }

    /// The latency of each block in milliseconds, at least a nanosecond: the axis has no zero.
    private static func blocks(of variant: ComparisonFindings.Variant, at quantile: Double) -> [Double] {
        variant.runs.compactMap { $0.latencies.quantile(quantile).map { max(1e-6, $0.inMilliseconds) } }
    }

    private func x(_ milliseconds: Double) -> Double {
        let share = (log10(milliseconds) - Double(decades.lowerBound)) / Double(decades.upperBound - decades.lowerBound)
        return Self.left + share * (Self.right - Self.left)
    }

    var text: String {
        let notes = report.notes.flatMap(Self.wrapped)
        let bottom = Self.top + Double(variants.count) * Self.rowHeight
        let height = bottom + 50 + Double(notes.count) * 17
        let title = SVGText.escaped("\(report.pipeline): \(report.title)")
        let body =
            grid(to: bottom) + variants.indices.map(row)
            + notes.enumerated().map { index, note in
                Self.label(note, x: 20, y: bottom + 50 + Double(index) * 17, size: 12, .muted)
            }
        let id = "comparison"
        return """
            <svg xmlns="http://www.w3.org/2000/svg" id="\(id)" viewBox="0 0 \(SVGText.number(Self.width)) \(SVGText.number(height))" \
            width="100%" role="img" aria-labelledby="\(id)-title" style="max-width:63rem" \
            font-family="system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', Arial, sans-serif">
            <title id="\(id)-title">\(title)</title>
            <style>
            \(SVGStyle.sheet(id: id))
            </style>
            <rect width="\(SVGText.number(Self.width))" height="\(SVGText.number(height))" rx="14" \(SVGStyle.card.fill)/>
            \(Self.label("\(report.pipeline): \(report.title)", x: 20, y: 32, size: 17, .text, isBold: true))
            \(Self.label("small: one block; large: all blocks; beside it: the ratio to the first, ~ where no difference can be told", x: 20, y: 53, size: 12, .muted))
            \(body.joined(separator: "\n"))
            </svg>

            """
    }

    private func grid(to bottom: Double) -> [String] {
        decades.flatMap { decade in
            let milliseconds = pow(10, Double(decade))
            let place = SVGText.number(x(milliseconds))
            // Not through the names of the variants.
            let lines = variants.indices.map { index in
                let start = Self.top + Double(index) * Self.rowHeight
                return "M\(place) \(SVGText.number(start + 30))V\(SVGText.number(start + 76))"
            }.joined()
            let name =
                decade >= 3
                ? "\(Figure.plain(milliseconds / 1000)) s"
                : decade >= 0 ? "\(Figure.plain(milliseconds)) ms" : "\(Figure.plain((milliseconds * 1e6).rounded() / 1e3)) µs"
            return [
                "<path d=\"\(lines)\" stroke-width=\"1\" \(SVGStyle.border.stroke)/>",
                Self.label(name, x: x(milliseconds), y: bottom + 18, size: 12, .muted, anchor: "middle"),
            ]
        }
    }

    private func row(_ index: Int) -> String {
        let variant = variants[index]
        let start = Self.top + Double(index) * Self.rowHeight
        let isItself = index == variants.count - 1
        let name = isItself ? "against itself" : variant.name + (variant.isLate ? " !" : "")
        var parts = [
            Self.label(name, x: 20, y: start + 20, size: 14, .text, isBold: true),
            Self.label(
                isItself ? "" : "\(Figure.count(variant.originCalls.values.reduce(0, +))) origin calls", x: Self.width - 20, y: start + 20,
                size: 12,
                .muted, anchor: "end"),
        ]
        for (line, measure) in Self.measures.enumerated() {
            let y = start + 42 + Double(line) * 22
            parts.append(Self.label(measure.name, x: 20, y: y + 4, size: 12, .muted))
            for latency in Self.blocks(of: variant, at: measure.quantile) {
                parts.append(Self.dot(x(latency), y, radius: 2.5, measure.colour))
            }
            let whole = variant.latencies.quantile(measure.quantile)
            if let whole { parts.append(Self.dot(x(max(1e-6, whole.inMilliseconds)), y, radius: 5.5, measure.colour)) }
            let ratio = report.ratio(of: variant, in: measure.measure)
            parts.append(Self.label(Figure.latency(whole), x: 622, y: y + 4, size: 13, .text, anchor: "end"))
            parts.append(Self.label(ratio, x: 632, y: y + 4, size: 12, .muted))
        }
        return parts.joined(separator: "\n")
    }

    private static func dot(_ x: Double, _ y: Double, radius: Double, _ colour: SVGStyle) -> String {
        let opacity = radius > 3 ? "" : " fill-opacity=\"0.55\""
        return "<circle cx=\"\(SVGText.number(x))\" cy=\"\(SVGText.number(y))\" r=\"\(SVGText.number(radius))\"\(opacity) \(colour.fill)/>"
    }

    private static func label(
        _ text: String, x: Double, y: Double, size: Int, _ colour: SVGStyle, isBold: Bool = false, anchor: String = "start"
    ) -> String {
        let weight = isBold ? " font-weight=\"600\"" : ""
        return "<text x=\"\(SVGText.number(x))\" y=\"\(SVGText.number(y))\" font-size=\"\(size)\"\(weight) text-anchor=\"\(anchor)\" "
            + "\(colour.fill)>\(SVGText.escaped(text))</text>"
    }

    /// A note over lines that fit.
    private static func wrapped(_ note: String) -> [String] {
        note.split(separator: " ").reduce(into: [String]()) { lines, word in
            if let last = lines.last, last.count + word.count < 112 {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
    }
}
