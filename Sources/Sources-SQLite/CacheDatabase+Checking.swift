internal import GRDB
internal import Pipeline
internal import Synchronization

extension CacheDatabase {
    /// Checks whether the database could be used, or made: opens it as a read does, and changes nothing.
    func check() async throws {
        let state = state.withLock { $0 }
        if case .closed = state { throw SourceError("the source is closed") }
        try file.expectAccess()
        // One that is open has been looked at.
        guard case .idle = state, try file.identity() != nil else { return }
        try await opening { wait in try self.locked(waiting: wait) { try self.look(waiting: wait) } }
    }

    /// While the folder is locked, so that no process begins to write.
    private func look(waiting wait: BusyWait) throws {
        do {
            try CacheSchema.expectUsable(LookingConnection(to: file, waiting: wait), at: path)
        } catch let error as DatabaseError where error.isOfDamage {
            if let refusal = refusal() { throw refusal }
            let words = error.message ?? "error \(error.extendedResultCode.rawValue)"
            throw SourceError("\(path) is damaged (\(words)); the next use sets it aside", kind: .invalid, cause: error)
        } catch let error as DatabaseError {
            throw cannotOpen(error)
        }
    }
}
