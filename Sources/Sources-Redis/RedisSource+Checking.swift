public import Pipeline

extension RedisSource: CheckableSource {
    /// Connects anew, authenticates, selects the database and asks for a sign of life. Changes nothing on the server.
    public func check() async throws -> Reachability {
        await (try connector.connect()).close()
        return .reachable
    }
}
