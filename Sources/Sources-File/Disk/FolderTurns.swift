internal import Pipeline
internal import Synchronization

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
