import PipelineScenarios
import PipelineTesting
import PipelineYAML

@testable import Pipeline
@testable import PipelineConfig

/// The real engine over scripted sources in virtual time, seen as the reference is.
///
/// After each step everything that can happen at its moment has happened; background loads are waited for, waiting writes are not.
final class World {
    private enum Stub {
        case memory(StubMemory)
        case disk(StubSource)
        case origin(StubOrigin)

        var isAsked: Bool {
            switch self {
            case .memory: false
            case .disk(let disk): disk.runningCount(of: .reads) > 0
            case .origin(let origin): origin.runningCount(of: .reads) > 0
            }
        }
    }

    private let spec: PipelineSpec
    private let loop: JobLoop
    private let time: SimulatedClock
    private let stubs: [Stub]
    private let make: (PipelineClock) throws -> Pipelines
    private let keys = ["a", "b", "c"].map { Key(pipeline: "p", parameters: ["id": $0]) }
    private var pipelines: Pipelines
    private var pipeline: DataPipeline
    private var logs: [() -> [WriteRecord]] = []

    init(_ spec: PipelineSpec, loop: JobLoop) throws {
        self.spec = spec
        self.loop = loop
        let time = SimulatedClock(loop)
        self.time = time
        let clock = time.makeLastingClock()
        let stubs = spec.tiers.indices.map { tier -> Stub in
            switch spec.tiers[tier].kind {
            case .memory: .memory(StubMemory())
            case .disk: .disk(StubSource(spec.name(tier), clock: clock))
            case .origin: .origin(StubOrigin(spec.name(tier), clock: clock, answering: "1"))
            }
        }
        self.stubs = stubs
        make = Self.making(spec, of: stubs)
        pipelines = try make(time.makeClock())
        pipeline = try pipelines.pipeline(named: "p")
    }

    /// Makes the pipeline over these sources from a file, or without one; each time with a clock of its own.
    private static func making(_ spec: PipelineSpec, of stubs: [Stub]) -> (PipelineClock) throws -> Pipelines {
        let disks = spec.diskReading
        guard spec.isFromFile else {
            let sources = stubs.map { stub -> any Source in
                switch stub {
                case .memory(let memory): memory
                case .disk(let disk): disks.source(disk)
                case .origin(let origin): origin
                }
            }
            return { clock in try Pipelines([spec.spec(of: sources)], clock: clock, random: .greatest) }
        }
        let plugins = spec.tiers.indices.map { tier in
            let (type, capabilities) = (spec.type(tier), spec.tiers[tier].capabilities)
            switch stubs[tier] {
            case .memory(let memory): return SourcePlugin(cache: type, summary: "", capabilities: capabilities) { _ in memory }
            case .disk(let disk):
                let source = disks.source(disk)
                return SourcePlugin(cache: type, summary: "", capabilities: capabilities) { _ in source }
            case .origin(let origin): return SourcePlugin(origin: type, summary: "", capabilities: capabilities) { _ in origin }
            }
        }
        let report = ConfigFile(text: Array(spec.yaml.utf8), name: "model.yaml")
            .report(plugins: plugins, environment: ConfigEnvironment([:]))
        return { clock in try Pipelines(report, clock: clock, random: .greatest) }
    }

    /// Does `step`, and says what can be seen then.
    func perform(_ step: Step) throws -> Observation {
        var seen = Observation()
        let (pipeline, pipelines) = (pipeline, pipelines)
        switch step {
        case .fetch(let key, let policy): seen.fetched = fetch(keys[key], policy)
        case .put(let key, let value):
            let key = keys[key]
            if let outcome = finish({ try? await pipeline.put(Array("\(value)".utf8), for: key) }) ?? nil { logs.append { outcome.writes } }
        case .remove(let key):
            let key = keys[key]
            seen.removed = (finish { try? await pipeline.remove(key) } ?? nil)?.words
        case .clear: seen.removed = (finish { try? await pipeline.clear() } ?? nil)?.words
        case .advance(let duration): time.advance(to: time.now + duration)
        case .fail(let tier, let operation, let isOn): setFailing(tier, operation, isOn)
        case .answer(let tier, let answer, let delay):
            if case .origin(let origin) = stubs[tier] { origin.answers(answer.stub(after: delay)) }
        case .delayReads(let tier, let delay):
            if case .disk(let disk) = stubs[tier] {
                if delay == 0 { disk.stopDelaying(.reads) } else { disk.delay(.reads, by: .nanoseconds(delay)) }
            }
        case .plant(let tier, let key, let value, let freshFor):
            let now = Timestamp(nanoseconds: time.now)
            let copy = Entry(
                Array((value.map(String.init) ?? Copy.invalid).utf8), created: now, stored: now,
                freshUntil: freshFor.map { now + .nanoseconds($0) })
            if case .disk(let disk) = stubs[tier] { disk.hold(copy, for: keys[key]) }
        case .flush: seen.unwritten = finish { await pipelines.flush() }.map(words)
        case .restart(let isOrderly): seen.unwritten = try restart(isOrderly: isOrderly)
        }
        // Several things can be due at one moment. Any of them may come first; when the step is over, all have happened.
        time.advance(to: time.now)
        observe(&seen)
        return seen
    }

