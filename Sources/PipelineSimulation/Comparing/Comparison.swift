public import Pipeline

/// Variants of a pipeline, and the runs that tell them apart.
///
/// The first variant runs twice in each block, the second time as another pipeline with caches of its own: what differs there is chance.
public struct Comparison: Sendable {
    /// One of the pipelines that are compared.
    public struct Subject: Sendable {
        /// Holds the pipeline and nothing else.
        let pipelines: Pipelines
        let pipeline: DataPipeline
        /// The calls of its origins.
        let calls: OriginCalls

        /// The pipeline of `spec`, over sources of its own. Its origins are counted, also together with those of `common`.
        public init(
            _ spec: PipelineSpec, within common: OriginCalls, clock: PipelineClock, random: RandomGenerator, redactor: Redactor
        ) throws(UsageError) {
            calls = OriginCalls(within: common)
            var spec = spec
            spec.tiers = spec.tiers.map { [calls] in TierSpec(calls.counting($0.source), $0.policy) }
            // Changes that come by themselves would reach one variant while it is measured, and another while it waits.
            spec.live = []
            pipelines = try Pipelines([spec], clock: clock, random: random, redactor: redactor)
            pipeline = try pipelines.pipeline(named: spec.name)
        }

        /// Whether each load begins with a call of an origin.
        fileprivate var asksOriginFirst: Bool { spec.tiers.first { $0.policy.reads }?.source.isOrigin ?? false }

        /// How often one fetch asks origins at the most.
        fileprivate var mostCallsOfFetch: Int {
            spec.tiers.reduce(0) { $0 + ($1.source.isOrigin ? $1.policy.retry?.attempts ?? 1 : 0) }
        }

        /// What the pipeline was made from.
        public var spec: PipelineSpec { pipeline.spec }

        /// The key of a fetch with these arguments.
        public func key(_ arguments: [String: String]) throws(UsageError) -> Key { try pipeline.key(arguments) }

        /// Removes the copies from its caches, when they are its own, and ends it. Gives the names of caches that keep copies.
        public func end(removingCopies: Bool) async -> [String] {
            let report = removingCopies ? try? await pipeline.clear() : nil
            _ = await pipelines.shutDown()
            return report?.lines.filter { $0.failure != nil }.map(\.source) ?? []
        }
    }

    /// What is about to happen.
    public struct Progress: Sendable {
        /// The number of the block, from 0.
        public let block: Int
        /// The number of the subject.
        public let subject: Int
    }

    /// The variants, and last the first one once more.
    let subjects: [Subject]
    let plan: RequestPlan
    let generator: LoadGenerator
    /// How many blocks there are.
    let runs: Int
    let isCold: Bool
    let order: BlockOrder

    /// A comparison of `variants` with `itself`, which is the first of them once more.
    public init(
        _ variants: [Subject], itself: Subject, plan: RequestPlan, generator: LoadGenerator, runs: Int, isCold: Bool, seed: UInt64
    ) {
        subjects = variants + [itself]
        self.plan = plan
        self.generator = generator
        self.runs = runs
        self.isCold = isCold
        order = BlockOrder(of: variants.count + 1, seed: seed)
    }

    /// How often the origins are asked in one block at the least, unless requests share loads: for each request of a variant that asks an origin
    /// first. Of its warm-up there are three windows.
    ///
    /// - Parameter requests: how many a run has.
    public func leastCallsOfBlock(requests: Double) -> Int {
        let share = isCold ? 1 : 1 + Double(WarmUp.windows) / Double(LoadGenerator.windows)
        return subjects.count(where: \.asksOriginFirst) * Int((requests * share).rounded(.down))
    }

    /// How often the origins are asked in all blocks at the most: for each request every origin, each as often as it may be tried.
    public func mostCalls(requests: Double) -> Int {
        let perRun = Int((requests * (isCold ? 1 : 2)).rounded(.up))
        return subjects.reduce(0) { $0 + $1.mostCallsOfFetch * (perRun * runs + Self.firstFetches) }
    }

    /// So many fetches of each variant show whether it answers at all.
    private static let firstFetches = 3

    /// Asks each variant for the first keys of the plan. Gives the first variant that answers none of them, and why.
    ///
    /// Throws `CancellationError` when the task is cancelled, and ``OriginLimitReached``.
    public func firstFailure() async throws -> (variant: Int, reason: String)? {
        let keys = plan.requests(0, true).prefix(Self.firstFetches).map { plan.keys[Int($0.key)] }
        for (number, subject) in subjects.dropLast().enumerated() {
            var reason: String?
            for key in keys {
                let outcome = try await subject.pipeline.fetch(key)
                if subject.calls.isExhausted { throw OriginLimitReached() }
                guard case .failed(let error) = outcome.result else {
                    reason = nil
                    break
                }
                reason = reason ?? "\(error)"
            }
            if let reason { return (number, reason) }
        }
        return nil
    }

    /// Runs all blocks and leaves each in `log` when it is whole.
    ///
    /// Throws `CancellationError` when the task is cancelled, and ``OriginLimitReached``; what is in the log stays.
    public func run(into log: BlockLog, telling tell: @Sendable (Progress) -> Void = { _ in }) async throws {
        for block in 0..<runs {
            var runs: [ComparedRun?] = Array(repeating: nil, count: subjects.count)
            for number in order[block] {
                tell(Progress(block: block, subject: number))
                runs[number] = try await run(subjects[number], block: block)
            }
            log.add(runs.compactMap(\.self))
        }
    }

    private func run(_ subject: Subject, block: Int) async throws -> ComparedRun {
        var warmUp: WarmUp?
        if isCold {
            _ = try await subject.pipeline.clear()
        } else {
            warmUp = try await generator.warmUp(plan.requests(block, true), of: plan.keys, on: subject.pipeline, subject.calls)
        }
        var run = try await generator.run(plan.requests(block, false), of: plan.keys, on: subject.pipeline, subject.calls)
        run.warmUp = warmUp
        // What goes on in the background must not disturb the next run.
        await subject.pipeline.finishRefreshes()
        await subject.pipelines.flush(within: .seconds(5))
        try Task.checkCancellation()
        return run
    }
}
