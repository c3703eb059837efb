internal import CoreMetrics
internal import Pipeline
internal import PipelineNetwork
internal import PipelineSending
private import Synchronization

/// The gauges at the moment of a scrape: loads under way, the circuits of tiers, the outboxes, the origins, and the version of this program.
final class PipelineGauges: Sendable {
    private struct Label: Hashable {
        let name: String
        let value: String
    }

    private struct Series: Hashable {
        let metric: PipelineMetric
        let labels: [Label]

        init(_ metric: PipelineMetric, _ labels: KeyValuePairs<String, String>, masking redactor: Redactor) {
            self.metric = metric
            self.labels = labels.map { Label(name: $0, value: redactor.redacted($1)) }
        }
    }

    private let served: ServedPipelines
    private let version: String
    private let factory: any MetricsFactory
    private let origins: OriginControllers
    private let clock: PipelineClock
    /// The gauges of pipelines, which may be gone at the next scrape.
    private let gauges = Mutex<[Series: Gauge]>([:])

    /// - Parameter version: of the program.
    init(
        _ served: ServedPipelines, version: String, factory: any MetricsFactory, origins: OriginControllers = .shared,
        clock: PipelineClock = .system
    ) {
        self.origins = origins
        self.clock = clock
        self.served = served
        self.version = version
        self.factory = factory
    }

    /// Sets the gauges to what holds now.
    func update() {
        Gauge(label: PipelineMetric.build.rawValue, dimensions: [("version", version)], factory: factory).record(1)
        var values: [Series: Double] = [:]
        let pipelines = served.current
        func note(_ metric: PipelineMetric, _ labels: KeyValuePairs<String, String>, _ value: Double?) {
            values[Series(metric, labels, masking: pipelines.redactor)] = value
        }
        for pipeline in pipelines.all {
            let name = pipeline.spec.name
            note(.loadsUnderWay, ["pipeline": name], Double(pipeline.loadsUnderWay))
            for (source, state) in pipeline.circuits {
                note(.circuitState, ["pipeline": name, "source": source], Double(state.rawValue))
            }
        }
        for outbox in pipelines.outboxFigures {
            for state in SendState.allCases where state.isCounted {
                note(.outboxSends, ["outbox": outbox.outbox, "state": state.rawValue], Double(outbox.counts[state] ?? 0))
            }
            note(.outboxBytes, ["outbox": outbox.outbox], Double(outbox.bytes))
            note(.outboxAge, ["outbox": outbox.outbox], outbox.oldest / .seconds(1))
        }
        for origin in origins.snapshots { tell(origin, to: note) }
        let (shown, gone) = gauges.withLock { gauges in
            let gone = gauges.filter { values[$0.key] == nil }.map(\.value)
            gauges = values.reduce(into: [:]) { $0[$1.key] = gauges[$1.key] ?? gauge($1.key) }
            return (gauges, gone)
        }
        for gauge in gone { gauge.destroy() }
        for (series, gauge) in shown { gauge.record(values[series] ?? 0) }
    }

    private func tell(_ origin: OriginSnapshot, to take: (PipelineMetric, KeyValuePairs<String, String>, Double?) -> Void) {
        let name = origin.origin.description
        func note(_ metric: PipelineMetric, _ value: Double?) { take(metric, ["origin": name], value) }
        note(.originLimit, Double(origin.limit))
        note(.originUnderWay, Double(origin.underWay))
        note(.originWaiting, Double(origin.waiting))
        let now = clock.now
        note(.originRest, max(.zero, (origin.restUntil ?? now).duration(since: now)) / .seconds(1))
        for (source, end) in origin.sourceRests {
            take(.sourceRest, ["origin": name, "source": source], max(.zero, end.duration(since: now)) / .seconds(1))
        }
        note(.originErrors, origin.errors)
        note(.originBudget, origin.budget)
        for (quantile, time) in [("0.5", origin.p50), ("0.95", origin.p95)] {
            take(.originTime, ["origin": name, "quantile": quantile], time.map { $0 / .seconds(1) })
        }
        for (outcome, count) in [("sent", origin.hedges), ("won", origin.hedgesWon)] {
            take(.originHedges, ["origin": name, "outcome": outcome], Double(count))
        }
    }

    private func gauge(_ series: Series) -> Gauge {
        Gauge(label: series.metric.rawValue, dimensions: series.labels.map { ($0.name, $0.value) }, factory: factory)
    }
}
