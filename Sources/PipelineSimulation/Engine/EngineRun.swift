internal import Pipeline
internal import PipelineConfig
internal import PipelineScenarios
private import Synchronization

/// The engine itself, which plays a trace in virtual time.
///
/// Requests that a cache answers at once follow each other in one task. One that has to wait keeps its task, and the next begins another.
final class EngineRun: Sendable {
    private struct Cursor {
        var next = 0
        /// The task that takes requests now.
        var taker: UInt64 = 0
    }

    private let loop: JobLoop
    private let time: SimulatedClock
    private let clock: PipelineClock
    private let pipelines: Pipelines
    private let pipeline: DataPipeline
    private let world: EngineWorld
    private let trace: Trace
    private let names: [String]
    private let isUnchanging: Bool
    private let end: Int
    private let stop: StopFlag
    private let progress: @Sendable (Double) -> Void
    private let cursor = Mutex(Cursor())

    /// A flag that says whether requests are still taken.
    private final class StopFlag: Sendable {
        let isSet = Atomic(false)
    }

    /// The number of requests that are played between two notes of progress.
    private static let pace = 4_096

    /// Plays the first `count` requests of `trace` on a thread of its own. When the task is cancelled, no more of them are begun.
    ///
    /// - Parameter progress: called now and then with the part of the requests that has been begun.
    /// - Returns: What was counted, the first answers, and how many requests were begun.
    static func play(
        _ pipeline: SimulatedPipeline, _ trace: Trace, first count: Int, warmUp: Int, recording: Int,
        progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) async throws -> (tally: Tally, record: [Answer?], played: Int) {
        let stop = StopFlag()
        return try await withTaskCancellationHandler {
            try await JobLoop.run { loop in
                Result {
                    try EngineRun(
                        pipeline, trace, first: count, warmUp: warmUp, recording: recording, on: loop, until: stop, progress: progress
                    ).play()
                }
            }.get()
        } onCancel: {
            stop.isSet.store(true, ordering: .relaxed)
        }
    }

    private init(
        _ simulated: SimulatedPipeline, _ trace: Trace, first count: Int, warmUp: Int, recording: Int, on loop: JobLoop,
        until stop: StopFlag, progress: @escaping @Sendable (Double) -> Void
    ) throws {
        (self.loop, self.stop, self.progress) = (loop, stop, progress)
        self.trace = trace
        end = min(count, trace.requests.count)
        time = SimulatedClock(loop)
        clock = time.makeClock()
        let tally = Tally(simulated, trace: trace, warmUp: warmUp)
        isUnchanging = tally.isUnchanging
        world = EngineWorld(trace, tally: tally, recording: recording)
        names = simulated.tiers.map(\.name)
        let tiers = try simulated.tiers.enumerated().map { [clock, world] number, tier in
            let spec: SourceSpec
            if let memory = try simulated.memory(of: tier, clock: clock) {
                spec = SourceSpec(tier.name, memory, cache: memory, capabilities: tier.capabilities)
            } else {
                let source = EngineSource(tier, number: number, of: simulated, world: world, clock: clock)
                let cache = tier.isCache ? EngineCache(source: source) : nil
                spec = SourceSpec(tier.name, cache ?? EngineOrigin(source: source), cache: cache, capabilities: tier.capabilities)
            }
            return TierSpec(spec, tier.plan.policy)
        }
        let spec = PipelineSpec(simulated.name, policy: simulated.policy, tiers: tiers)
        pipelines = try Pipelines([spec], clock: clock, random: simulated.random)
        pipeline = try pipelines.pipeline(named: simulated.name)
    }

    private func play() -> (tally: Tally, record: [Answer?], played: Int) {
        while true {
            loop.drain()
            let next = cursor.withLock(\.next)
            guard next < end, !stop.isSet.load(ordering: .relaxed) else { break }
            let moment = SimulatedClock.start + trace.requests[next].time
            if let deadline = time.nextDeadline, deadline <= moment {
                time.wakeNext()
                continue
            }
            time.skip(to: moment)
            takeRequests()
        }
        // What comes after the last request of the comparison belongs to requests that are not played.
        while time.wakeNext() {}
        let (tally, record) = world.result
        _ = loop.start { [pipelines] in await pipelines.shutDown(within: .zero) }
        loop.drain()
        time.abandonSleepers()
        return (tally, record, cursor.withLock(\.next))
    }

    /// Begins a task that takes one request after the other, until one has to wait or time has to pass otherwise.
    private func takeRequests() {
        let number = cursor.withLock { cursor in
            cursor.taker += 1
            return cursor.taker
        }
        _ = loop.start { await self.takeRequests(as: number) }
    }

    private func takeRequests(as number: UInt64) async {
        while let index = nextRequest(of: number) {
            let request = trace.requests[index]
            if request.size > 0 { world.noteRequest(request) }
            let key = trace.keys[Int(request.key)]
            switch request.operation {
            case .fetch:
                guard let outcome = try? await pipeline.fetch(key, policy: request.policy) else { return }
                note(outcome, of: index, request, key)
            case .put:
                _ = try? await pipeline.put(world.written(for: key, at: clock.now), for: key)
            case .remove: _ = try? await pipeline.remove(key)
            }
        }
    }

    /// The request that the task of this number plays next; nil if it must leave the rest to others.
    private func nextRequest(of number: UInt64) -> Int? {
        guard loop.isIdle, !stop.isSet.load(ordering: .relaxed) else { return nil }
        let next = cursor.withLock { cursor -> Int? in
            guard cursor.taker == number, cursor.next < end else { return nil }
            return cursor.next
        }
        guard let next else { return nil }
        let moment = SimulatedClock.start + trace.requests[next].time
        if moment > time.now {
            if let deadline = time.nextDeadline, deadline <= moment { return nil }
            time.skip(to: moment)
        }
        if next % Self.pace == 0 { progress(Double(next) / Double(end)) }
        cursor.withLock { $0.next = next + 1 }
        return next
    }

    private func note(_ outcome: Outcome, of index: Int, _ request: TraceRequest, _ key: Key) {
        var answer: Answer
        switch outcome.result {
        case .failed: answer = Answer(ending: .failed)
        case .notFound: answer = Answer(ending: .notFound)
        case .value(let entry):
            answer = Answer(ending: .value)
            answer.tier = Int32(names.firstIndex { $0 == outcome.source } ?? -1)
            answer.isStale = outcome.isStale
            answer.isJoined = outcome.joined != nil
            answer.loaded = entry.created.nanoseconds - MachineTime.start
        }
        answer.latency = outcome.ended.nanoseconds - MachineTime.start - request.time
        let origin = isUnchanging ? nil : outcome.answer.flatMap { entry in names.firstIndex { $0 == entry.source } }
        world.note(answer, to: index, at: request.time, key: key, of: origin)
    }
}
