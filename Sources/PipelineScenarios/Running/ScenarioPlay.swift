internal import Pipeline
internal import PipelineConfig
internal import PipelineYAML

/// One run of a test: it does the steps, one after the other, and says what came of them.
final class ScenarioPlay {
    struct Started {
        let fetch: FetchStep
        let task: SimulatedTask<FinishedFetch>
    }

    let suite: ScenarioSuite
    let run: ScenarioRun
    let orderNames: [String]
    let setting: ScenarioSetting
    let seed: UInt64
    let loop: JobLoop
    let time: SimulatedClock
    let story: Story
    private let random: RandomGenerator
    var process: ScenarioProcess?
    var started: [String: Started] = [:]
    /// The number of the step that is done, from 1.
    private(set) var number = 0
    /// When that step began, since the beginning.
    private(set) var stepBegan = Duration.zero
    var checks: [ScenarioCheck] = []

    init(
        _ suite: ScenarioSuite, _ run: ScenarioRun, document: ScenarioDocument, report: ConfigReport, pipeline: PipelinePlan, seed: UInt64,
        loop: JobLoop
    ) {
        (self.suite, self.run, self.seed, self.loop) = (suite, run, seed, loop)
        orderNames = document.orders.members.map(\.name)
        setting = ScenarioSetting(run, of: pipeline, report: report, styles: suite.styles, fixtures: suite.fixtures)
        time = SimulatedClock(loop)
        random = .seeded(seed)
        let asked = run.order.flatMap { try? pipeline.asking($0.sources, from: report.plan.sources) } ?? pipeline
        story = Story(asked, redactor: report.redactor)
        story.limit = { [weak self] source, key in self?.limit(of: key, in: source) }
    }

    /// Until when the copy of `key` in a cache is fresh, since the beginning.
    private func limit(of key: Key, in source: String) -> Duration? {
        guard let process else { return nil }
        var entry = try? process.memories[source]?.peek(key)
        if case .entry(let held)? = setting.stores[source]?.copies[key] { entry = process.access.clock.restored(held) }
        guard let limit = entry?.freshUntil else { return nil }
        return elapsed + limit.duration(since: process.access.clock.now)
    }

    /// Since the beginning.
    var elapsed: Duration { .nanoseconds(time.now - SimulatedClock.start) }

    func outcome() -> ScenarioOutcome {
        let clock = PipelineClock.system
        let began = clock.monotonic()
        let failure = play()
        end()
        return ScenarioOutcome(
            file: suite.file.name, config: suite.config?.name ?? "", name: setting.redactor.redacted(run.scenario.name.value),
            range: run.scenario.range,
            order: run.order?.title, pipeline: setting.pipeline.name, seed: seed, tags: run.scenario.tags, failure: failure,
            events: story.events, checks: checks, elapsed: clock.monotonic() - began, virtual: elapsed, digest: digest(failure))
    }

    private func digest(_ failure: ScenarioFailure?) -> UInt64 {
        var digest = TraceDigest()
        for event in story.events { digest.add("\(event.time.saturatedNanoseconds) \(event.step) \(event.text) \(event.key)") }
        for line in story.further { digest.add(line) }
        digest.add("\(elapsed.saturatedNanoseconds)")
        if let failure { digest.add("\(failure.step) \(failure.message)") }
        return digest.value
    }

    private func play() -> ScenarioFailure? {
        do {
            try begin()
            try apply(run.scenario.given)
            for step in run.scenario.steps {
                number += 1
                story.step = number
                stepBegan = elapsed
                let failure = try perform(step)
                // It is the reason for whatever else is not as expected.
                if let call = setting.log.unanswered { return self.failure(step, call) }
                if let failure { return failure }
            }
            return nil
        } catch {
            guard let step = run.scenario.steps.dropFirst(max(0, number - 1)).first else { return nil }
            return failed(step, setting.redactor.redacted(error.line))
        }
    }

    /// Begins a process; memory is empty.
    func begin() throws {
        process = try ScenarioProcess(setting, time: time, random: random)
    }

    /// Ends the process at once: nothing that it began has an effect any more.
    func abandon() {
        process?.access.end()
        process?.unfollow()
        for (_, feed) in setting.feeds { feed.disconnect() }
        setting.log.forgetOpenCalls()
        for (_, fetch) in started { fetch.task.cancel() }
        time.abandonSleepers()
        started = [:]
        process = nil
    }

