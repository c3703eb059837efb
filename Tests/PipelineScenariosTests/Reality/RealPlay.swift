import Foundation
import Pipeline
import PipelineConfig
import PipelineYAML
import Synchronization
import TestSupport

@testable import PipelineScenarios

/// Plays a test with the sources of its configuration, in a folder of its own, against a server of its own, in real time.
///
/// The steps happen at the moments at which they happened in the scripted world, and what is expected is compared as there.
final class RealPlay {
    /// What a step does that is late by more says nothing: the machine was busy. Tests have more time between two moments that matter.
    private static let tolerance = Duration.milliseconds(140)

    private struct Process: Sendable {
        let pipelines: Pipelines
        /// The pipeline in the order of the run.
        let asked: DataPipeline
        let caches: [String: any WritableSource]
    }

    private struct Started: Sendable {
        let task: Task<FinishedFetch, Never>
        let moment: Duration
    }

    private let run: ScenarioRun
    private let pipeline: PipelinePlan
    private let sources: [SourceConfig]
    private let orders: [String]
    /// The same run in the scripted world.
    private let scripted: ScenarioOutcome
    private let origins: RealOrigins
    private let log: SourceLog
    private let folder: TemporaryFolder
    private let steps = SteppedClock()
    private let clock: PipelineClock
    private let notes = EventNotes()
    private var process: Process?
    private var started: [String: Started] = [:]
    private let began = ContinuousClock.now
    /// When the present step happens in the scripted world.
    private var moment = Duration.zero
    private(set) var lag = Duration.zero
    private(set) var seen = SeenRun()
    /// What was not as expected.
    private(set) var failures: [String] = []

    /// Whether it came to what the scripted world did.
    var agrees: Bool { failures.isEmpty && seen == SeenRun(scripted) }
    var isLate: Bool { lag > Self.tolerance }

    /// Plays `run`; again where it came to something else and the machine held it up, up to ten times.
    static func play(_ run: ScenarioRun, of suite: ScenarioSuite, scripted: ScenarioOutcome) async throws -> RealPlay {
        for _ in 0..<9 {
            let play = try await once(run, of: suite, scripted: scripted)
            if play.agrees || !play.isLate { return play }
        }
        return try await once(run, of: suite, scripted: scripted)
    }

    private static func once(_ run: ScenarioRun, of suite: ScenarioSuite, scripted: ScenarioOutcome) async throws -> RealPlay {
        let log = SourceLog()
        let names = ["api", "backup"]
        let scripts = names.map { ($0, OriginScript($0, ownLimit: nil, log: log, fixtures: [:])) }
        let origins = RealOrigins(scripts: Dictionary(uniqueKeysWithValues: scripts))
        return try await origins.serve { url in
            let folder = try TemporaryFolder()
            let environment = ConfigEnvironment(["FOLDER": folder.path, "API": url])
            guard let report = suite.config?.report(plugins: Tested.plugins, environment: environment), !report.diagnostics.hasErrors,
                let document = suite.document, let pipeline = ScenarioRules.pipeline(of: run.scenario, in: document, report.plan)
            else { throw Failure(description: "the configuration cannot be used") }
            let play = RealPlay(
                run, pipeline, report.plan, orders: document.orders.members.map(\.name), scripted, origins, log, folder)
            try await play.play()
            return play
        }
    }

