/// Curves over time as an SVG that is readable on light and on dark pages.
struct Plot {
    struct Curve {
        let name: String
        let isStrong: Bool
        let points: [(Double, Double)]
    }

    struct Panel {
        let label: String
        /// The top of the scale.
        let most: Double
        let curves: [Curve]
    }

    private static let width = 720.0
    private static let height = 180.0
    private static let left = 48.0
    private static let top = 72.0

    let title: String
    let seconds: Double
    /// A span of time with a shade and a name.
    let marked: (Double, Double, String)?
    let panels: [Panel]

    var text: String {
        let whole = Self.top + Double(panels.count) * (Self.height + 76)
        var lines = [
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(number(Self.width)) \(number(whole))" font-family="sans-serif" font-size="13">
            <title>\(title)</title>
            <rect width="100%" height="100%" fill="#ffffff"/>
            <text x="\(number(Self.left))" y="24" font-size="16" fill="#222222">\(title)</text>
            """
        ]
        for (index, panel) in panels.enumerated() { lines.append(draw(panel, top: Self.top + 20 + Double(index) * (Self.height + 76))) }
        return (lines + ["</svg>", ""]).joined(separator: "\n")
    }

    private func draw(_ panel: Panel, top: Double) -> String {
        let bottom = top + Self.height
        let right = Self.width - 16
        func x(_ time: Double) -> Double { Self.left + (right - Self.left) * time / seconds }
        func y(_ value: Double) -> Double { bottom - Self.height * min(1, value / panel.most) }
        var lines: [String] = []
        if let marked {
            lines.append(
                "<rect x=\"\(number(x(marked.0)))\" y=\"\(number(top))\" width=\"\(number(x(marked.1) - x(marked.0)))\" height=\"\(number(Self.height))\" fill=\"#f3ead7\"/>"
            )
            lines.append("<text x=\"\(number(x(marked.0) + 6))\" y=\"\(number(top + 16))\" fill=\"#7a5c1e\">\(marked.2)</text>")
        }
        for step in 0...4 {
            let value = panel.most * Double(step) / 4
            lines.append(line(Self.left, y(value), right, y(value)))
            lines.append(
                "<text x=\"\(number(Self.left - 6))\" y=\"\(number(y(value) + 4))\" text-anchor=\"end\" fill=\"#555555\">\(number(value))</text>"
            )
        }
        for time in stride(from: 0, through: seconds, by: seconds > 30 ? 10 : 2) {
            lines.append(
                "<text x=\"\(number(x(time)))\" y=\"\(number(bottom + 18))\" text-anchor=\"middle\" fill=\"#555555\">\(number(time)) s</text>"
            )
        }
        lines.append("<text x=\"\(number(Self.left))\" y=\"\(number(top - 28))\" fill=\"#222222\">\(panel.label)</text>")
        for (index, curve) in panel.curves.enumerated() {
            let color = curve.isStrong ? "#0b6bcb" : "#b0532c"
            let points = curve.points.map { "\(number(x($0.0))),\(number(y($0.1)))" }.joined(separator: " ")
            lines.append("<polyline fill=\"none\" stroke=\"\(color)\" stroke-width=\"\(curve.isStrong ? 2 : 1.5)\" points=\"\(points)\"/>")
            lines.append(
                "<text x=\"\(number(Self.left + 210 * Double(index)))\" y=\"\(number(top - 8))\" fill=\"\(color)\">— \(curve.name)</text>")
        }
        return lines.joined(separator: "\n")
    }

    private func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) -> String {
        "<line x1=\"\(number(x1))\" y1=\"\(number(y1))\" x2=\"\(number(x2))\" y2=\"\(number(y2))\" stroke=\"#dddddd\"/>"
    }

    /// Short, since a curve has thousands of points.
    private func number(_ value: Double) -> String {
        let text = value.text(1)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
