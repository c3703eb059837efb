internal import CoreMetrics
internal import Pipeline
internal import Synchronization

/// Keeps counters, timers and gauges, and shows them in Prometheus' text format.
///
/// A backend of swift-metrics for what pipelines count: recorders that aggregate take values and show nothing.
package final class PrometheusRegistry: MetricsFactory {
    /// The media type of ``text``.
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private struct State {
        var counters = PrometheusFamilies<PrometheusCounter>()
        var gauges = PrometheusFamilies<PrometheusGauge>()
        var histograms = PrometheusFamilies<PrometheusHistogram>()
    }

    private let state = Mutex(State())
    private let help: [String: String]

    /// - Parameter help: what metrics tell, by their names.
    package init(help: [String: String] = Dictionary(uniqueKeysWithValues: PipelineMetric.allCases.map { ($0.rawValue, $0.help) })) {
        self.help = help
    }

    /// All metrics as they are now, in the order of their names and labels.
    var text: String {
        let state = self.state.withLock { $0 }
        return (state.counters.texts(help: help) + state.gauges.texts(help: help) + state.histograms.texts(help: help))
            .sorted { $0.name < $1.name }.map(\.text).joined()
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        state.withLock { $0.counters.series(label, PrometheusLabels(dimensions)) }
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        state.withLock { $0.histograms.series(label, PrometheusLabels(dimensions)) }
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        if aggregate { return NOOPMetricsHandler.instance }
        return state.withLock { $0.gauges.series(label, PrometheusLabels(dimensions)) }
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        state.withLock { $0.gauges.series(label, PrometheusLabels(dimensions)) }
    }

    func destroyMeter(_ handler: any MeterHandler) {
        state.withLock { $0.gauges.remove(handler) }
    }

    func destroyCounter(_ handler: any CounterHandler) {
        state.withLock { $0.counters.remove(handler) }
    }

    func destroyTimer(_ handler: any TimerHandler) {
        state.withLock { $0.histograms.remove(handler) }
    }

    func destroyRecorder(_ handler: any RecorderHandler) {
        state.withLock { $0.gauges.remove(handler) }
    }
}

/// The metrics of one type, by name and labels.
struct PrometheusFamilies<Series: PrometheusSeries> {
    private var families: [String: [PrometheusLabels: Series]] = [:]
    private var places: [ObjectIdentifier: (name: String, labels: PrometheusLabels)] = [:]

    /// The series of this name with these labels, made when there is none.
    mutating func series(_ name: String, _ labels: PrometheusLabels) -> Series {
        if let series = families[name]?[labels] { return series }
        let series = Series()
        families[name, default: [:]][labels] = series
        places[ObjectIdentifier(series)] = (name, labels)
        return series
    }

    /// Forgets a series.
    mutating func remove(_ series: AnyObject) {
        guard let (name, labels) = places.removeValue(forKey: ObjectIdentifier(series)) else { return }
        families[name]?[labels] = nil
        if families[name]?.isEmpty == true { families[name] = nil }
    }

    /// Each family's text, by its name.
    func texts(help: [String: String]) -> [(name: String, text: String)] {
        families.map { name, family in
            let help = help[name].map { ["# HELP \(name) \(Self.escaped($0))"] } ?? []
            let samples = family.sorted { $0.key < $1.key }.flatMap { labels, series in series.lines(name, labels) }
            return (name, (help + ["# TYPE \(name) \(Series.type)"] + samples).map { $0 + "\n" }.joined())
        }
    }

    private static func escaped(_ help: String) -> String {
        help.split(separator: "\\", omittingEmptySubsequences: false).joined(separator: "\\\\")
            .split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\\n")
    }
}

/// Labels as they stand between braces: `pipeline="friends",source="disk"`. Equal when they are byte for byte.
struct PrometheusLabels: Hashable, Comparable, CustomStringConvertible {
    private let bytes: [UInt8]

    init(_ labels: [(String, String)]) {
        bytes = Array(labels.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",").utf8)
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The labels with one more, whose value needs no escaping.
    func with(_ name: String, _ value: String) -> PrometheusLabels {
        PrometheusLabels(bytes: bytes + (bytes.isEmpty ? "" : ",").utf8 + "\(name)=\"\(value)\"".utf8)
    }

    /// The labels with braces; nothing without any.
    var description: String { bytes.isEmpty ? "" : "{\(String(decoding: bytes, as: UTF8.self))}" }

    static func < (left: PrometheusLabels, right: PrometheusLabels) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }

    private static func escaped(_ value: String) -> String {
        var text = String.UnicodeScalarView()
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": text.append(contentsOf: "\\\\".unicodeScalars)
            case "\"": text.append(contentsOf: "\\\"".unicodeScalars)
            case "\n": text.append(contentsOf: "\\n".unicodeScalars)
            default: text.append(scalar)
            }
        }
        return String(text)
    }
}
