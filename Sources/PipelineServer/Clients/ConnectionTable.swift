internal import Pipeline
private import Synchronization

/// The open connections of a server, and how many of them there may be.
package final class ConnectionTable: Sendable {
    /// The effect of a new connection on the next one.
    enum Admission: Equatable {
        /// Room for the next one.
        case open
        /// Room for the next one as soon as an idle connection that is sent away has ended.
        case makingRoom
        /// No connection can be sent away now. One can at that moment; nil while every one has a request under way.
        case full(until: Timestamp?)
    }

    private struct State {
        /// The number of connections that were accepted and have not ended.
        var count = 0
        var connections: [ObjectIdentifier: (number: Int, connection: ClientConnection)] = [:]
        /// Counts the connections that have begun.
        var last = 0
        var isFull = false
        var isDraining = false
        /// Indicates whether writes are answered without their outcome.
        var isHurrying = false
        /// Waits for the last connection's end.
        var ended: Race<Void>?

        /// The latest first: a request that waits for its turn at an origin must not get the turn of one that is ended before it.
        var latestFirst: [ClientConnection] { connections.values.sorted { $0.number > $1.number }.map(\.connection) }
    }

    private let limit: Int
    private let state = Mutex(State())
    private let room = Mutex<(@Sendable () -> Void)?>(nil)

    package init(limit: Int) {
        self.limit = limit
    }

    /// Indicates whether the server was told to stop.
    package var isDraining: Bool { state.withLock { $0.isDraining } }

    var isHurrying: Bool { state.withLock { $0.isHurrying } }

    /// Indicates whether a client that keeps its connection open keeps another one out.
    var isFull: Bool { state.withLock { $0.isFull } }

    /// Has `notify` called each time that there is room again.
    func whenRoom(_ notify: @escaping @Sendable () -> Void) {
        room.withLock { $0 = notify }
    }

    /// Admits an accepted connection, and makes room for the next one.
    func accept(at now: Timestamp) -> Admission {
        state.withLock { state in
            state.count += 1
            state.isFull = state.count >= limit
        }
        return makeRoom(at: now)
    }

    /// At the limit, sends away the connection that has been dispensable for longest; no other may be accepted before it has ended.
    func makeRoom(at now: Timestamp) -> Admission {
        let (isFull, all, count) = state.withLock { ($0.isFull, $0.connections.values.map(\.connection), $0.count) }
        guard isFull else { return .open }
        let dispensable = all.compactMap { connection in connection.dispensableFrom.map { (connection, $0) } }
        let oldest = dispensable.min { $0.1 < $1.1 }
        if let oldest, oldest.1 <= now {
            oldest.0.close()
            return .makingRoom
        }
        // One that was accepted and has not begun is new.
        return .full(until: oldest?.1 ?? (all.count < count ? now + ServerLimits.grace : nil))
    }

    /// Enters a connection that has begun.
    func enter(_ connection: ClientConnection) {
        let isDraining = state.withLock { state in
            state.last += 1
            state.connections[ObjectIdentifier(connection)] = (state.last, connection)
            return state.isDraining
        }
        if isDraining { connection.close() }
    }

    /// A connection that had begun has ended.
    func leave(_ connection: ClientConnection) {
        state.withLock { $0.connections[ObjectIdentifier(connection)] = nil }
    }

    /// A connection that was accepted has ended, whether it had begun or not.
    func release() {
        let (ended, isFreed) = state.withLock { state -> (Race<Void>?, Bool) in
            state.count -= 1
            let isFreed = state.isFull && state.count < limit
            if isFreed { state.isFull = false }
            return (state.count == 0 ? state.ended : nil, isFreed)
        }
        ended?.finish(.success(()))
        if isFreed { room.withLock { $0 }?() }
    }

    /// Ends all connections: those with an answer under way when it is written, at the latest after `bound`. Answers to requests of low
    /// priority that are not made yet are not waited for. Writes that wait for their outcome are answered without it shortly before.
    func drain(within bound: Duration, clock: PipelineClock) async {
        let ended = Race<Void>()
        let (connections, isOver) = state.withLock { state in
            state.isDraining = true
            state.ended = ended
            return (state.latestFirst, state.count == 0)
        }
        if isOver { ended.finish(.success(())) }
        for connection in connections { connection.drain() }
        var alarm = AlarmSlot()
        alarm.set(at: clock.now + bound * 9 / 10, on: clock) { _ in
            let connections = self.state.withLock { state in
                state.isHurrying = true
                return state.latestFirst
            }
            for connection in connections { connection.hurry() }
        }
        defer { alarm.cancel(on: clock) }
        try? await clock.race(until: clock.now + bound, late: {}) { try await ended.value() }
        for connection in state.withLock({ $0.latestFirst }) { connection.close() }
    }
}
