import Pipeline
import PipelineSockets
import Synchronization

/// One source's use of shared clients: each taken at the first request to its hosts, all given back once.
final class ClientLease: Sendable {
    private enum State {
        case open([SharedClients.Kind: RepeatingClient])
        case closed
    }

    private let proxy: ProxyAddress?
    private let maySpeakHTTP2: Bool
    private let idleLimit: Duration
    private let state = Mutex(State.open([:]))

    init(for settings: HTTPSettings) {
        proxy = settings.proxy
        maySpeakHTTP2 = settings.maySpeakHTTP2
        idleLimit = settings.idleLimit
    }

    /// The client for requests to `url`; throws when the lease was closed.
    func client(for url: HTTPURL) throws -> RepeatingClient {
        let route = Route(to: url, through: proxy)
        let group = HostLoops.process.group(for: route.address(for: url))
        let kind = SharedClients.Kind(
            group: group, route: route, maySpeakHTTP2: maySpeakHTTP2, idleLimit: idleLimit)
        return try state.withLock { state in
            guard case .open(var clients) = state else { throw SourceError("the source is closed") }
            if let client = clients[kind] { return client }
            let client = SharedClients.process.take(kind, group: group)
            clients[kind] = client
            state = .open(clients)
            return client
        }
    }

    var isClosed: Bool {
        state.withLock { if case .closed = $0 { true } else { false } }
    }

    /// Gives the clients back. Closing again does nothing.
    func close() async {
        let taken: [SharedClients.Kind] = state.withLock { state in
            defer { state = .closed }
            return if case .open(let clients) = state { Array(clients.keys) } else { [] }
        }
        for kind in taken { await SharedClients.process.giveBack(kind) }
    }
}