    private init(
        _ run: ScenarioRun, _ pipeline: PipelinePlan, _ plan: Plan, orders: [String], _ scripted: ScenarioOutcome, _ origins: RealOrigins,
        _ log: SourceLog, _ folder: TemporaryFolder
    ) {
        (self.run, self.pipeline, self.orders, self.scripted) = (run, pipeline, orders, scripted)
        (self.origins, self.log, self.folder, clock) = (origins, log, folder, steps.makeClock())
        let used = Set(pipeline.tiers.map(\.source.name) + (run.order?.sources ?? []))
        sources = plan.sources.filter { used.contains($0.name) }
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private func play() async throws {
        try begin()
        try await apply(run.scenario.given)
        for (index, step) in run.scenario.steps.enumerated() {
            try await perform(step, index + 1)
            lag = max(lag, ContinuousClock.now - (began + moment))
        }
        await process?.asked.finishRefreshes()
        // The end of a test writes nothing more.
        seen.besides = notes.all.sorted()
        await process?.pipelines.shutDown()
    }

    /// Begins a process, whose memory is empty.
    private func begin() throws {
        var (specs, caches): ([ExactName: SourceSpec], [String: any WritableSource]) = ([:], [:])
        for source in sources {
            guard let spec = try source.spec(SourceContext(name: source.name, clock: clock)) else { continue }
            specs[ExactName(source.name)] = spec
            caches[source.name] = spec.cache
        }
        let pipelines = try Pipelines(
            [pipeline.spec(of: specs)], otherSources: sources.compactMap { specs[ExactName($0.name)] }, clock: clock,
            observers: [notes.observer])
        let asked = try run.order.map { try pipelines.pipeline(named: pipeline.name, asking: $0.sources) }
        process = Process(pipelines: pipelines, asked: try asked ?? pipelines.pipeline(named: pipeline.name), caches: caches)
    }
}

/// Steps.
extension RealPlay {
    private func perform(_ step: ScenarioStep, _ number: Int) async throws {
        guard let process else { return }
        switch step.action {
        case .fetch(let fetch):
            let finished = await Self.fetched(process.asked)
            conclude(finished, fetch.expected, "fetch", number)
            moment += took(number)
        case .start(let start):
            started[start.name.value] = Started(task: Self.begunFetch(process.asked), moment: moment)
        case .finish(let finishes):
            for member in finishes.members {
                guard let fetch = started.removeValue(forKey: member.name) else { continue }
                conclude(await fetch.task.value, member.value, "finish", number)
                moment = max(moment, fetch.moment + took(number))
            }
        case .wait(let duration):
            moment += duration
            try await Task.sleep(until: began + moment, clock: .continuous)
        case .put(let put): try await process.asked.put(put.payload, for: process.asked.key()).waitForWrites()
        case .remove:
            let report = try await process.asked.remove(process.asked.key())
            seen.add("remove", step: number, [], report.lines.map { "\($0.source) \($0.failure == nil ? "removed" : "failed")" })
        case .set(let scripts): try await apply(scripts)
        case .restart:
            let unwritten = await process.pipelines.shutDown().filter { !$0.keys.isEmpty }
            if !unwritten.isEmpty { failures.append("step \(number): not written to \(unwritten.map(\.source))") }
            try begin()
        case .wall(let wall): steps.step(by: wall.step)
        case .expect(let expectations):
            for member in expectations.members { try await check(member, number) }
        default: throw Failure(description: "`\(step.word)` cannot be played with real sources")
        }
    }

    /// How long the fetch of the step took in the scripted world.
    private func took(_ number: Int) -> Duration {
        scripted.events.first { $0.step == number && ($0.kind == .fetch || $0.kind == .finish) }?.took ?? .zero
    }

    /// Ends before the test does, which finishes it.
    private static func begunFetch(_ pipeline: DataPipeline) -> Task<FinishedFetch, Never> { Task { await fetched(pipeline) } }

    private static func fetched(_ pipeline: DataPipeline) async -> FinishedFetch {
        do {
            let outcome = try await pipeline.fetch()
            try await outcome.waitForWrites()
            return FinishedFetch(result: .success(outcome), took: .zero)
        } catch {
            return FinishedFetch(result: .failure(error), took: .zero)
        }
    }

    private func conclude(_ fetch: FinishedFetch, _ expected: FetchExpectation, _ word: String, _ number: Int) {
        let attempts = (fetch.outcome?.attempts).map { $0.map { "\($0.source) \($0.outcome.rawValue)" } } ?? []
        let writes = (fetch.outcome?.writes ?? []).map { "\($0.source) \($0.outcome.rawValue)" }
        seen.add(word, step: number, attempts, writes)
        let checker = FetchChecker(
            expected: expected, order: run.order?.name, orders: orders, format: pipeline.policy.format, redactor: Redactor())
        if let mismatch = checker.check(fetch).1 { failures.append("step \(number): \(mismatch.message)") }
    }

