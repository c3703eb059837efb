internal import Pipeline
internal import PipelineConfig
import PipelineLive
import PipelineSending
private import Synchronization

/// One process of a test: the real engine over scripted sources, from its start to its end.
final class ScenarioProcess: Sendable {
    let access: ScriptedAccess
    let events: EventCollector
    let pipelines: Pipelines
    let pipeline: DataPipeline
    /// The holds that keep the feeds of keys running, from their first fetch on.
    private let holds = Mutex<[Key: any Sendable]>([:])
    /// Indicates whether the pipeline, or what it is made from, has feeds.
    private let hasFeeds: Bool
    /// The memories by their names, uncounted.
    let memories: [String: any WritableSource]

    init(_ setting: ScenarioSetting, time: SimulatedClock, random: RandomGenerator) throws {
        let access = ScriptedAccess(time)
        let events = EventCollector(access)
        var memories: [String: any WritableSource] = [:]
        var specs: [ExactName: SourceSpec] = [:]
        for source in setting.sources {
            let spec = try Self.spec(of: source, setting, access, events, random, &memories)
            specs[ExactName(source.name)] = spec
        }
        let pipelines = try Pipelines(
            ([setting.pipeline] + setting.parts).map { $0.spec(of: specs) }, sends: setting.sends.compactMap { $0.spec(of: specs) },
            otherSources: setting.sources.compactMap { specs[ExactName($0.name)] },
            clock: access.clock, random: random, redactor: setting.redactor, observers: [events.observer])
        self.pipelines = pipelines
        pipeline =
            try setting.order.map { try setting.pipeline(of: pipelines, asking: $0) }
            ?? pipelines.pipeline(named: setting.pipeline.name)
        (self.access, self.events, self.memories) = (access, events, memories)
        hasFeeds = ([setting.pipeline] + setting.parts).contains { !$0.feeds.isEmpty }
    }

    /// Follows the changes of `key` from now on, as an app does that shows it.
    func follow(_ key: Key) {
        guard hasFeeds, holds.withLock({ $0[key] == nil }), let hold = pipeline.keepFed(key, withParts: true) else { return }
        holds.withLock { $0[key] = hold }
    }

    /// Follows no key any more.
    func unfollow() {
        let held = holds.withLock { holds in
            defer { holds = [:] }
            return holds
        }
        // Released outside the lock.
        withExtendedLifetime(held) {}
    }

    private static func spec(
        of source: SourceConfig, _ setting: ScenarioSetting, _ access: ScriptedAccess, _ events: EventCollector, _ random: RandomGenerator,
        _ memories: inout [String: any WritableSource]
    ) throws -> SourceSpec? {
        let capabilities = source.capabilities ?? []
        if let store = setting.stores[source.name] {
            let cache = ScriptedCache(store: store, access: access)
            return SourceSpec(source.name, cache, cache: cache, capabilities: capabilities)
        }
        if let script = setting.origins[source.name] {
            let context = SourceContext(name: source.name, clock: access.clock, random: random)
            let batching = source.batch == nil ? nil : try source.spec(context)?.source.batching
            let origin = ScriptedOrigin(script: script, access: access, events: events, declared: batching, sending: source.sending)
            return SourceSpec(source.name, origin, cache: nil, capabilities: capabilities)
        }
        if let disk = setting.outboxes[source.name] {
            let declared = try source.spec(SourceContext(name: source.name, clock: access.clock, random: random))?.source
            let bounds = (declared as? any OutboxSource)?.bounds ?? OutboxBounds()
            return SourceSpec(source.name, ScriptedOutbox(disk, within: bounds, access), cache: nil, capabilities: capabilities)
        }
        if let server = setting.feeds[source.name] {
            let context = SourceContext(name: source.name, clock: access.clock, random: random)
            guard let declared = try source.spec(context)?.live else { return nil }
            let feed = ScriptedFeed(server: server, access: access, declared: declared)
            return SourceSpec(source.name, feed, cache: nil, capabilities: capabilities)
        }
        let context = SourceContext(name: source.name, clock: access.clock, random: random) { key in
            events.add(.eviction(source: source.name, key: key))
        }
        guard let made = try source.spec(context), let memory = made.cache else { return try source.spec(context) }
        memories[source.name] = memory
        let counted = CountedMemory(memory: memory, name: source.name, log: setting.log, access: access)
        return SourceSpec(source.name, counted, cache: counted, capabilities: capabilities)
    }
}

/// The setting that all processes of a test have in common.
struct ScenarioSetting {
    /// The sources that the test uses: with a large file, making all of them would take most of the time.
    let sources: [SourceConfig]
    /// The pipeline as the file has it.
    let pipeline: PipelinePlan
    /// The pipelines that it is made from, and those that sends of the test change, too.
    let parts: [PipelinePlan]
    /// The kinds of sends of the test.
    let sends: [SendPlan]
    let order: [String]?
    let redactor: Redactor
    let log: SourceLog
    let stores: [String: ScriptedStore]
    let origins: [String: OriginScript]
    let feeds: [String: FeedServer]
    let outboxes: [String: OutboxDisk]

