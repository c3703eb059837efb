import Synchronization

/// The connections of change sources. Feeds whose sources and channels are equal share one.
final class LiveConnections: Sendable {
    private struct ID: Hashable {
        let source: ObjectIdentifier
        let channel: ExactName
    }

    let clock: PipelineClock
    let random: RandomGenerator
    let redactor: Redactor
    private let state = Mutex((connections: [ID: LiveConnection](), isOver: false))

    init(clock: PipelineClock, random: RandomGenerator, redactor: Redactor) {
        self.clock = clock
        self.random = random
        self.redactor = redactor
    }

    /// How many connections there are, for tests.
    var count: Int { state.withLock(\.connections.count) }

    /// Ends all connections; none begins any more.
    func end() {
        let connections = state.withLock { state in
            defer { state = ([:], true) }
            return state.connections.values
        }
        for connection in connections { connection.end() }
    }

    /// The feed of `pipeline` over the connection that `key` needs. Throws what the source throws when there can be none.
    func feed(_ spec: FeedSpec, of pipeline: DataPipeline, for key: Key) throws -> Feed? {
        guard let source = spec.source.live else { return nil }
        let id = ID(source: ObjectIdentifier(spec.source.identity), channel: ExactName(try source.channel(for: key)))
        let connection = state.withLock { state -> LiveConnection? in
            if state.isOver { return nil }
            if let known = state.connections[id], !known.isOver { return known }
            let new = LiveConnection(spec.name, source, for: key, among: self) { [weak self] ended in
                self?.state.withLock { if $0.connections[id] === ended { $0.connections[id] = nil } }
            }
            state.connections[id] = new
            return new
        }
        return connection?.feed(spec, of: pipeline)
    }
}
