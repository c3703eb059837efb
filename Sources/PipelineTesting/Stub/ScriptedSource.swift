public import Pipeline

/// A source that does what a test says and records its calls: ``StubSource`` and ``StubOrigin``.
///
/// What a call will do is decided when it begins: a change of the script does not reach calls that are running.
public protocol ScriptedSource: Source {
    /// The script of the source, and the calls it has received.
    var script: SourceScript { get }
}

extension ScriptedSource {
    /// Gives these answers to the reads that come, in order, and the last of them to every read after. Earlier answers are dropped.
    public func answers(_ first: StubAnswer, _ more: StubAnswer...) {
        let all = [first] + more
        script.withState { state in
            state.queued = Array(all.dropLast())
            state.standing = all.last ?? first
            state.choose = nil
        }
    }

    /// Gives this answer to one read; the reads after it get what they would have got without. Several queue up.
    public func answersOnce(_ answer: StubAnswer) {
        script.withState { $0.queued.append(answer) }
    }

    /// Gives each read the answer that `choose` picks for its key. Earlier answers are dropped.
    public func answers(_ choose: @escaping @Sendable (Key) -> StubAnswer) {
        script.withState { state in
            state.queued = []
            state.choose = choose
        }
    }

    /// Makes these operations fail from now on; all of them when none is named.
    ///
    /// - Parameter error: what they throw; a `SourceError` that names the source when left out.
    public func fail(_ operations: StubOperation..., with error: (any Error)? = nil) {
        script.withState { state in
            for operation in operations.isEmpty ? StubOperation.allCases : operations {
                state.failures[operation] = .some(error)
            }
        }
    }

    /// Lets these operations work again; all of them when none is named. Answers that are errors stay errors.
    public func recover(_ operations: StubOperation...) {
        script.withState { state in
            for operation in operations.isEmpty ? StubOperation.allCases : operations {
                state.failures.removeValue(forKey: operation)
            }
        }
    }

    /// Makes each such call wait at `gate` before it does anything.
    public func delay(_ operation: StubOperation, until gate: Gate, ignoringCancellation: Bool = false) {
        script.withState { state in
            state.pauses[operation] = StubPause(end: .opening(gate), ignoresCancellation: ignoringCancellation)
        }
    }

    /// Makes each such call wait for `duration` on the source's clock before it does anything, counted from when the call began.
    public func delay(_ operation: StubOperation, by duration: Duration, ignoringCancellation: Bool = false) {
        script.withState { state in
            state.pauses[operation] = StubPause(end: .passing(duration), ignoresCancellation: ignoringCancellation)
        }
    }

    /// Ends the delay of such calls, for those that begin from now on.
    public func stopDelaying(_ operation: StubOperation) {
        script.withState { _ = $0.pauses.removeValue(forKey: operation) }
    }
}

extension ScriptedSource {
    /// All calls so far, in the order they began.
    public var calls: [StubCall] { script.withState { $0.calls } }

    /// The number of such calls that began.
    public func count(of operation: StubOperation) -> Int { script.withState { $0.begun[operation] } }

    /// The number of reads that began; revalidations are counted apart.
    public var readCount: Int { count(of: .reads) }

    /// The number of writes that began.
    public var writeCount: Int { count(of: .writes) }

    /// The number of removals of one key that began.
    public var removeCount: Int { count(of: .removes) }

    /// The number of calls that run now.
    public func runningCount(of operation: StubOperation) -> Int { script.withState { $0.running[operation] } }

    /// The greatest number of such calls that ran at the same time.
    public func peakCount(of operation: StubOperation) -> Int { script.withState { $0.peak[operation] } }

    /// The number of calls that saw their task cancelled while they ran, those included that ignored it.
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
