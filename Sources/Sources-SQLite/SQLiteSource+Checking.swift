public import Pipeline

extension SQLiteSource {
    /// Checks whether the database could be used, or made where there is none. Reads one that is there, and writes nothing.
    public func check() async throws -> Reachability {
        try Task.checkCancellation()
        try await database.check()
        return .reachable
    }
}
