import Synchronization

/// The leases that this process has of one source, so that it leaves none behind when it ends.
final class LeaseBook: Sendable {
    /// A lease that must be released.
    struct Line: Sendable {
        let lease: Lease
        /// The right to write what is loaded under it.
        let permit: Generations.WritePermit?
        /// Releases the lease, when the writes of its key have ended.
        let giveBack: @Sendable () -> Void
        /// Which copies the load had to bring; nil until it has ended by itself.
        var isWanted: (@Sendable (Entry) -> Bool)?
        /// When another process may take it.
        var end: Timestamp
        /// Whether it is renewed before it ends.
        var isRenewed = true
        /// Rings when it must be renewed.
        var alarm = AlarmSlot()
        /// Ends with the renewal that is under way.
        var renewal: Race<Void>?

        init(lease: Lease, permit: Generations.WritePermit?, giveBack: @escaping @Sendable () -> Void) {
            self.lease = lease
            self.permit = permit
            self.giveBack = giveBack
            end = lease.end
        }
    }

    private struct State {
        var lines: [Key: Line] = [:]
        /// Leases that are being taken or released.
        var underWay = 0
        var isClosed = false
        var waiters: [Race<Void>] = []

        var isSettled: Bool { lines.isEmpty && underWay == 0 }

        /// Removes and returns the waiters, when every lease is released.
        mutating func settled() -> [Race<Void>] {
            guard isSettled else { return [] }
            defer { waiters = [] }
            return waiters
        }
    }

    private let state = Mutex(State())

    /// Whether every lease is released.
    var isSettled: Bool { state.withLock(\.isSettled) }

    /// Notes that a lease is about to be taken: ``enter(_:)`` or ``end()`` says how that ended. Throws when the pipelines were shut down.
    func begin() throws(ShutDownError) {
        let isOpen = state.withLock { state in
            if !state.isClosed { state.underWay += 1 }
            return !state.isClosed
        }
        if !isOpen { throw ShutDownError() }
    }

    /// Notes that what was under way has ended, and that no lease is left of it.
    func end() {
        let settled = state.withLock { state in
            state.underWay -= 1
            return state.settled()
        }
        for race in settled { race.finish(.success(())) }
    }

    /// Notes that the lease was taken. One that this process had of the key before has run out.
    func enter(_ line: Line) {
        let isLate = state.withLock { state in
            state.underWay -= 1
            state.lines[line.lease.key] = line
            return state.isClosed
        }
        if isLate { line.giveBack() }
    }

    /// The lease of `key` whose load may not write any more.
    func outdatedLease(of key: Key) -> Lease? {
        state.withLock { $0.lines[key] }.flatMap { $0.permit?.isCurrent == false ? $0.lease : nil }
    }

    /// Notes that the load under `lease` has ended by itself.
    func noteLoaded(_ lease: Lease, _ isWanted: @escaping @Sendable (Entry) -> Bool) {
        change(lease) { $0.isWanted = isWanted }
    }

    /// Changes the line of `lease`; nil when the lease is released, or another took its place.
    @discardableResult
    func change<Value: Sendable>(_ lease: Lease, _ body: @Sendable (inout Line) -> Value) -> Value? {
        state.withLock { state in
            guard var line = state.lines[lease.key], line.lease.holder == lease.holder else { return nil }
            defer { state.lines[lease.key] = line }
            return body(&line)
        }
    }

    /// Removes a lease that is released now: ``end()`` says when that is done. Nil when another caller releases it, or has done so.
    func strike(_ lease: Lease) -> Line? {
        state.withLock { state in
            guard let line = state.lines[lease.key], line.lease.holder == lease.holder else { return nil }
            state.lines[lease.key] = nil
            state.underWay += 1
            return line
        }
    }

    /// Releases every lease, also those that are being taken, and lets no other be taken.
    func close() {
        let lines = state.withLock { state in
            state.isClosed = true
            return state.lines.sorted { $0.key.text < $1.key.text }.map(\.value)
        }
        for line in lines { line.giveBack() }
    }

    /// Waits until every lease is released. Throws when the task is cancelled.
    func settle() async throws {
        let race = Race<Void>()
        let settled = state.withLock { state in
            state.waiters.append(race)
            return state.settled()
        }
        for race in settled { race.finish(.success(())) }
        try await race.value()
    }
}
