import Pipeline
import Synchronization

extension Commons {
    /// The connections of change sources, which end with everything else.
    var connections: LiveConnections {
        member {
            let connections = LiveConnections(clock: clock, random: random, redactor: redactor)
            _ = closing.add { connections.end() }
            return connections
        }
    }
}

/// The connections of change sources. Feeds whose sources and channels are equal share one, and so do sources of one type with equal settings.
final class LiveConnections: Sendable {
    private struct ID: Hashable {
        /// The source, or its type where it shares its connections.
        let source: ObjectIdentifier
        let settings: Settings?
        let channel: ExactName

        init(_ spec: SourceSpec, _ source: any LiveSource, _ channel: String) {
            settings = source.sharedSettings.map { Settings(values: $0) }
            self.source = settings == nil ? ObjectIdentifier(spec.identity) : ObjectIdentifier(type(of: source))
            self.channel = ExactName(channel)
        }
    }

    private struct Settings: Hashable, Sendable {
        let values: [any Hashable & Sendable]

        static func == (left: Self, right: Self) -> Bool { left.values.map { AnyHashable($0) } == right.values.map { AnyHashable($0) } }

        func hash(into hasher: inout Hasher) {
            for value in values { value.hash(into: &hasher) }
        }
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
        try connection(spec, for: key)?.feed(spec, of: pipeline)
    }

    /// The connection that `key` needs; nil when everything has ended.
    func connection(_ spec: FeedSpec, for key: Key) throws -> LiveConnection? {
        guard let source = spec.source.live else { return nil }
        let id = ID(spec.source, source, try source.channel(for: key))
        return state.withLock { state -> LiveConnection? in
            if state.isOver { return nil }
            if let known = state.connections[id], !known.isOver { return known }
            let new = LiveConnection(spec.name, source, for: key, among: self) { [weak self] ended in
                self?.state.withLock { if $0.connections[id] === ended { $0.connections[id] = nil } }
            }
            state.connections[id] = new
            return new
        }
    }
}