    private func fetch(_ key: Key, _ policy: FetchPolicy) -> Observation.Fetched {
        let pipeline = pipeline
        let outcome = finish { try? await pipeline.fetch(key, policy: policy) } ?? nil
        _ = finish { await pipeline.finishRefreshes() }
        // A load goes on after its soft timeout.
        while stubs.contains(where: \.isAsked) || pipeline.flights.contains(where: { $0.count > 0 }), time.wakeNext() {}
        guard let outcome else { return Observation.Fetched(result: .nothing, attempts: []) }
        logs.append { outcome.writes }
        return Observation.Fetched(outcome)
    }

    /// Runs `body` to its end, however long that takes in virtual time; nil when it never ends.
    private func finish<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Value? {
        let running = loop.start(body)
        loop.drain()
        while running.result == nil, time.wakeNext() {}
        return running.result
    }

    private func setFailing(_ tier: Int, _ operation: Step.Failing, _ isOn: Bool) {
        func set(_ stub: some ScriptedSource) {
            switch (operation, isOn) {
            case (.reads, true): stub.fail(.reads)
            case (.reads, false): stub.recover(.reads)
            case (.writes, true): stub.fail(.writes)
            case (.writes, false): stub.recover(.writes)
            case (.removes, true): stub.fail(.removes, .clears)
            case (.removes, false): stub.recover(.removes, .clears)
            }
        }
        switch stubs[tier] {
        case .memory(let memory): memory.setFailing(operation, isOn)
        case .disk(let disk): set(disk)
        case .origin(let origin): set(origin)
        }
    }

    private func restart(isOrderly: Bool) throws -> [String]? {
        let ending = pipelines
        let unwritten = isOrderly ? finish { await ending.shutDown() }.map(words) : nil
        time.abandonSleepers()
        for case .memory(let memory) in stubs { memory.empty() }
        logs = []
        pipelines = try make(time.makeClock())
        pipeline = try pipelines.pipeline(named: "p")
        return unwritten
    }

    private func observe(_ seen: inout Observation) {
        seen.time = time.now
        var isWaiting = false
        for stub in stubs {
            switch stub {
            case .memory(let memory):
                seen.originCalls.append(0)
                seen.contents.append(keys.map { memory.contents[$0].map(Copy.init) })
            case .disk(let disk):
                seen.originCalls.append(0)
                seen.contents.append(keys.map { disk[$0].map(Copy.init) })
            case .origin(let origin):
                seen.originCalls.append(origin.readCount)
                seen.contents.append(keys.map { _ in nil })
            }
        }
        seen.writes = logs.suffix(Reference.watchedLogs).map { $0().map { "\($0.source): \($0.outcome.rawValue)" } }
        isWaiting = pipeline.generations.count > 0 && time.nextDeadline != nil
        seen.leftovers = pipeline.flights.reduce(0) { $0 + $1.count } + (isWaiting ? 0 : pipeline.generations.count)
    }

    private func words(_ unwritten: [UnwrittenKeys]) -> [String] {
        unwritten.flatMap { cache in cache.keys.map { key in "\(cache.source): \(keys.firstIndex(of: key) ?? -1)" } }.sorted()
    }
}

extension Step.Answer {
    fileprivate func stub(after delay: Int64) -> StubAnswer {
        let answer: StubAnswer =
            switch self {
            case .value(let value, let freshFor): .value("\(value)", freshFor: freshFor.map { .nanoseconds($0) })
            case .notFound: .notFound
            case .miss: .miss
            case .error: .error()
            case .rejection: .error(SourceError("no such request", kind: .rejected))
            case .invalid: .value(Copy.invalid)
            }
        return delay == 0 ? answer : answer.after(.nanoseconds(delay))
    }
}

extension RemovalReport {
    fileprivate var words: [String] { lines.map { "\($0.source): \($0.failure == nil)" } }
}

extension Copy {
    fileprivate init(_ entry: Entry) {
        self.init(
            payload: entry.payload.map { String(decoding: $0, as: UTF8.self) }, created: entry.created.nanoseconds,
            stored: entry.stored?.nanoseconds, freshUntil: entry.freshUntil?.nanoseconds)
    }
}

extension Observation.Fetched {
    fileprivate init(_ outcome: Outcome) {
        attempts = outcome.attempts.map { "\($0.source): \($0.outcome.rawValue)" }
        switch outcome.result {
        case .value(let entry):
            result = .value(
                String(decoding: entry.payload ?? [], as: UTF8.self), isStale: outcome.isStale, source: outcome.source ?? "")
        case .notFound: result = .notFound(source: outcome.source)
        case .failed: result = .failed
        }
    }
}
