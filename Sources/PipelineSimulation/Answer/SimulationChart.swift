internal import Pipeline

#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// What a simulation came to as one SVG, which follows the reader's choice of light or dark.
package struct SimulationChart {
    private static let width = 760.0
    private static let left = 64.0
    private static let right = 24.0
    private static let height = 200.0
    /// Of a panel with its title and the words below it.
    private static let panel = 270.0
    /// More variants have no lines of their own.
    private static let mostLines = 8

    private let report: SimulationReport
    private let results: [Simulation.Result]

    package init(_ report: SimulationReport) {
        self.report = report
        results = report.results
    }

    /// The picture.
    package var svg: String {
        var panels = results.prefix(Self.mostLines).map(answers)
        panels.append(distribution)
        if let curve { panels.append(curve) }
        let legend = 24.0 * Double(min(results.count, Self.mostLines) > 1 ? min(results.count, Self.mostLines) : 0)
        let height = 44 + Self.panel * Double(panels.count) + legend + 12
        var svg = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(number(Self.width)) \(number(height))" role="img" font-family="system-ui, sans-serif" font-size="13">
            <title>\(escaped(report.pipeline)): simulated answers</title>
            <style>
            svg { --paper: #ffffff; --ink: #1f2328; --soft: #656d76; --line: #d8dee4; --bad: #cf222e; \(Self.colours(["#0969da", "#bc4c00", "#1a7f37", "#8250df", "#9a6700", "#0a7d8c", "#bf3989", "#57606a"])) }
            @media (prefers-color-scheme: dark) { svg { --paper: #0d1117; --ink: #e6edf3; --soft: #8d96a0; --line: #30363d; --bad: #ff7b72; \(Self.colours(["#58a6ff", "#f0883e", "#56d364", "#bc8cff", "#d29922", "#39c5cf", "#f778ba", "#b1bac4"])) } }
            text { fill: var(--ink) } .soft { fill: var(--soft) } .grid { stroke: var(--line) } .thin { stroke-width: 1; stroke-dasharray: 4 3 }
            </style>
            <rect width="100%" height="100%" fill="var(--paper)"/>
            <text x="\(number(Self.left))" y="28" font-size="16" font-weight="600">\(escaped(report.pipeline)): \(Figure.count(report.trace.requests.count)) requests</text>

            """
        for (index, panel) in panels.enumerated() {
            svg += "<g transform=\"translate(0 \(number(44 + Self.panel * Double(index))))\">\n\(panel)</g>\n"
        }
        if legend > 0 {
            for (index, result) in results.prefix(Self.mostLines).enumerated() {
                let y = 44 + Self.panel * Double(panels.count) + 24 * Double(index) + 12
                svg += key(result.variant.name, colour: index, x: Self.left, y: y)
            }
        }
        return svg + "</svg>\n"
    }

    private static func colours(_ colours: [String]) -> String {
        colours.enumerated().map { "--c\($0): \($1);" }.joined(separator: " ")
    }

    private var inner: Double { Self.width - Self.left - Self.right }

    /// The answers of one variant over time, each tier above the next, with the failures shaded.
    private func answers(_ result: Simulation.Result) -> String {
        let counts = result.counts
        var text = title("Answers a second: \(result.variant.name)")
        let seconds = Double(counts.bucket) / 1e9
        let series = counts.series
        let totals = series.map { part in Double(part.answered.reduce(0, +) + part.joined + part.failed + part.notFound) / seconds }
        guard let most = totals.max(), most > 0 else { return text + note("no requests") }
        let top = rounded(most)
        func y(_ value: Double) -> Double { 30 + Self.height * (1 - value / top) }
        let step = inner / Double(series.count)
        for (index, part) in series.enumerated() where part.failed > 0 {
            text += rectangle(
                x: Self.left + step * Double(index), y: 30, width: step, height: Self.height, fill: "var(--bad)", opacity: 0.15)
        }
        var base = [Double](repeating: 0, count: series.count)
        var layers = counts.tiers.indices.map { tier in (counts.tiers[tier].name, series.map { Double($0.answered[tier]) }) }
        layers.append(("joined", series.map { Double($0.joined) }))
        layers.append(("not found", series.map { Double($0.notFound) }))
        let used = layers.filter { $0.1.contains { $0 > 0 } }
        for (index, layer) in used.enumerated() {
            let upper = zip(base, layer.1).map { $0 + $1 / seconds }
            for part in series.indices where layer.1[part] > 0 {
                text += rectangle(
                    x: Self.left + step * Double(part), y: y(upper[part]), width: step, height: y(base[part]) - y(upper[part]),
                    fill: "var(--c\(index % 8))", opacity: 0.75)
            }
            base = upper
        }
        let failed = series.map { Double($0.failed) / seconds }
        for part in series.indices where failed[part] > 0 {
            text += rectangle(
                x: Self.left + step * Double(part), y: y(base[part] + failed[part]), width: step,
                height: y(base[part]) - y(base[part] + failed[part]),
                fill: "var(--bad)", opacity: 1)
        }
        text += rows([0, top / 2, top].map { (y($0), label($0)) })
        let length = seconds * Double(series.count)
        text += columns(
            (0...4).map { (Self.left + inner * Double($0) / 4, Duration.nanoseconds(Int64(length * 1e9 * Double($0) / 4)).inWords) })
        var x = Self.left
        var names = used.enumerated().map { ($1.0, "var(--c\($0 % 8))") }
        if failed.contains(where: { $0 > 0 }) { names.append(("failed", "var(--bad)")) }
        for (name, colour) in names where x < Self.width - 120 {
            text += rectangle(x: x, y: 255, width: 11, height: 11, fill: colour, opacity: 1)
            text += "<text x=\"\(number(x + 16))\" y=\"265\" font-size=\"12\">\(escaped(shortened(name, to: 24)))</text>\n"
            x += 34 + 7.2 * Double(min(24, name.count))
        }
        return text
    }

    /// The part of the requests that took longer than a time.
    private var distribution: String {
        var text = title("Requests that take longer")
        let shown = results.prefix(Self.mostLines)
        let parts = (0...60).map { 1 - power(-Double($0) / 12) }
        let lines = shown.map { result in parts.map { part in (1 - part, result.counts.latency(at: part).map { Double($0) / 1e6 } ?? 0) } }
        let times = lines.flatMap { $0 }.map(\.1).filter { $0 > 0 }
        guard let least = times.min(), let most = times.max() else { return text + note("every request is answered at once") }
        let low = log10(least).rounded(.down)
        let high = max(low + 1, log10(most).rounded(.up))
        func x(_ time: Double) -> Double { Self.left + inner * (log10(max(time, power(low))) - low) / (high - low) }
        func y(_ part: Double) -> Double { 30 + Self.height * min(1, -log10(part) / 5) }
        text += rows(
            (0...5).map { (y(power(-Double($0))), $0 == 0 ? "100%" : "\(Figure.decimal(power(2 - Double($0)), max(0, $0 - 2)))%") })
        text += columns(stride(from: low, through: high, by: 1).map { (x(power($0)), Figure.latency(Int64(power($0) * 1e6))) })
        for (index, line) in lines.enumerated() {
            let requests = Double(shown[index].counts.requests)
            let points = line.filter { $0.0 * requests >= 1 || $0.0 > 0.5 }.map { (x($0.1), y($0.0)) }
            text += path(points, "var(--c\(index))", width: 2)
        }
        return text
    }

    /// The share of requests that caches answer, over the sizes, with the lines of two other caches.
    private var curve: String? {
        let sized = results.compactMap { result in result.variant.size.map { (Double($0), result.counts.hitRatio) } }.sorted { $0.0 < $1.0 }
        guard sized.count > 1, let first = sized.first?.0, let last = sized.last?.0, first > 0, last > first else { return nil }
        func x(_ size: Double) -> Double { Self.left + inner * (log(size / first) / log(last / first)) }
        func y(_ share: Double) -> Double { 30 + Self.height * (1 - share) }
        var text = title("Answered by caches, by size")
        text += rows([0, 0.25, 0.5, 0.75, 1].map { (y($0), "\(Int($0 * 100))%") })
        let labels = sized.count <= 7 ? sized : stride(from: 0, to: sized.count, by: max(1, sized.count / 6)).map { sized[$0] }
        text += columns(labels.map { (x($0.0), Figure.count(Int($0.0))) })
        let keys = report.trace.requests.map(\.key)
        let sizes = sized.map { Int($0.0) }
        let all = Double(max(1, keys.count))
        if results.contains(where: { $0.variant.isSizedInEntries }) {
            let recent = CacheCurve.leastRecentlyUsed(keys, sizes: sizes).map { 1 - Double($0) / all }
            let best = sizes.map { 1 - Double(CacheCurve.optimum(keys, size: $0)) / all }
            text += path(zip(sized, recent).map { (x($0.0), y($1)) }, "var(--soft)", width: 1, style: " class=\"thin\"")
            text += path(zip(sized, best).map { (x($0.0), y($1)) }, "var(--ink)", width: 1, style: " class=\"thin\"")
            text +=
                "<text class=\"soft\" x=\"\(number(Self.left))\" y=\"265\" font-size=\"12\">dashed: last used stays (lower), the optimum (upper); nothing expires in them</text>\n"
        }
        return text + path(sized.map { (x($0.0), y($0.1)) }, "var(--c0)", width: 2.5)
    }
}

/// Parts of a picture.
extension SimulationChart {
    private func title(_ text: String) -> String {
        "<text x=\"\(number(Self.left))\" y=\"18\" font-weight=\"600\">\(escaped(shortened(text, to: 84)))</text>\n"
    }

    private func note(_ text: String) -> String { "<text class=\"soft\" x=\"\(number(Self.left))\" y=\"60\">\(escaped(text))</text>\n" }

    private func rows(_ rows: [(y: Double, label: String)]) -> String {
        rows.map { y, label in
            "<line class=\"grid\" x1=\"\(number(Self.left))\" x2=\"\(number(Self.width - Self.right))\" y1=\"\(number(y))\" y2=\"\(number(y))\"/>"
                + "<text class=\"soft\" x=\"\(number(Self.left - 8))\" y=\"\(number(y + 4))\" text-anchor=\"end\" font-size=\"12\">\(escaped(label))</text>\n"
        }.joined()
    }

    private func columns(_ columns: [(x: Double, label: String)]) -> String {
        columns.map { x, label in
            let anchor = x > Self.width - Self.right - 40 ? "end" : "middle"
            return
                "<text class=\"soft\" x=\"\(number(x))\" y=\"247\" text-anchor=\"\(anchor)\" font-size=\"12\">\(escaped(label))</text>\n"
        }.joined()
    }

    private func rectangle(x: Double, y: Double, width: Double, height: Double, fill: String, opacity: Double) -> String {
        "<rect x=\"\(number(x))\" y=\"\(number(y))\" width=\"\(number(width))\" height=\"\(number(height))\" fill=\"\(fill)\" fill-opacity=\"\(number(opacity))\"/>\n"
    }

    private func path(_ points: [(Double, Double)], _ colour: String, width: Double, style: String = "") -> String {
        guard !points.isEmpty else { return "" }
        let text = points.map { "\(number($0.0)) \(number($0.1))" }.joined(separator: " L ")
        return "<path\(style) d=\"M \(text)\" fill=\"none\" stroke=\"\(colour)\" stroke-width=\"\(number(width))\"/>\n"
    }

    private func key(_ name: String, colour: Int, x: Double, y: Double) -> String {
        "<line x1=\"\(number(x))\" x2=\"\(number(x + 22))\" y1=\"\(number(y))\" y2=\"\(number(y))\" stroke=\"var(--c\(colour))\" stroke-width=\"3\"/>"
            + "<text x=\"\(number(x + 30))\" y=\"\(number(y + 4))\">\(escaped(shortened(name, to: 84)))</text>\n"
    }

    private func number(_ value: Double) -> String { Figure.decimal(value, 2) }

    private func shortened(_ text: String, to length: Int) -> String { text.count > length ? String(text.prefix(length - 1)) + "…" : text }

    private func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }

    /// The next number that is easy to read.
    private func rounded(_ value: Double) -> Double {
        let unit = power(log10(value).rounded(.down))
        return ([1, 2, 5, 10].first { $0 * unit >= value } ?? 10) * unit
    }

    /// 10 to the power of `exponent`.
    private func power(_ exponent: Double) -> Double { pow(10, exponent) }

    private func label(_ value: Double) -> String { value >= 10 || value == 0 ? Figure.count(Int(value)) : Figure.decimal(value, 2) }
}

extension Duration {
    /// To the second, or to the millisecond below a minute.
    fileprivate var inWords: String {
        let unit: Int64 = self < .seconds(60) ? 1_000_000 : 1_000_000_000
        let rounded = saturatedNanoseconds / unit * unit
        return rounded == 0 ? "0" : Duration.nanoseconds(rounded).spelling
    }
}
