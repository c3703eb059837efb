import Pipeline
internal import PipelineJSON
import PipelineLive

/// One whole on its way: asks the parts, and decides what they come to.
struct Assembly {
    private enum Event: Sendable {
        case ended(Int, PartResult)
        /// The time is over: nothing starts any more.
        case timeUp
        /// The end of the time for parts that have not ended by themselves: they are left.
        case overtime
        case cancelled
    }

    let composite: Composite
    private let key: Key
    private let demand: PartDemand
    private let parameters: [Parameter]
    /// Notes what is used; nil where no cache may hold the whole.
    let watch: WholeIndex.Assembly?
    private(set) var schedule: PartSchedule
    private(set) var results: [PartResult?]
    /// Whether the time is over.
    private(set) var isOver = false
    /// How many parts have a task.
    private var running = 0
    /// The pipelines of the parts; nil for one that is gone.
    private let pipelines: [DataPipeline?]
    /// The keys of the parts that were asked.
    private(set) var keys: [Key?]
    /// The part that is asked for a key, and those that take what it gets.
    private var asked: [Key: (part: Int, sharing: [Int])] = [:]

    var clock: PipelineClock { composite.clock }
    var parts: [Composite.Part] { composite.parts }

    init(_ composite: Composite, _ key: Key, _ demand: PartDemand) {
        self.composite = composite
        self.key = key
        self.demand = demand
        parameters = key.parameters
        let live = composite.live(key)
        watch =
            (composite.watchesParts || live != nil) && demand.policy.writes
            ? composite.wholes.assembly(of: key, observedAs: live, asksOrigins: demand.policy.asksOrigins) : nil
        results = Array(repeating: nil, count: composite.parts.count)
        keys = Array(repeating: nil, count: composite.parts.count)
        schedule = composite.schedule
        pipelines = composite.partPipelines
    }

    /// Throws `CancellationError` when the task is cancelled, and nothing else.
    func run() async throws -> AssembledWhole {
        var assembly = self
        try await assembly.askParts()
        return assembly.whole()
    }

    /// Asks the parts until the result is certain.
    private mutating func askParts() async throws {
        let waiting = startAtHand()
        if schedule.decision != .open { return }
        // The group's tasks end with it: the tasks of parts that are no longer needed leave their loads at once.
        self = try await withThrowingTaskGroup(of: Event.self) { [self] group in
            var assembly = self
            for start in waiting { assembly.add(start, to: &group) }
            if let end = demand.end { add(.timeUp, at: end, to: &group) }
            while assembly.schedule.decision == .open, let event = try await group.next() {
                try Task.checkCancellation()
                for start in assembly.starts(after: event) { assembly.add(start, to: &group) }
                if case .timeUp = event, let end = demand.lastEnd { add(.overtime, at: end, to: &group) }
            }
            group.cancelAll()
            return assembly
        }
    }

    /// What starts after `event`. When the time is over, that is nothing. Parts that still run then have no more time than this whole, and end
    /// by themselves, a composite with what it has so far.
    private mutating func starts(after event: Event) -> [Start] {
        var waiting: [Start] = []
        switch event {
        case .ended(let index, let result):
            running -= 1
            end(index, result)
            waiting = endSharing(with: index, result)
            if result.isOverdue, let end = demand.end, end <= clock.now { isOver = true }
        case .timeUp: isOver = true
        case .overtime: cut()
        case .cancelled: break
        }
        if isOver, running == 0 { cut() }
        return isOver ? [] : waiting + startAtHand()
    }

    private func add(_ event: Event, at moment: Timestamp, to group: inout ThrowingTaskGroup<Event, any Error>) {
        group.addTask { [clock] in
            do {
                try await Race<Void>().value(until: moment, on: clock)
            } catch is PastLimit {
                return event
            } catch {}
            return .cancelled
        }
    }

    /// A part that must be waited for.
    private struct Start: Sendable {
        let index: Int
        let pipeline: DataPipeline
        let key: Key
    }

