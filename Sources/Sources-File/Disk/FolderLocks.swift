internal import Pipeline
internal import PipelineConfig

/// Changes folders while no other task and no other process does; a wait for that takes no thread.
struct FolderLocks: Sendable {
    /// The result of an attempt.
    enum Attempt<Value: Sendable>: Sendable {
        case done(Value)
        /// Others are changing the folder. Nothing has been done that the next attempt would not do again.
        case busy(FolderIdentity)
    }

    /// As long as a tier has to answer where its `timeout` does not say otherwise.
    private static let limit = Duration.seconds(30)
    private static let pauses = Duration.milliseconds(1)...Duration.milliseconds(50)

    let clock: PipelineClock
    private let turns = FolderTurns.shared

    init(clock: PipelineClock) {
        self.clock = clock
    }

    /// Makes `attempt` until it is done: again after the turn of a busy folder has come, and then, while another process holds the folder,
    /// after pauses that grow. Throws when that takes too long, or the task is cancelled.
    ///
    /// - Parameter attempt: runs on a thread that may wait for the disk; gets the folder whose turn is taken for it.
    func run<Value: Sendable>(
        toChange path: String, _ attempt: @escaping @Sendable (FolderIdentity?) throws -> Attempt<Value>
    ) async throws -> Value {
        var owned: FolderIdentity?
        defer { if let owned { turns.giveBack(owned) } }
        let end = clock.now + Self.limit
        var pause = Self.pauses.lowerBound
        while true {
            let turn = owned
            switch try await DiskExecutor.shared.run({ try attempt(turn) }) {
            case .done(let value): return value
            case .busy(let folder) where folder == owned:
                guard clock.now < end else {
                    throw SourceError(
                        "cannot change \(path): another process has held its folder for \(Self.limit.written ?? "too long")", kind: .timeout
                    )
                }
                try await clock.sleep(for: pause)
                pause = min(pause * 2, Self.pauses.upperBound)
            case .busy(let folder):
                if let owned { turns.giveBack(owned) }
                owned = nil
                try await turns.take(folder)
                owned = folder
            }
        }
    }

    /// Does `body` with the folder's lock held; returns nil when another task has the turn, or another process the lock.
    ///
    /// - Parameters:
    ///   - owned: the folder whose turn the caller has.
    ///   - preparing: done in the turn and before the lock.
    func holding<Value>(
        _ folder: Folder, owned: FolderIdentity?, preparing: () throws -> Void = {}, _ body: () throws -> Value
    ) throws -> Value? {
        let identity = try folder.identity()
        if identity != owned {
            guard turns.tryTake(identity) else { return nil }
        }
        defer { if identity != owned { turns.giveBack(identity) } }
        try preparing()
        return try folder.locked(body)
    }
}