    private func check(_ member: NamedValues<SourceExpectation>.Member, _ number: Int) async throws {
        func value<Value>(_ expected: Expected<Value>?) -> Value? { expected?.value(in: run.order?.name, of: orders)?.value }
        let (name, expected) = (member.name, member.value)
        if let calls = value(expected.calls), calls != log.counts(of: name).reads {
            failures.append("step \(number): \(name) calls is \(log.counts(of: name).reads), expected \(calls)")
        }
        guard expected.isEmpty != nil || expected.holds != nil, let cache = process?.caches[name], let key = try process?.asked.key() else {
            return
        }
        let held = try await cache.style == .immediate ? cache.peek(key) : cache.read(key, ReadContext())
        let words = held.map { $0.payload.map { String(decoding: $0, as: UTF8.self) } ?? "not_found" } ?? "nothing"
        if value(expected.isEmpty) == true, held != nil { failures.append("step \(number): \(name) holds \(words), expected nothing") }
        for (_, copy) in value(expected.holds)?.copies ?? [] where copy.value != held?.payload.map({ .payload($0) }) {
            failures.append("step \(number): \(name) holds \(words), expected \(copy.value)")
        }
    }
}

/// Scripts.
extension RealPlay {
    private func apply(_ scripts: NamedValues<SourceScript>) async throws {
        for member in scripts.members {
            guard let cache = member.value.cache else {
                origins.scripts[member.name]?.set(member.value.content)
                continue
            }
            for (_, copy) in cache.holds?.copies ?? [] {
                guard case .payload(let payload) = copy.value, let process else { continue }
                let stored = clock.now - (cache.age ?? .zero)
                var entry = Entry(payload, created: stored)
                entry.stored = stored
                let ttl = pipeline.tiers.first { $0.source.name == member.name }?.policy.ttl
                entry.freshUntil = ttl.map { stored + $0 }
                try await process.caches[member.name]?.write(entry, for: process.asked.key())
            }
            if let outage = cache.down { try setDown(outage.reads, member.name) }
        }
    }

    /// A cache in files is down while something that is no folder stands in the place of its folder.
    private func setDown(_ isDown: Bool, _ name: String) throws {
        guard name == "disk" else { throw Failure(description: "`\(name)` cannot be down") }
        let (place, aside) = (folder.path + "/disk", folder.path + "/aside")
        let files = FileManager.default
        if isDown {
            if files.fileExists(atPath: place) { try files.moveItem(atPath: place, toPath: aside) }
            try folder.put("no folder", into: "disk")
        } else {
            try files.removeItem(atPath: place)
            if files.fileExists(atPath: aside) { try files.moveItem(atPath: aside, toPath: place) }
        }
    }
}

/// The clock of the machine, whose wall clock a test steps.
private final class SteppedClock: Sendable {
    private let offset = Mutex(Duration.zero)

    func makeClock() -> PipelineClock {
        let system = PipelineClock.system
        return PipelineClock(
            wall: { [self] in system.wall() + offset.withLock(\.self) }, monotonic: system.monotonic,
            sleep: { try await system.sleep(for: $0) })
    }

    func step(by duration: Duration) { offset.withLock { $0 += duration } }
}

/// The writes that ended, and the refreshes in the background.
private final class EventNotes: Sendable {
    private let notes = Mutex<[String]>([])

    var all: [String] { notes.withLock(\.self) }

    var observer: PipelineEvent.Observer {
        { [self] event in
            switch event {
            case .write(let record, _): add("\(record.source) \(record.outcome.rawValue)")
            case .refresh(let outcome, _): add("refresh " + (outcome.source.map { "\($0) hit" } ?? ""))
            default: break
            }
        }
    }

    private func add(_ note: String) { notes.withLock { $0.append(note) } }
}
