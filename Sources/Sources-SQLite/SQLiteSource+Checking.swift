public import Pipeline

extension SQLiteSource: CheckableSource {
    /// Looks whether the database could be used, or made where there is none. Opens no database: SQLite would write beside it.
    public func check() async throws -> Reachability {
        try Task.checkCancellation()
        try database.check()
        return .reachable
    }
}