    /// Starts what can start. What memory has at hand ends at once, which may let others start.
    private mutating func startAtHand() -> [Start] {
        var waiting: [Start] = []
        while true {
            let started = schedule.start()
            if started.isEmpty || schedule.decision != .open { return waiting }
            for index in started {
                let part = parts[index]
                do throws(SourceError) {
                    guard let pipeline = pipelines[index] else {
                        throw SourceError("the pipeline `\(part.spec.pipeline)` is gone", kind: .unasked)
                    }
                    let key = try key(of: part, in: pipeline)
                    keys[index] = key
                    try demand.bounds.add(1)
                    watch?.asks(key, of: pipeline)
                    if part.spec.follow.isEmpty, let outcome = known(key) ?? atHand(key, in: pipeline) ?? recalled(key) {
                        end(index, result(of: outcome, index))
                    } else if part.spec.follow.isEmpty, let first = asked[key]?.part, parts[first].spec.timeout == part.spec.timeout {
                        asked[key]?.sharing.append(index)
                    } else {
                        if part.spec.follow.isEmpty, asked[key] == nil { asked[key] = (index, []) }
                        waiting.append(Start(index: index, pipeline: pipeline, key: key))
                    }
                } catch {
                    end(index, PartResult(failed: error))
                }
            }
        }
    }

    /// Ends the parts that wait for what this one gets. Returns those that must be asked after all.
    private mutating func endSharing(with index: Int, _ result: PartResult) -> [Start] {
        guard let key = result.key, let entry = asked[key], entry.part == index else { return [] }
        asked[key] = nil
        if let outcome = result.outcome {
            for other in entry.sharing {
                let shared = self.result(of: outcome, other)
                end(other, shared.isOverdue ? shared.failed(like: result) : shared)
            }
            return []
        }
        return entry.sharing.compactMap { other in
            pipelines[other].map { Start(index: other, pipeline: $0, key: key) }
        }
    }

    /// What another part has found for the same key: nothing is asked twice.
    private func known(_ key: Key) -> Outcome? {
        for index in keys.indices where keys[index] == key {
            if let result = results[index], !result.isOverdue, let outcome = result.outcome { return outcome }
        }
        return nil
    }

    /// What came of it when it was asked last, where the whole is made for observers and that will do.
    private func recalled(_ key: Key) -> Outcome? { demand.recalls ? watch?.recall(key, at: clock.now) : nil }

    private func atHand(_ key: Key, in pipeline: DataPipeline) -> Outcome? {
        demand.policy.readsCaches ? pipeline.immediate(key) : nil
    }

    private mutating func add(_ start: Start, to group: inout ThrowingTaskGroup<Event, any Error>) {
        let part = parts[start.index]
        running += 1
        group.addTask { [self] in
            do {
                return .ended(start.index, try await fetch(part, start))
            } catch is CancellationError where Task.isCancelled {
                return .cancelled
            } catch {
                return .ended(start.index, PartResult(failed: SourceError("\(error)", kind: .unasked), key: start.key))
            }
        }
    }

    private func fetch(_ part: Composite.Part, _ start: Start) async throws -> PartResult {
        let (pipeline, key) = (start.pipeline, start.key)
        let begin = clock.now
        var (demand, timeout) = demand.asking(part.spec.timeout, endsWithOuter: pipeline.asksOthers, at: begin)
        if !part.spec.isRequired, start.index > 0 || !composite.spec.isMadeOfFirst { demand.isOptional = true }
        let own = timeout == part.spec.timeout ? timeout : nil
        let outcome =
            if let known = recalled(key) { known } else {
                try await pipeline.fetch(key, policy: demand.policy, priority: demand.priority, timeout: timeout, for: demand)
            }
        guard !part.spec.follow.isEmpty, let entry = try? outcome.entry, let payload = entry.payload else {
            return result(of: outcome, start.index).overdue(after: own)
        }
        let links = LinkRun(
            composite.directory, demand, until: [timeout.map { begin + $0 }, demand.end].compactMap(\.self).min(), clock: clock,
            most: composite.spec.max, limit: composite.spec.maxSize, watch: watch)
        do {
            let followed = try await links.follow(part.spec.follow, in: payload, of: pipeline, key)
            return self.result(of: outcome, start.index, with: followed)
        } catch let failure as LinkError {
            return PartResult(failed: failure.error, as: .linkFailed, key: key, outcome: outcome).overdue(after: own)
        } catch let error as SourceError {
            return PartResult(failed: error, key: key, outcome: outcome).overdue(after: own)
        }
    }

