internal import Pipeline
private import Synchronization

/// Variants of a pipeline, and the runs that tell them apart.
///
/// The first variant runs twice in each block, the second time as another pipeline with caches of its own: what differs there is chance.
public struct Comparison: Sendable {
    /// The run that is about to begin.
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
    /// The number of blocks.
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

    /// The least number of calls of origins in one block, unless requests share loads: for each request of a variant that asks an origin
    /// first. Of its warm-up there are three windows.
    ///
    /// - Parameter requests: the number of requests of a run.
    public func leastCallsOfBlock(requests: Double) -> Int {
        let share = isCold ? 1 : 1 + Double(WarmUp.windows) / Double(LoadGenerator.windows)
        return subjects.count(where: \.demand.begins) * Int((requests * share).rounded(.down))
    }

    /// The greatest number of calls of origins in all blocks: for each request every origin, each as often as it may be tried.
    public func mostCalls(requests: Double) -> Int {
        let perRun = Int((requests * (isCold ? 1 : 2)).rounded(.up))
        return subjects.reduce(0) { $0 + $1.demand.most * (perRun * runs + Self.firstFetches) }
    }

    /// The number of fetches of each variant that show whether it answers at all.
    private static let firstFetches = 3

    /// Asks each variant for the first keys of the plan. Gives the first variant that answers none of them, and why.
    ///
    /// Throws `CancellationError` when the task is cancelled, and ``OriginLimitReached``.
    package func firstFailure() async throws -> (variant: Int, reason: String)? {
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

    /// Runs all blocks and leaves each in `log` when it is complete.
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

/// The order of the runs: each variant once in a block, in an order that is drawn anew for each block.
///
/// What changes slowly (the machine's temperature, the origin's load) so meets all variants alike.
public struct BlockOrder: Sendable {
    private let count: Int
    private let seed: UInt64

    /// - Parameter count: how many variants there are.
    public init(of count: Int, seed: UInt64) {
        (self.count, self.seed) = (count, seed)
    }

    /// The variants of a block, by their number, in the order in which they run.
    public subscript(block: Int) -> [Int] {
        var random = RandomGenerator.seeded(seed ^ UInt64(block).scrambled)
        return Array(0..<count).shuffled(using: &random)
    }
}

/// The blocks of a comparison that are complete.
public final class BlockLog: Sendable {
    private let state = Mutex<[[ComparedRun]]>([])

    /// Makes a log without a block.
    public init() {}

    /// The runs of all subjects of each block, in the order of the subjects.
    public var blocks: [[ComparedRun]] { state.withLock { $0 } }

    func add(_ block: [ComparedRun]) {
        state.withLock { $0.append(block) }
    }
}

/// The run of one variant in one block.
public struct ComparedRun: Sendable {
    /// The latencies of its requests: from the planned start in an open load, from the start in a closed one.
    public internal(set) var latencies = LatencySample()
    /// The number of requests that each source answered with a value; none that joined a load.
    public internal(set) var answered: [String: Int] = [:]
    /// Requests that waited for a load that ran already, which gave a value.
    public internal(set) var joined = 0
    /// Answers that had expired. They count for their source, too.
    public internal(set) var stale = 0
    /// Requests without an answer.
    public internal(set) var failed = 0
    /// Requests for what there is not.
    public internal(set) var notFound = 0
    /// Requests that began more than ``LoadGenerator/lateness`` after their planned start, so that this machine is a part of their latency.
    public internal(set) var late = 0
    /// The number of calls of each origin.
    public internal(set) var originCalls: [String: Int] = [:]
    /// The warm-up before it; nil without one.
    public internal(set) var warmUp: WarmUp?
    /// The reason why the first of the failed requests failed.
    public internal(set) var failure: String?

    /// The number of requests.
    public var requests: Int { latencies.count }
}