    /// - Parameter styles: how the caches that the test stands in for are read.
    init(
        _ run: ScenarioRun, of pipeline: PipelinePlan, report: ConfigReport, styles: [String: ReadStyle], fixtures: [String: [UInt8]]
    ) {
        let sent = run.scenario.sent
        sends = report.plan.sends.filter { sent.contains($0.name) }
        let changed = sends.reduce(into: Set<String>()) { $0.formUnion($1.changedPipelines) }
        let others = report.plan.pipelines.filter { changed.contains($0.name) && $0.name != pipeline.name }
        parts = others + report.plan.made(of: [pipeline] + others)
        let asked =
            ([pipeline] + parts).flatMap { $0.tiers.map(\.source) + $0.feeds.map(\.source) } + sends.flatMap { [$0.target, $0.outbox] }
        let used = Set(asked.map(\.name) + run.sourcesOfOrders)
        sources = report.plan.sources.filter { used.contains($0.name) }
        self.pipeline = pipeline
        order = run.order?.sources
        redactor = report.redactor
        log = SourceLog()
        var (stores, origins): ([String: ScriptedStore], [String: OriginScript]) = ([:], [:])
        let slow = run.scenario.slowSources
        var feeds: [String: FeedServer] = [:]
        var outboxes: [String: OutboxDisk] = [:]
        for source in sources where !source.isReal {
            let name = source.name
            if source.tellsOfChanges == true {
                feeds[name] = FeedServer(name, log: log)
                continue
            }
            if source.keepsSends {
                outboxes[name] = OutboxDisk(name, log: log)
                continue
            }
            // A read on the calling thread cannot take its time.
            let style = slow.contains(name) ? (styles[name] == .punctual ? .punctual : .suspending) : styles[name] ?? .suspending
            if source.isWritable == true {
                stores[name] = ScriptedStore(name, style: style, ownLimit: source.ownTimeLimit, log: log)
            } else if run.scenario.scripted.contains(name) || !source.alwaysAnswers {
                origins[name] = OriginScript(
                    name, ownLimit: source.ownTimeLimit, log: log, fixtures: fixtures)
            }
        }
        (self.stores, self.origins, self.feeds, self.outboxes) = (stores, origins, feeds, outboxes)
    }

    /// The name of the pipeline that the change source called `source` feeds: the tested one, or the first that it is made from.
    func pipelineName(fedBy source: String) -> String {
        (([pipeline] + parts).first(fedBy: source) ?? pipeline).name
    }

    /// The pipeline among `pipelines`, asking these sources instead. Throws where one of them needs a parameter that it lacks.
    func pipeline(of pipelines: Pipelines, asking order: [String]) throws(UsageError) -> DataPipeline {
        try pipelines.pipeline(of: pipeline, asking: order, from: sources)
    }
}

extension SourceConfig {
    /// Indicates whether a test runs it as it is: memory, and sources that go by the clock alone.
    var isReal: Bool { type == "memory" || type == "poll" }
}

extension ScenarioRun {
    /// The sources of its order, and of the orders of its fetches.
    fileprivate var sourcesOfOrders: [String] {
        (order?.sources ?? [])
            + scenario.steps.flatMap { step -> [String] in
                switch step.action {
                case .fetch(let fetch): fetch.order?.value.map(\.value) ?? []
                case .start(let start): start.fetch.order?.value.map(\.value) ?? []
                default: []
                }
            }
    }
}

extension Scenario {
    /// Every script of a source, from the beginning and from later steps.
    private var scripts: [NamedValues<SourceScript>.Member] {
        given.members
            + steps.flatMap { step -> [NamedValues<SourceScript>.Member] in
                if case .set(let scripts) = step.action { scripts.members } else { [] }
            }
    }

    /// The kinds of sends that its steps send.
    var sent: Set<String> {
        Set(steps.compactMap { step in if case .send(let send) = step.action { send.name.value } else { nil } })
    }

    /// The sources that have a script at some time.
    var scripted: Set<String> { Set(scripts.map(\.name)) }

    /// The caches that take their time at some time.
    var slowSources: Set<String> { Set(scripts.filter { $0.value.cache?.takes != nil }.map(\.name)) }
}

/// The memory of one process, which counts how often it is used.
struct CountedMemory: WritableSource {
    let memory: any WritableSource
    let name: String
    let log: SourceLog
    let access: ScriptedAccess

    var style: ReadStyle { memory.style }

    func peek(_ key: Key) throws -> Entry? {
        log.noteRead(of: name)
        return try memory.peek(key)
    }

    func peek(text: Span<UInt8>, hash: UInt64) throws -> HeldCopy? {
        log.noteRead(of: name)
        return try memory.peek(text: text, hash: hash)
    }

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? {
        log.noteRead(of: name)
        return try await memory.read(key, context)
    }

    func write(_ entry: Entry, for key: Key) async throws {
        try access.check()
        log.noteWrite(to: name)
        try await memory.write(entry, for: key)
    }

    func renew(_ held: Entry, as entry: Entry, for key: Key) async throws -> Bool {
        try access.check()
        return try await memory.renew(held, as: entry, for: key)
    }

    func remove(_ key: Key) async throws { try await memory.remove(key) }

    func clear(pipeline: String) async throws { try await memory.clear(pipeline: pipeline) }

    func contents(of pipeline: String, limit: Int) async throws -> CacheContents? {
        try await memory.contents(of: pipeline, limit: limit)
    }
}
