internal import Pipeline
internal import PipelineConfig
import PipelineSending
internal import PipelineYAML
private import Synchronization

/// One run of a test: it does the steps, one after the other, and says what came of them.
final class ScenarioPlay {
    private final class Drawn: Sendable {
        let count = Atomic(0)
    }

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
    /// The number of random numbers that were drawn, and of those drawn by the beginnings of processes, which decide about evictions alone.
    private let drawn: Drawn
    private var drawnInBeginnings = 0
    var process: ScenarioProcess?
    var started: [String: Started] = [:]
    /// The ids of the sends by their names, and how many steps have sent.
    var sent: [String: String] = [:]
    var sentCount = 0
    /// The number of the step that is done, from 1.
    private(set) var number = 0
    /// The moment when that step began, since the beginning.
    private(set) var stepBegan = Duration.zero
    var checks: [ScenarioCheck] = []
    /// The number of events that its world has had, and of those it may have.
    private var happened = 0
    private let mostEvents: Int

    init(
        _ suite: ScenarioSuite, _ run: ScenarioRun, document: ScenarioDocument, report: ConfigReport, pipeline: PipelinePlan, seed: UInt64,
        mostEvents: Int, loop: JobLoop
    ) {
        (self.suite, self.run, self.seed, self.mostEvents, self.loop) = (suite, run, seed, mostEvents, loop)
        orderNames = document.orders.members.map(\.name)
        setting = ScenarioSetting(run, of: pipeline, report: report, styles: suite.styles, fixtures: suite.fixtures)
        time = SimulatedClock(loop)
        let (seeded, drawn) = (RandomGenerator.seeded(seed), Drawn())
        self.drawn = drawn
        random = RandomGenerator {
            drawn.count.wrappingAdd(1, ordering: .relaxed)
            return seeded.next()
        }
        let asked = run.order.flatMap { try? pipeline.asking($0.sources, from: report.plan.sources) } ?? pipeline
        story = Story(asked, redactor: report.redactor)
        story.kinds = setting.sends
        story.limit = { [weak self] source, key in self?.limit(of: key, in: source) }
    }

    /// The moment until which the copy of `key` in a cache is fresh, since the beginning.
    private func limit(of key: Key, in source: String) -> Duration? {
        guard let process else { return nil }
        var entry = try? process.memories[source]?.peek(key)
        if case .entry(let held)? = setting.stores[source]?.copies[key] { entry = process.access.clock.restored(held) }
        guard let limit = entry?.freshUntil else { return nil }
        return elapsed + limit.duration(since: process.access.clock.now)
    }

    /// The time since the beginning.
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
            events: story.events, checks: checks, elapsed: clock.monotonic() - began, virtual: elapsed, digest: digest(failure),
            dependsOnSeed: drawn.count.load(ordering: .relaxed) > drawnInBeginnings || story.hasEvictions)
    }

    private func digest(_ failure: ScenarioFailure?) -> UInt64 {
        var digest = TraceDigest()
        for event in story.events { digest.add("\(event.time.saturatedNanoseconds) \(event.step) \(event.text) \(event.key)") }
        digest.add("\(story.further.value)")
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
        let before = drawn.count.load(ordering: .relaxed)
        process = try ScenarioProcess(setting, time: time, random: random)
        drawnInBeginnings += drawn.count.load(ordering: .relaxed) - before
        // A later one goes on with what waits, as a program does that begins again.
        guard number > 0, !setting.sends.isEmpty, let pipelines = process?.pipelines else { return }
        _ = loop.start { try? await pipelines.startSending() }
        try settle()
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
    /// The greatest number of jobs that may follow from one event, or from a step.
    static let mostJobs = 5_000_000
    /// The number of events after which a step that only waits hands on what the engine told.
    private static let oftenEnough = 1_000

    /// The reason why a step does not end.
    enum Unrest: Error, CustomStringConvertible {
        /// No job is scheduled any more.
        case hangs
        /// The most that may happen in a test has happened.
        case tooMuch(Int, at: Duration)
        /// Very much follows from one event, and no end is in sight; or the loop is cancelled, and nobody sees it.
        case restless

        var description: String {
            switch self {
            case .hangs: "hangs"
            case .tooMuch(let most, let time):
                "reaches the \(most) events that a test may have, at \(time.spelling): wait for less, or let sources be asked less often"
            case .restless: "does not come to rest"
            }
        }
    }

    /// Lets everything happen that can happen at this moment.
    func settle() throws(Unrest) { try pass(until: time.now) }

    /// Lets time pass up to `moment`, waking each task at its time.
    ///
    /// - Parameter told: is called now and then on the way, between two moments.
    func pass(until moment: Int64, telling told: () -> Void = {}) throws(Unrest) {
        try drain()
        var next = happened + Self.oftenEnough
        while let deadline = time.nextDeadline, deadline <= moment {
            if happened >= next, deadline > time.now {
                told()
                next = happened + Self.oftenEnough
            }
            try wake()
        }
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
        try drain()
        while !isDone() {
            guard time.nextDeadline != nil else { throw .hangs }
            try wake()
        }
        try settle()
    }

    private func wake() throws(Unrest) {
        guard happened < mostEvents else { throw .tooMuch(mostEvents, at: elapsed) }
        happened += 1
        _ = time.wakeFirst()
        try drain()
    }

    private func drain() throws(Unrest) {
        guard loop.drain(atMost: Self.mostJobs) else { throw .restless }
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

    /// The failure of a `step` that does not end, with what it waits for.
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
