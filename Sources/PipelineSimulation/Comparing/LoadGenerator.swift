public import Pipeline

/// Asks a pipeline for what a plan says, at the times that the plan says.
public struct LoadGenerator: Sendable {
    /// A request that begins later than this after its planned start is late.
    public static let lateness = Duration.milliseconds(1)

    /// The shape in which the requests come.
    let shape: LoadShape
    /// The time a run lasts.
    let duration: Duration
    /// The precision with which a request begins: the time before its start in which the task yields instead of sleeping, since a sleep
    /// ends late.
    let precision: Duration
    let clock: PipelineClock

    /// - Parameter precision: zero for a clock that a test sets.
    public init(_ shape: LoadShape, duration: Duration, clock: PipelineClock, precision: Duration = .milliseconds(1)) {
        (self.shape, self.duration, self.clock, self.precision) = (shape, duration, clock, precision)
    }

    /// A run. Throws `CancellationError` when the task is cancelled, and ``OriginLimitReached`` when the origins may be asked no more.
    func run(_ requests: [TraceRequest], of keys: [Key], on pipeline: DataPipeline, _ calls: OriginCalls) async throws -> ComparedRun {
        let before = calls.bySource
        let record = try await play(requests, of: keys, on: pipeline, calls) { _, _ in false }
        var run = record.run
        run.originCalls = calls.bySource.merging(before) { $0 - $1 }.filter { $0.value > 0 }
        return run
    }

    /// Asks until the share of hits is steady, at the most for as long as a run lasts.
    func warmUp(_ requests: [TraceRequest], of keys: [Key], on pipeline: DataPipeline, _ calls: OriginCalls) async throws -> WarmUp {
        let start = clock.now
        let record = try await play(requests, of: keys, on: pipeline, calls) { WarmUp.isSteady($0.shares(before: $1)) }
        return WarmUp(duration: clock.now.duration(since: start), isSteady: record.isEnough)
    }

    /// The number of windows of a run.
    static let windows = 10

    private func window(at time: Duration) -> Int { max(0, Int(time / duration * Double(Self.windows))) }

    /// - Parameter isEnough: asked before a request, with its window.
    private func play(
        _ requests: [TraceRequest], of keys: [Key], on pipeline: DataPipeline, _ calls: OriginCalls,
        until isEnough: @escaping @Sendable (RunRecord, _ window: Int) -> Bool
    ) async throws -> RunRecord {
        let record = RunRecord(caches: Set(pipeline.spec.tiers.filter { !$0.source.isOrigin }.map(\.name)))
        let run = Run(record: record, keys: keys, pipeline: pipeline, start: clock.now, clock: clock) {
            if isEnough(record, $0) { record.setEnough() }
            return record.isEnough || calls.isExhausted
        }
        switch shape {
        case .open: await playOpen(requests, run)
        case .closed(let clients): await playClosed(requests, run, clients: clients)
        }
        try Task.checkCancellation()
        if calls.isExhausted { throw OriginLimitReached() }
        return record
    }

    /// The state that the requests of a run share.
    private struct Run: Sendable {
        let record: RunRecord
        let keys: [Key]
        let pipeline: DataPipeline
        let start: Timestamp
        let clock: PipelineClock
        let isOver: @Sendable (_ window: Int) -> Bool

        /// One request, whose latency counts from `planned`.
        func ask(_ request: TraceRequest, planned: Timestamp, window: Int) async {
            // It throws when the task is cancelled and when the pipeline is shut down: both end the run.
            guard let outcome = try? await pipeline.fetch(keys[Int(request.key)]) else { return }
            record.note(outcome, latency: clock.now.duration(since: planned), window: window)
        }
    }

    private func playOpen(_ requests: [TraceRequest], _ run: Run) async {
        await withDiscardingTaskGroup { group in
            for request in requests where request.time < duration.saturatedNanoseconds {
                let window = window(at: .nanoseconds(request.time))
                let planned = run.start + .nanoseconds(request.time)
                guard !run.isOver(window), await wait(until: planned) else { break }
                run.record.begin(window: window, isLate: clock.now.duration(since: planned) > Self.lateness)
                group.addTask { await run.ask(request, planned: planned, window: window) }
            }
            // What was asked before is given up.
            if Task.isCancelled { group.cancelAll() }
        }
    }

    private func playClosed(_ requests: [TraceRequest], _ run: Run, clients: Int) async {
        guard !requests.isEmpty else { return }
        await withDiscardingTaskGroup { group in
            for _ in 0..<clients {
                group.addTask {
                    while !Task.isCancelled {
                        let begin = clock.now
                        let time = begin.duration(since: run.start)
                        let window = window(at: time)
                        guard time < duration, !run.isOver(window) else { return }
                        let number = run.record.begin(window: window, isLate: false)
                        await run.ask(requests[number % requests.count], planned: begin, window: window)
                    }
                }
            }
        }
    }

    /// Returns when `moment` has come, as soon after it as the machine can; false when the task was cancelled.
    private func wait(until moment: Timestamp) async -> Bool {
        let rest = moment.duration(since: clock.now)
        if rest > precision, (try? await clock.sleep(for: rest - precision)) == nil { return false }
        while clock.now < moment {
            guard !Task.isCancelled else { return false }
            await Task.yield()
        }
        return !Task.isCancelled
    }
}

/// The shape in which requests come.
public enum LoadShape: Sendable, Hashable {
    /// Open: at their planned times, however long the answers take. So many come in a second; nil for the times of a trace.
    case open(rate: Double?)
    /// Closed: so many clients, each of which asks again when it has its answer. What would have come meanwhile is not counted, so that a
    /// stalled origin is asked, and seen, less.
    case closed(clients: Int)
}

/// The requests before a run, which bring its caches to where they stay.
public struct WarmUp: Sendable, Hashable {
    /// The time it took.
    public let duration: Duration
    /// Indicates whether the share of hits had become steady; otherwise it went on for as long as a run may take.
    public let isSteady: Bool

    /// The number of windows in a row that must agree.
    static let windows = 3

    /// Indicates whether the shares of hits in the last three windows agree within a hundredth.
    static func isSteady(_ shares: [Double]) -> Bool {
        let last = shares.suffix(windows)
        guard last.count == windows, let least = last.min(), let most = last.max() else { return false }
        // Shares are not exact in binary.
        return most - least <= 0.01 + 1e-9
    }
}
