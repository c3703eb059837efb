internal import Pipeline
internal import PipelineConfig
internal import PipelineJSON

/// The metrics of an origin that a running `serve` gives.
struct ServedOrigin: Equatable {
    let origin: String
    private var values: [String: Double] = [:]
    /// The time for which sources still rest, in seconds, by their names.
    private var sourceRests: [String: Double] = [:]

    private init(_ origin: String) { self.origin = origin }

    /// The origins of a text in Prometheus's format, in the order of their names; lines that cannot be read are left out.
    static func all(in metrics: String) -> [ServedOrigin] {
        var origins: [String: ServedOrigin] = [:]
        for line in metrics.split(separator: "\n") where line.hasPrefix(prefix) {
            guard let brace = line.firstIndex(of: "{"), let end = line.lastIndex(of: "}"), brace < end,
                let value = Double(line[line.index(after: end)...].drop { $0 == " " }), abs(value) < 1e9
            else { continue }
            let labels = labels(in: line[line.index(after: brace)..<end])
            guard let origin = labels["origin"] else { continue }
            if line.hasPrefix(prefix + "source_rest_seconds{"), let source = labels["source"] {
                origins[origin, default: ServedOrigin(origin)].sourceRests[source] = value
                continue
            }
            let name =
                line[line.index(line.startIndex, offsetBy: prefix.count)..<brace]
                + ((labels["quantile"] ?? labels["outcome"]).map { " \($0)" } ?? "")
            origins[origin, default: ServedOrigin(origin)].values[String(name)] = value
        }
        return origins.values.sorted { $0.origin < $1.origin }
    }

    private static let prefix = "pipe_run_origin_"

    /// `a="b",c="d"`, where `\` stands before what would end a value.
    private static func labels(in text: Substring) -> [String: String] {
        var labels: [String: String] = [:]
        var rest = text
        while let equals = rest.firstIndex(of: "=") {
            let name = String(rest[..<equals].drop { $0 == "," || $0 == " " })
            var value = ""
            var isEscaped = false
            var index = rest.index(after: equals)
            guard index < rest.endIndex, rest[index] == "\"" else { return labels }
            index = rest.index(after: index)
            while index < rest.endIndex, isEscaped || rest[index] != "\"" {
                if !isEscaped, rest[index] == "\\" {
                    isEscaped = true
                } else {
                    value.append(isEscaped && rest[index] == "n" ? "\n" : rest[index])
                    isEscaped = false
                }
                index = rest.index(after: index)
            }
            guard index < rest.endIndex else { return labels }
            labels[name] = value
            rest = rest[rest.index(after: index)...]
        }
        return labels
    }
}

extension ServedOrigin {
    /// The heads of the columns.
    static let heads = ["ORIGIN", "LIMIT", "UNDER WAY", "WAITING", "REST", "P50", "P95", "ERRORS", "BUDGET", "HEDGES WON"]

    /// A row of the table for people.
    var row: [String] {
        let counts = ["limit", "requests_under_way", "requests_waiting"].map { values[$0].map { Self.number($0) } ?? "-" }
        let times = ["response_seconds 0.5", "response_seconds 0.95"].map { name in
            values[name].map { TracePrinter.milliseconds(.seconds($0)) } ?? "-"
        }
        let errors = values["error_ratio"].map { "\(Self.number(($0 * 100).rounded()))%" } ?? "-"
        let budget = values["retry_budget"].map { Self.number($0) } ?? "-"
        let (sent, won) = (values["hedges sent"] ?? 0, values["hedges won"] ?? 0)
        let hedges = sent > 0 ? "\(Self.number(won)) of \(Self.number(sent))" : "-"
        return [origin.printable] + counts + [rest] + times + [errors, budget, hedges]
    }

    var json: JSONText {
        func value(_ name: String, _ factor: Double = 1) -> JSONText { values[name].map { .milliseconds($0 * factor) } ?? .null }
        return .object([
            ("origin", .string(origin)), ("limit", value("limit")), ("under_way", value("requests_under_way")),
            ("waiting", value("requests_waiting")), ("rest_ms", value("rest_seconds", 1_000)),
            ("source_rests_ms", .object(sourceRests.sorted { $0.key < $1.key }.map { ($0.key, .milliseconds($0.value * 1_000)) })),
            ("p50_ms", value("response_seconds 0.5", 1_000)), ("p95_ms", value("response_seconds 0.95", 1_000)),
            ("errors", value("error_ratio")), ("budget", value("retry_budget")),
            ("hedges", value("hedges sent")), ("hedges_won", value("hedges won")),
        ])
    }

    /// `19s`, `stock 19s`.
    private var rest: String {
        func words(_ seconds: Double) -> String { TracePrinter.words(.seconds(seconds.rounded(.up))) }
        let whole = (values["rest_seconds"] ?? 0) > 0 ? [words(values["rest_seconds"] ?? 0)] : []
        let sources = sourceRests.filter { $0.value > 0 }.sorted { $0.key < $1.key }.map { "\($0.key.printable) \(words($0.value))" }
        return whole.isEmpty && sources.isEmpty ? "-" : (whole + sources).joined(separator: ", ")
    }

    /// `6`, `0.4`.
    private static func number(_ value: Double) -> String {
        let tenths = (value * 10).rounded(.down)
        guard abs(tenths) < 1e15 else { return "\(value)" }
        let (whole, rest) = Int(tenths).quotientAndRemainder(dividingBy: 10)
        return rest == 0 ? "\(whole)" : "\(whole).\(abs(rest))"
    }
}
