internal import Pipeline
internal import PipelineConfig
internal import Synchronization

/// Changes folders while no other task and no other process does; a wait for that takes no thread.
struct FolderLocks: Sendable {
    /// The result of an attempt.
    enum Attempt<Value: Sendable>: Sendable {
        case done(Value)
        /// Others are changing the folder. Nothing has been done that the next attempt would not do again.
        case busy(FolderIdentity)
    }

    /// The time that a tier has to answer if its `timeout` does not say otherwise.
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

    /// Does `body` with the folder's lock held; returns nil if another task has the turn, or another process the lock.
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

/// Lets one task of this process at a time change what is in a folder; the others wait in line, on no thread.
///
/// The lock of a folder would do the same, but a wait for it means trying again and again.
final class FolderTurns: Sendable {
    static let shared = FolderTurns()

    /// The tasks that wait for each folder whose turn is taken.
    private let lines = Mutex<[FolderIdentity: WaitingLine<Race<Void>>]>([:])

    /// Takes the turn unless it is taken. ``giveBack(_:)`` ends it.
    func tryTake(_ folder: FolderIdentity) -> Bool {
        lines.withLock { lines in
            guard lines[folder] == nil else { return false }
            lines[folder] = WaitingLine()
            return true
        }
    }

    /// Waits for the turn. Throws when the task is cancelled; then it is not taken.
    func take(_ folder: FolderIdentity) async throws {
        let race = Race<Void>()
        let number = lines.withLock { lines -> UInt64? in
            guard lines[folder] != nil else {
                lines[folder] = WaitingLine()
                return nil
            }
            return lines[folder]?.add(race)
        }
        guard let number else { return }
        do {
            try await race.value()
        } catch {
            lines.withLock { _ = $0[folder]?.remove(number) }
            throw error
        }
    }

    /// Ends the turn, which passes to the task that has waited longest.
    func giveBack(_ folder: FolderIdentity) {
        while let next = next(in: folder) {
            // A task that was cancelled meanwhile does not take it.
            if next.finish(.success(())) { return }
        }
    }

    private func next(in folder: FolderIdentity) -> Race<Void>? {
        lines.withLock { lines in
            let next = lines[folder]?.popFirst()
            if next == nil { lines[folder] = nil }
            return next
        }
    }
}
