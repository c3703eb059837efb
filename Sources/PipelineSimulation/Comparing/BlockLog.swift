private import Synchronization

/// The blocks of a comparison that are whole.
public final class BlockLog: Sendable {
    private let state = Mutex<[[ComparedRun]]>([])

    /// Without a block.
    public init() {}

    /// Of each block the runs of all subjects, in the order of the subjects.
    public var blocks: [[ComparedRun]] { state.withLock { $0 } }

    func add(_ block: [ComparedRun]) {
        state.withLock { $0.append(block) }
    }
}
