/// A source that holds something open: a connection, a client, a database.
public protocol ConnectableSource: Source {
    /// Opens what the source needs, so that a problem shows before the first read. Reads connect by themselves, too.
    func connect() async throws
    /// Lets go of it. Reads after it fail.
    func close() async
}
