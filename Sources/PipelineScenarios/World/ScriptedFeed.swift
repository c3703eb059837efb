internal import Pipeline
import PipelineLive
private import Synchronization

/// The server of a change source in a test. It outlives the processes.
final class FeedServer: Sendable {
    private struct Connection {
        let key: Key
        let listener: LiveListener
        let ending: Race<LiveEnding>
    }

    private struct State {
        var outage = GivenOutage()
        var connections: [Int: Connection] = [:]
        var last = 0
    }

    let name: String
    let log: SourceLog
    private let state = Mutex(State())

    init(_ name: String, log: SourceLog) {
        (self.name, self.log) = (name, log)
    }

    /// Indicates whether a process is connected.
    var isConnected: Bool { state.withLock { !$0.connections.isEmpty } }

    func set(outage: Outage?, at elapsed: Int64) {
        state.withLock { $0.outage = GivenOutage(outage: outage, since: elapsed) }
    }

    /// Sends a message to every connection, or to those for `key`. Returns its fate for each key; nil if there is no connection.
    func send(_ message: LiveMessage, for key: Key?) -> [MessageFate]? {
        let connections = state.withLock { state in
            state.connections.sorted { $0.key < $1.key }.map(\.value).filter { key == nil || $0.key == key }
        }
        return connections.isEmpty ? nil : connections.flatMap { $0.listener.deliver(message) }
    }

    /// Ends every connection.
    func disconnect() {
        let connections = state.withLock { state in
            defer { state.connections = [:] }
            return state.connections.sorted { $0.key < $1.key }.map(\.value)
        }
        for connection in connections { connection.ending.finish(.success(LiveEnding(.lost, "closed by the server"))) }
    }

    /// Serves a connection until it ends.
    fileprivate func serve(_ key: Key, _ listener: LiveListener, at elapsed: Int64) async throws -> LiveEnding {
        log.noteRead(of: name)
        let ending = Race<LiveEnding>()
        let number = state.withLock { state -> Int? in
            if state.outage.isDown(forReads: true, at: elapsed) { return nil }
            state.last += 1
            state.connections[state.last] = Connection(key: key, listener: listener, ending: ending)
            return state.last
        }
        guard let number else { throw SourceError("down") }
        defer { state.withLock { $0.connections[number] = nil } }
        listener.begin()
        return try await ending.value()
    }
}

/// A scripted change source as one process sees it.
struct ScriptedFeed: LiveSource {
    let server: FeedServer
    let access: ScriptedAccess
    /// The source that the plugin makes, for what connections depend on. It never connects.
    let declared: any LiveSource

    var reconnecting: ReconnectPolicy { declared.reconnecting }
    var resumes: Bool { declared.resumes }
    var sharedSettings: [any Hashable & Sendable]? { declared.sharedSettings }

    func channel(for key: Key) throws -> String { try declared.channel(for: key) }

    func listen(for key: Key, to listener: LiveListener) async throws -> LiveEnding {
        try access.check()
        return try await server.serve(key, listener, at: access.elapsed)
    }
}
