extension ScriptedSource {
    /// All calls so far, in the order they began.
    public var calls: [StubCall] { script.withState { $0.calls } }

    /// How many such calls began.
    public func count(of operation: StubOperation) -> Int { script.withState { $0.begun[operation] } }

    /// How many reads began; revalidations are counted apart.
    public var readCount: Int { count(of: .reads) }

    /// How many writes began.
    public var writeCount: Int { count(of: .writes) }

    /// How many removals of one key began.
    public var removeCount: Int { count(of: .removes) }

    /// How many calls run now.
    public func runningCount(of operation: StubOperation) -> Int { script.withState { $0.running[operation] } }

    /// How many such calls ran at the same time, at most.
    public func peakCount(of operation: StubOperation) -> Int { script.withState { $0.peak[operation] } }

    /// How many calls saw their task cancelled while they ran, those included that ignored it.
    public var cancellationCount: Int { script.withState { $0.cancellations } }

    /// Begins to record anew. What runs stays running.
    public func forgetCalls() {
        script.withState { $0.forgetCalls() }
    }

    /// Returns when at least `count` reads have begun, or when the calling task is cancelled.
    public func reads(atLeast count: Int) async { await script.waitForBegun(.reads, atLeast: count) }

    /// Returns when at least `count` revalidations have begun, or when the calling task is cancelled.
    public func revalidations(atLeast count: Int) async { await script.waitForBegun(.revalidations, atLeast: count) }

    /// Returns when at least `count` writes have begun, or when the calling task is cancelled.
    public func writes(atLeast count: Int) async { await script.waitForBegun(.writes, atLeast: count) }

    /// Returns when at least `count` removals have begun, or when the calling task is cancelled.
    public func removes(atLeast count: Int) async { await script.waitForBegun(.removes, atLeast: count) }

    /// Returns when at least `count` clears have begun, or when the calling task is cancelled.
    public func clears(atLeast count: Int) async { await script.waitForBegun(.clears, atLeast: count) }

    /// Returns when at least `count` such calls have begun, or when the calling task is cancelled.
    public func begun(_ operation: StubOperation, atLeast count: Int) async { await script.waitForBegun(operation, atLeast: count) }

    /// Returns when at least `count` such calls have ended, in whatever way, or when the calling task is cancelled.
    public func finished(_ operation: StubOperation, atLeast count: Int) async {
        await script.waitForFinished(operation, atLeast: count)
    }

    /// Returns when at least `count` calls saw their task cancelled, or when the calling task is cancelled.
    public func cancellations(atLeast count: Int) async { await script.waitForCancellations(atLeast: count) }
}
