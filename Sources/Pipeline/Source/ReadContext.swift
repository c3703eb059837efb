import Synchronization

/// The context of a read: what it needs to know besides its key.
public struct ReadContext: Sendable {
    /// The moment from which on the answer is no longer needed; nil without a limit. The task of the read is cancelled then, or earlier
    /// when every caller has left.
    public var deadline: Timestamp?
    /// An answer that this origin gave before, and that it may confirm where that is cheaper than giving it again; nil for a cache.
    ///
    /// When it still holds, return it with its own payload and a new ``Entry/created``. Otherwise, or when the origin cannot confirm
    /// anything, read as without it.
    public var known: Entry?
    /// The priority of the load that reads, which may change while the read waits; nil if it is ``Priority/normal`` and stays so. It is
    /// handed on to the controller of PipelineNetwork; what it is now is ``priority``.
    public var load: LoadPriority?
    /// Proves that the key was not removed since the load began; nil outside of a pipeline, and for a cache.
    package var permit: Generations.WritePermit?
    /// The moment when the tier's own limit ends the read; nil if a caller's deadline comes first, which says nothing of the source.
    package var limit: Timestamp?
    /// Called before each request that the read sends after its first one; throws where it may send none. Nil where they are not counted.
    package var further: (@Sendable () throws -> Void)?
    /// Indicates whether the value is for a part that a composite can do without.
    package var isOptional: Bool { part?.isOptional ?? false }
    /// How the fetch is asked for that the read is a part of; nil for a fetch of its own.
    package var part: PartDemand?
    /// The policy with which the fetch asks: a source that asks other pipelines hands it on.
    package var policy = FetchPolicy.default
    /// The priority of the fetch, where there is no ``load``.
    var usualPriority = Priority.normal
    /// Whether the deadline is that of a caller, or a limit that the tier was given.
    package var isBound = false
    /// Whether the last values of what has not changed will do.
    package var recalls = false
    /// Whether the copy that is judged is in memory: what changes it in this process expires it there.
    package var isInMemory = false
    /// The closure with which the source leaves what it knows of its answer beside the entry.
    package var note: (@Sendable (any ReplyDetail) -> Void)?
    /// The priority of the load at this moment.
    public var priority: Priority { load?.current ?? usualPriority }

    /// The closure to which the read reports the bytes that have come, and the size of the complete answer if it knows that; nil if no
    /// caller can wait for it. It may be called for each part: callers get at most ten reports a second.
    public var report: (@Sendable (_ received: Int, _ total: Int?) -> Void)?

    /// A read that must end by `deadline` and may confirm `known`.
    public init(
        deadline: Timestamp? = nil, confirming known: Entry? = nil, load: LoadPriority? = nil,
        report: (@Sendable (_ received: Int, _ total: Int?) -> Void)? = nil
    ) {
        self.deadline = deadline
        self.known = known
        self.load = load
        self.report = report
    }
}

/// What bounds all loads of one fetch together, those of composites within composites included.
package final class FetchBounds: Sendable {
    /// The most loads of one fetch.
    package static let mostLoads = 10_000
    /// The most calls of origins at the same time, unless a composite says otherwise.
    package static let usualCalls = 16

    /// The calls of origins at the same time.
    let calls: CallPermits
    private let loads = Atomic(0)

    /// - Parameter concurrency: the most calls of origins at the same time.
    init(concurrency: Int = usualCalls) { calls = CallPermits(concurrency) }

    /// Counts further loads. Throws when they are too many.
    package func add(_ loads: Int) throws(SourceError) {
        let count = self.loads.add(loads, ordering: .relaxed).newValue
        if count > Self.mostLoads {
            throw SourceError("\(count) loads, and no more than \(Self.mostLoads) are allowed for one fetch", kind: .invalid)
        }
    }
}
