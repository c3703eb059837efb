internal import Pipeline
internal import PipelineSimulation

#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// The results of a simulation as one SVG, which follows the reader's choice of light or dark.
package struct SimulationChart {
    /// The width of the picture: narrow, so that its words can still be read on a telephone.
    private static let width = 520.0
    private static let left = 56.0
    private static let right = 16.0
    private static let height = 180.0
    /// The height of a panel with its title and one line of keys.
    private static let panel = 262.0
    private static let lineOfKeys = 18.0
    /// The number of variants that have lines of their own.
    private static let mostLines = 8

    /// A part of the picture.
    private struct Panel {
        var text: String
        var height = SimulationChart.panel
    }

    /// The meaning of a colour.
    private struct ChartKey {
        let name: String
        let colour: String
        var isDashed = false
    }

    private let report: SimulationReport
    private let results: [Simulation.Played]

    package init(_ report: SimulationReport) {
        self.report = report
        results = report.results
    }

    /// The picture.
    package var svg: String {
        let panels = results.prefix(Self.mostLines).map(answers) + [distribution] + (curve.map { [$0] } ?? [])
        let notes = notes
        let top = 40 + 17 * Double(notes.count)
        let height = panels.reduce(top) { $0 + $1.height } + 8
        var svg = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(number(Self.width)) \(number(height))" role="img" font-family="system-ui, sans-serif" font-size="13">
            <title>\(escaped(report.pipeline)): simulated answers</title>
            <style>
            svg { --paper: #ffffff; --ink: #1f2328; --soft: #59636e; --line: #d8dee4; --bad: #cf222e; \(Self.colours(["#0969da", "#bc4c00", "#1a7f37", "#8250df", "#9a6700", "#0a7d8c", "#bf3989", "#57606a"])) }
            @media (prefers-color-scheme: dark) { svg { --paper: #0d1117; --ink: #e6edf3; --soft: #9198a1; --line: #30363d; --bad: #ff7b72; \(Self.colours(["#58a6ff", "#f0883e", "#56d364", "#bc8cff", "#d29922", "#39c5cf", "#f778ba", "#b1bac4"])) } }
            text { fill: var(--ink) } .soft { fill: var(--soft) } .grid { stroke: var(--line) } .thin { stroke-width: 1.5; stroke-dasharray: 4 3 }
            </style>
            <rect width="100%" height="100%" fill="var(--paper)"/>
            <text x="12" y="25" font-size="16" font-weight="600">\(escaped(shortened(report.pipeline, to: 30))): \(Figure.count(report.trace.requests.count)) requests</text>

            """
        for (index, note) in notes.enumerated() {
            svg += "<text class=\"soft\" x=\"12\" y=\"\(number(43 + 17 * Double(index)))\">\(escaped(note))</text>\n"
        }
        var y = top
        for panel in panels {
            svg += "<g transform=\"translate(0 \(number(y)))\">\n\(panel.text)</g>\n"
            y += panel.height
        }
        return svg + "</svg>\n"
    }

    /// The facts that a reader must know of all of the picture.
    private var notes: [String] {
        var notes: [String] = []
        if let missing = report.missing { notes.append(missing) }
        if results.count > Self.mostLines { notes.append("the first \(Self.mostLines) of \(results.count) variants are drawn") }
        return notes
    }

    private static func colours(_ colours: [String]) -> String {
        colours.enumerated().map { "--c\($0): \($1);" }.joined(separator: " ")
    }

    private var inner: Double { Self.width - Self.left - Self.right }

    /// The answers of one variant over time, each tier above the next, with the failures shaded.
    private func answers(_ result: Simulation.Played) -> Panel {
        let counts = result.counts
        let text = title("Answers a second: \(result.variant.name)", marked: result.isPartial ? " (partial)" : "")
        let seconds = Double(counts.bucket) / 1e9
        let series = counts.series
        let totals = series.map { part in Double(part.answered.reduce(0, +) + part.joined + part.failed + part.notFound) / seconds }
        guard let most = totals.max(), most > 0 else { return Panel(text: text + note("no requests"), height: 84) }
        let top = rounded(most)
        func y(_ value: Double) -> Double { 30 + Self.height * (1 - value / top) }
        let step = inner / Double(series.count)
        func bar(_ part: Int, from low: Double, to high: Double, _ fill: String, opacity: Double) -> String {
            rectangle(x: Self.left + step * Double(part), y: y(high), width: step, height: y(low) - y(high), fill: fill, opacity: opacity)
        }
        let isFailed = series.indices.filter { series[$0].failed > 0 }
        var bars = isFailed.map { bar($0, from: 0, to: top, "var(--bad)", opacity: 0.15) }
        var layers = counts.tiers.indices.map { tier in (counts.tiers[tier].name, series.map { Double($0.answered[tier]) }) }
        layers.append(("joined", series.map { Double($0.joined) }))
        layers.append(("not found", series.map { Double($0.notFound) }))
        let used = layers.filter { $0.1.contains { $0 > 0 } }.map { (name: $0.0, parts: $0.1, colour: colour(of: $0.0)) }
        var base = [Double](repeating: 0, count: series.count)
        for layer in used {
            let upper = zip(base, layer.parts).map { $0 + $1 / seconds }
            bars += series.indices.filter { layer.parts[$0] > 0 }.map {
                bar($0, from: base[$0], to: upper[$0], layer.colour, opacity: 0.75)
            }
            base = upper
        }
        bars += isFailed.map { bar($0, from: base[$0], to: base[$0] + Double(series[$0].failed) / seconds, "var(--bad)", opacity: 1) }
        let length = seconds * Double(series.count)
        let axes =
            rows([0, top / 2, top].map { (y($0), label($0)) })
            + columns(
                (0...4).map { (Self.left + inner * Double($0) / 4, Duration.nanoseconds(Int64(length * 1e9 * Double($0) / 4)).inWords) })
        var names = used.map { ChartKey(name: $0.name, colour: $0.colour) }
        if !isFailed.isEmpty { names.append(ChartKey(name: "failed", colour: "var(--bad)")) }
        return panel(text + bars.joined() + axes, names)
    }

    /// The colour of a source, or of another way to be answered: the same in each variant.
    private func colour(of name: String) -> String {
        var names = results.flatMap(\.variant.order).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        names += ["joined", "not found"]
        return "var(--c\((names.firstIndex(of: name) ?? 0) % 8))"
    }

    /// The part of the requests that took longer than a time.
    private var distribution: Panel {
        let text = title("Requests that take longer")
        let shown = results.prefix(Self.mostLines)
        let parts = (0...60).map { 1 - power(-Double($0) / 12) }
        let lines = shown.map { result in parts.map { part in (1 - part, result.counts.latency(at: part).map { Double($0) / 1e6 } ?? 0) } }
        let times = lines.flatMap { $0 }.map(\.1).filter { $0 > 0 }
        guard let least = times.min(), let most = times.max() else {
            return Panel(text: text + note("every request is answered at once"), height: 84)
        }
        let low = log10(least).rounded(.down)
        let high = max(low + 1, log10(most).rounded(.up))
        func x(_ time: Double) -> Double { Self.left + inner * (log10(max(time, power(low))) - low) / (high - low) }
        func y(_ part: Double) -> Double { 30 + Self.height * min(1, -log10(part) / 5) }
        let axes =
            rows((0...5).map { (y(power(-Double($0))), $0 == 0 ? "100%" : "\(Figure.decimal(power(2 - Double($0)), max(0, $0 - 2)))%") })
            + columns(stride(from: low, through: high, by: 1).map { (x(power($0)), Figure.latency(Int64(power($0) * 1e6))) })
        let paths = lines.enumerated().map { index, line in
            let requests = Double(shown[index].counts.requests)
            return path(
                line.filter { $0.0 * requests >= 1 || $0.0 > 0.5 }.map { (x($0.1), y($0.0)) }, "var(--c\(index))", width: 2)
        }
        let keys = shown.count < 2 ? [] : shown.enumerated().map { ChartKey(name: $1.variant.name, colour: "var(--c\($0))") }
        return panel(text + axes + paths.joined(), keys)
    }

    /// The share of requests that caches answer, over the sizes: one line for each order, with the lines of two other caches.
    private var curve: Panel? {
        let points = results.filter { $0.variant.size != nil && !$0.isPartial }
        let sizes = Set(points.compactMap(\.variant.size)).sorted()
        guard sizes.count > 1, let first = sizes.first.map(Double.init), let last = sizes.last.map(Double.init), first > 0 else {
            return nil
        }
        func x(_ size: Int) -> Double { Self.left + inner * (log(Double(size) / first) / log(last / first)) }
        func y(_ share: Double) -> Double { 30 + Self.height * (1 - share) }
        let areEntries = points.contains { $0.variant.isSizedInEntries }
        let labels = sizes.count <= 5 ? sizes : stride(from: 0, to: sizes.count, by: (sizes.count + 4) / 5).map { sizes[$0] }
        var text = title("Answered by caches, by size in " + (areEntries ? "entries" : "bytes"))
        text += rows([0, 0.25, 0.5, 0.75, 1].map { (y($0), "\(Int($0 * 100))%") })
        text += columns(labels.map { (x($0), areEntries ? Figure.count($0) : Size(bytes: $0).short) })
        var keys: [ChartKey] = []
        if areEntries {
            for (name, colour, shares) in others(sizes: sizes) {
                text += path(zip(sizes, shares).map { (x($0), y($1)) }, colour, width: 1.5, style: " class=\"thin\"")
                keys.append(ChartKey(name: name, colour: colour, isDashed: true))
            }
        }
        let names = points.map(\.variant.curve).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        for (index, name) in names.prefix(Self.mostLines).enumerated() {
            let line = points.filter { $0.variant.curve == name }.compactMap { point in
                point.variant.size.map { ($0, point.counts.hitRatio) }
            }
            text += path(line.sorted { $0.0 < $1.0 }.map { (x($0.0), y($0.1)) }, "var(--c\(index))", width: 2.5)
            keys.insert(ChartKey(name: name.isEmpty ? "this pipeline" : name, colour: "var(--c\(index))"), at: index)
        }
        return panel(text, keys)
    }

    /// The shares that two other caches answer, which keep for ever: of the same requests as the table.
    private func others(sizes: [Int]) -> [(name: String, colour: String, shares: [Double])] {
        let requests = report.trace.requests
        let first = requests.prefix(report.warmUp).count { $0.operation == .fetch }
        let keys = requests.filter { $0.operation == .fetch }.map(\.key)
        let all = Double(max(1, keys.count - first))
        let recent = CacheCurve.leastRecentlyUsed(keys, sizes: sizes, countingFrom: first)
        let best = sizes.map { CacheCurve.optimum(keys, size: $0, countingFrom: first) }
        return [
            ("last used stays, for ever", "var(--soft)", recent.map { 1 - Double($0) / all }),
            ("the optimum", "var(--ink)", best.map { 1 - Double($0) / all }),
        ]
    }

    /// A panel with its keys below it, in as many lines as they need.
    private func panel(_ text: String, _ keys: [ChartKey]) -> Panel {
        var panel = Panel(text: text)
        var (x, y) = (Self.left, 30 + Self.height + 38)
        for key in keys {
            let name = shortened(key.name, to: 56)
            let width = 36 + 6.8 * Double(name.count)
            if x > Self.left, x + width - 14 > Self.width - Self.right {
                (x, y) = (Self.left, y + Self.lineOfKeys)
                panel.height += Self.lineOfKeys
            }
            panel.text +=
                key.isDashed
                ? "<path class=\"thin\" d=\"M \(number(x - 1)) \(number(y - 4)) h 14\" stroke=\"\(key.colour)\"/>\n"
                : rectangle(x: x, y: y - 10, width: 11, height: 11, fill: key.colour, opacity: 1)
            panel.text += "<text x=\"\(number(x + 17))\" y=\"\(number(y))\" font-size=\"12\">\(escaped(name))</text>\n"
            x += width
        }
        return panel
    }
}

/// Parts of a picture.
extension SimulationChart {
    private func title(_ text: String, marked mark: String = "") -> String {
        "<text x=\"12\" y=\"18\" font-weight=\"600\">\(escaped(shortened(text, to: 62 - mark.count) + mark))</text>\n"
    }

    private func note(_ text: String) -> String { "<text class=\"soft\" x=\"\(number(Self.left))\" y=\"46\">\(escaped(text))</text>\n" }

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
                "<text class=\"soft\" x=\"\(number(x))\" y=\"\(number(30 + Self.height + 17))\" text-anchor=\"\(anchor)\" font-size=\"12\">\(escaped(label))</text>\n"
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

    private func number(_ value: Double) -> String { Figure.decimal(value, 2) }

    private func shortened(_ text: String, to length: Int) -> String { text.count > length ? String(text.prefix(length - 1)) + "…" : text }

    private func escaped(_ text: String) -> String { SVGText.escaped(text) }

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
    /// The duration to the second, or to the millisecond below a minute.
    fileprivate var inWords: String {
        let unit: Int64 = self < .seconds(60) ? 1_000_000 : 1_000_000_000
        let rounded = saturatedNanoseconds / unit * unit
        return rounded == 0 ? "0" : Duration.nanoseconds(rounded).spelling
    }
}

extension Size {
    /// The duration in the largest unit, rounded, for a place with little room.
    fileprivate var short: String {
        for (unit, size) in [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)] where bytes >= size {
            let text = Figure.decimal(Double(bytes) / Double(size), 1)
            return (text.hasSuffix(".0") ? String(text.dropLast(2)) : text) + unit
        }
        return "\(bytes)B"
    }
}
