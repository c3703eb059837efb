internal import Pipeline

/// Variants of a pipeline, and the runs that tell them apart.
///
/// The first variant runs twice in each block, the second time as another pipeline with caches of its own: what differs there is chance.
public struct Comparison: Sendable {
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
        return subjects.count(where: \.demand.begins) * Int((requests * share).rounded(.down))
    }

    /// How often the origins are asked in all blocks at the most: for each request every origin, each as often as it may be tried.
    public func mostCalls(requests: Double) -> Int {
        let perRun = Int((requests * (isCold ? 1 : 2)).rounded(.up))
        return subjects.reduce(0) { $0 + $1.demand.most * (perRun * runs + Self.firstFetches) }
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
                guard let error = outcome.error else {
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
            _ = try await subject.clear()
        } else {
            warmUp = try await generator.warmUp(plan.requests(block, true), of: plan.keys, on: subject.pipeline, subject.calls)
        }
        var run = try await generator.run(plan.requests(block, false), of: plan.keys, on: subject.pipeline, subject.calls)
        run.warmUp = warmUp
        // What goes on in the background must not disturb the next run.
        await subject.settle()
        try Task.checkCancellation()
        return run
    }
}
