public import Pipeline
import Synchronization

/// What several ``StubSource`` hold together, as processes share a server: copies, leases, and who is told of changes.
///
/// ```swift
/// let server = SharedStore()
/// let here = StubSource("redis", clock: time.clock, sharing: server, announces: true)
/// let there = StubSource("redis", clock: time.clock, sharing: server, announces: true)
/// ```
public final class SharedStore: Sendable {
    private struct Lease {
        let holder: String
        let end: Timestamp
    }

    private struct Listener {
        let owner: ObjectIdentifier
        let events: AsyncStream<HeardEvent>.Continuation
    }

    private struct State {
        var contents: [Key: Entry] = [:]
        var leases: [Key: Lease] = [:]
        /// Those that were given back in vain, until nobody is told any more.
        var vain: [Key: Lease] = [:]
        var listeners: [UInt64: Listener] = [:]
        var nextListener: UInt64 = 0
        var isAway = false
    }

    private let state = Mutex(State())

    /// An empty store.
    public init() {}

    /// What it holds.
    public var contents: [Key: Entry] { state.withLock { $0.contents } }

    /// How many listen now.
    public var listenerCount: Int { state.withLock { $0.listeners.count } }

    /// Who has the lease of `key`, or had it last and has not given it back.
    public func holder(of key: Key) -> String? { state.withLock { $0.leases[key]?.holder } }

    /// Has what is announced reach nobody, from now on.
    public func loseConnections() {
        state.withLock { $0.isAway = true }
    }

    /// Has what is announced arrive again; everybody who listens begins anew.
    public func regainConnections() {
        let listeners = state.withLock { state in
            state.isAway = false
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.events.yield(.began) }
    }

    /// Has everybody who listens be refused for `reason`, until connections are regained.
    public func refuseListeners(_ reason: String) {
        let listeners = state.withLock { state in
            state.isAway = true
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.events.yield(.refused(reason)) }
    }

    func change<Result: Sendable>(_ body: (inout [Key: Entry]) -> Result) -> Result {
        state.withLock { body(&$0.contents) }
    }

    func listen(as owner: ObjectIdentifier, _ events: AsyncStream<HeardEvent>.Continuation) -> UInt64 {
        let (number, isAway) = state.withLock { state in
            state.nextListener += 1
            state.listeners[state.nextListener] = Listener(owner: owner, events: events)
            return (state.nextListener, state.isAway)
        }
        if !isAway { events.yield(.began) }
        return number
    }

    func leave(_ number: UInt64) {
        state.withLock { $0.listeners[number] = nil }
    }

    func announce(_ announcement: Announcement, by owner: ObjectIdentifier) {
        let others = state.withLock { state in
            state.isAway ? [] : state.listeners.values.filter { $0.owner != owner }
        }
        for other in others { other.events.yield(.announced(announcement)) }
    }

    func takeLease(of key: Key, for holder: String, lasting duration: Duration, at now: Timestamp) -> Bool {
        state.withLock { state in
            if let lease = state.leases[key], now < lease.end, lease.holder != holder {
                state.leases[key] = Lease(holder: lease.holder, end: min(lease.end, now + duration))
                return false
            }
            state.leases[key] = Lease(holder: holder, end: now + duration)
            return true
        }
    }

    func releaseVainLease(of key: Key, by holder: String, toldFor duration: Duration, at now: Timestamp) {
        state.withLock { state in
            guard let lease = state.leases[key], lease.holder == holder, now < lease.end else { return }
            state.leases[key] = nil
            state.vain[key] = Lease(holder: holder, end: now + duration)
        }
    }

    func lastVainHolder(of key: Key, at now: Timestamp) -> String? {
        state.withLock { $0.vain[key] }.flatMap { now < $0.end ? $0.holder : nil }
    }

    func releaseLease(of key: Key, by holder: String) {
        state.withLock { state in
            if state.leases[key]?.holder == holder { state.leases[key] = nil }
        }
    }
}