    private mutating func end(_ index: Int, _ result: PartResult) {
        if let key = result.key {
            if let outcome = result.outcome {
                watch?.uses(key, outcome, hasFailed: result.ending == .failed && outcome.answer == nil)
            } else {
                watch?.fails(key)
            }
        }
        results[index] = result
        schedule.end(index, result.ending)
    }

    /// The whole is made without what has not ended.
    private mutating func cut() {
        schedule.endAll()
        for index in results.indices where results[index] == nil && schedule.skipped(index) == nil {
            if let key = keys[index] { watch?.fails(key) }
            results[index] = PartResult(failed: SourceError("no answer in the time that was left", kind: .timeout), key: keys[index])
        }
    }
}

extension Assembly {
    private func key(of part: Composite.Part, in pipeline: DataPipeline) throws(SourceError) -> Key {
        try composite.key(of: part, in: pipeline, parameters) { argument throws(SourceError) in try text(of: argument) }
    }

    private func text(of argument: PartArgument) throws(SourceError) -> String {
        if let text = argument.text(parameters) { return text }
        guard case .part(let name, let place) = argument.value,
            let index = parts.firstIndex(where: { $0.name.hasSameBytes(as: name) }), let value = value(of: index)
        else { throw SourceError("an argument has no value", kind: .invalid) }
        return try Reference.text(at: place, in: value.bytes, value.range, of: "`\(name)`")
    }

    /// The value of a part, or its default.
    func value(of index: Int) -> JSONFragment? {
        if let result = results[index], result.ending == .value { return result.value }
        guard results[index] != nil || schedule.skipped(index) != nil else { return nil }
        return parts[index].spec.defaultValue.map { JSONFragment($0) }
    }

    /// What a part's outcome is worth.
    private func result(of outcome: Outcome, _ index: Int, with followed: LinkRun.Followed? = nil) -> PartResult {
        let part = parts[index]
        var times = PartTimes()
        // Other parts may share the outcome, and need the value.
        switch part.spec.isRequired ? outcome.result : outcome.asked(with: demand.policy).result {
        case .failed(let failure): return PartResult(failed: failure, outcome)
        case .notFound:
            times.use(outcome, as: "part `\(part.name)`", plainName: "part \(part.name)")
            return PartResult(notFound: outcome, times)
        case .value(let entry):
            do throws(SourceError) {
                let value = try composite.selected(part, of: pipelines[index], followed?.payload ?? entry.payload ?? [])
                times.use(outcome, as: "part `\(part.name)`", plainName: "part \(part.name)")
                if let followed { times.use(followed.times) }
                return PartResult(value, of: outcome, times, followed: followed?.composition)
            } catch {
                return PartResult(failed: error, key: outcome.key, outcome: outcome)
            }
        }
    }
}

/// What came of assembling a whole.
struct AssembledWhole: Sendable {
    enum Ending: Sendable {
        case value([UInt8])
        /// A required part is not there, as its origin said.
        case notFound
        /// A required part is not there, and no origin said so.
        case none
        case failed(SourceError)
    }

    let ending: Ending
    let times: PartTimes
    let composition: Composition
    /// Whether the time was over before all parts had ended.
    let isCut: Bool
}