    private func end() {
        if let pipelines = process?.pipelines {
            process?.access.end()
            // Ends before the loop is drained, or with the clock that stops.
            _ = loop.start { await pipelines.shutDown(within: .zero) }
        }
        _ = loop.drain(atMost: Self.mostJobs)
        abandon()
    }
}

/// Time.
extension ScenarioPlay {
    /// What may happen at one moment, at most, and in one step: more does not come to rest.
    private static let mostWakes = (atOnce: 1_000_000, inAll: 5_000_000)
    static let mostJobs = 5_000_000

    /// Why a step does not end.
    enum Unrest: Error, CustomStringConvertible {
        /// Nothing is scheduled any more.
        case hangs
        /// Very much happens, and no end is in sight.
        case restless(Int)

        var description: String {
            switch self {
            case .hangs: "hangs"
            case .restless(let wakes): "does not come to rest after \(wakes) wake-ups"
            }
        }
    }

    /// Lets everything happen that can happen at this moment.
    func settle() throws(Unrest) { try pass(until: time.now) }

    /// Lets time pass up to `moment`, waking each task at its time.
    func pass(until moment: Int64) throws(Unrest) {
        var wakes = Wakes()
        try drain(wakes)
        while let next = time.nextDeadline, next <= moment { try wake(&wakes) }
        time.advance(to: moment)
    }

    /// Lets time pass until `task` has ended, and no further.
    func value<Value: Sendable>(of task: SimulatedTask<Value>) throws(Unrest) -> Value {
        try pass { task.result != nil }
        guard let value = task.result else { throw .hangs }
        return value
    }

    /// Lets time pass until `isDone`, and no further.
    func pass(until isDone: () -> Bool) throws(Unrest) {
        var wakes = Wakes()
        try drain(wakes)
        while !isDone() {
            guard time.nextDeadline != nil else { throw .hangs }
            try wake(&wakes)
        }
        try settle()
    }

    /// How often tasks were woken in a step.
    private struct Wakes {
        var count = 0
        var atOnce = 0
        var moment: Int64 = 0
    }

    private func wake(_ wakes: inout Wakes) throws(Unrest) {
        wakes.count += 1
        _ = time.wakeFirst()
        wakes.atOnce = time.now == wakes.moment ? wakes.atOnce + 1 : 0
        wakes.moment = time.now
        guard wakes.atOnce < Self.mostWakes.atOnce, wakes.count < Self.mostWakes.inAll else { throw .restless(wakes.count) }
        try drain(wakes)
    }

    private func drain(_ wakes: Wakes) throws(Unrest) {
        guard loop.drain(atMost: Self.mostJobs) else { throw .restless(wakes.count) }
    }
}

/// Failures.
extension ScenarioPlay {
    func failed(
        _ step: ScenarioStep, _ message: String, field: String = "", at range: TextRange? = nil, expected: String? = nil,
        actual: String? = nil
    ) -> ScenarioFailure {
        let mask = setting.redactor.redacted
        return ScenarioFailure(
            step: number, word: step.word, time: stepBegan, field: field, range: range ?? step.range, expected: expected.map(mask),
            actual: actual.map(mask), message: mask(message))
    }

    private func failure(_ step: ScenarioStep, _ call: UnansweredCall) -> ScenarioFailure {
        let time = Duration.nanoseconds(call.time).spelling
        if let arguments = call.arguments {
            return failed(
                step, "`\(call.source)` has no answer for `\(arguments)` at \(time)", field: "\(call.source) calls", at: call.range)
        }
        let count = call.answers == 1 ? "1 answer" : "\(call.answers) answers"
        return failed(
            step, "call \(call.number) of `\(call.source)` at \(time) has no answer: its list has \(count)", field: "\(call.source) calls",
            at: call.range, expected: "\(call.answers)", actual: "\(call.number)")
    }

    /// Why `step` does not end, with what it waits for.
    func failure(_ step: ScenarioStep, _ unrest: Unrest) -> ScenarioFailure {
        var calls: [String] = []
        for call in setting.log.open {
            let words = "`\(call.source)`, asked at \(Duration.nanoseconds(call.began).spelling)"
            if !calls.contains(words) { calls.append(words) }
        }
        let waiting = calls.isEmpty ? "" : ": it waits for \(calls.joined(separator: " and "))"
        let rest = if case .hangs = unrest { ", and nothing is scheduled any more" } else { "" }
        return failed(step, "\(unrest)\(waiting)\(rest)")
    }
}
