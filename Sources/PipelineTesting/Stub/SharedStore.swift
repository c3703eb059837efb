public import Pipeline
import Synchronization

/// A store that several ``StubSource`` share, as processes share a server: copies, leases and subscriptions.
///
/// ```swift
/// let server = SharedStore()
/// let here = StubSource("redis", clock: time.clock, sharing: server, publishes: true)
/// let there = StubSource("redis", clock: time.clock, sharing: server, publishes: true)
/// ```
public final class SharedStore: Sendable {
    private struct Lease {
        let holder: String
        let end: Timestamp
    }

    private struct Subscriber {
        let owner: ObjectIdentifier
        let events: AsyncStream<SubscriptionEvent>.Continuation
    }

    private struct State {
        var contents: [Key: Entry] = [:]
        var leases: [Key: Lease] = [:]
        /// Leases released as fruitless, while their holder is named.
        var fruitless: [Key: Lease] = [:]
        var subscribers: [UInt64: Subscriber] = [:]
        var nextSubscriber: UInt64 = 0
        var isAway = false
    }

    private let state = Mutex(State())

    /// An empty store.
    public init() {}

    /// The copies that it holds.
    public var contents: [Key: Entry] { state.withLock { $0.contents } }

    /// The number of subscriptions there are now.
    public var subscriberCount: Int { state.withLock { $0.subscribers.count } }

    /// The holder of the lease of `key`: the last that took it and has not released it.
    public func holder(of key: Key) -> String? { state.withLock { $0.leases[key]?.holder } }

    /// Loses every message from now on.
    public func loseConnections() {
        state.withLock { $0.isAway = true }
    }

    /// Delivers messages again; every subscription begins anew.
    public func regainConnections() {
        let subscribers = state.withLock { state in
            state.isAway = false
            return Array(state.subscribers.values)
        }
        for subscriber in subscribers { subscriber.events.yield(.began) }
    }

    /// Refuses every subscription for `reason`, until connections are regained.
    public func refuseSubscribers(_ reason: String) {
        let subscribers = state.withLock { state in
            state.isAway = true
            return Array(state.subscribers.values)
        }
        for subscriber in subscribers { subscriber.events.yield(.refused(reason)) }
    }

    func change<Result: Sendable>(_ body: (inout [Key: Entry]) -> Result) -> Result {
        state.withLock { body(&$0.contents) }
    }

    func subscribe(as owner: ObjectIdentifier, _ events: AsyncStream<SubscriptionEvent>.Continuation) -> UInt64 {
        let (number, isAway) = state.withLock { state in
            state.nextSubscriber += 1
            state.subscribers[state.nextSubscriber] = Subscriber(owner: owner, events: events)
            return (state.nextSubscriber, state.isAway)
        }
        if !isAway { events.yield(.began) }
        return number
    }

    func leave(_ number: UInt64) {
        state.withLock { $0.subscribers[number] = nil }
    }

    func publish(_ invalidation: InvalidationMessage, by owner: ObjectIdentifier) {
        let others = state.withLock { state in
            state.isAway ? [] : state.subscribers.values.filter { $0.owner != owner }
        }
        for other in others { other.events.yield(.received(invalidation)) }
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

    func releaseFruitlessLease(of key: Key, by holder: String, rememberedFor duration: Duration, at now: Timestamp) {
        state.withLock { state in
            guard let lease = state.leases[key], lease.holder == holder, now < lease.end else { return }
            state.leases[key] = nil
            state.fruitless[key] = Lease(holder: holder, end: now + duration)
        }
    }

    func lastFruitlessHolder(of key: Key, at now: Timestamp) -> String? {
        state.withLock { $0.fruitless[key] }.flatMap { now < $0.end ? $0.holder : nil }
    }

    func releaseLease(of key: Key, by holder: String) {
        state.withLock { state in
            if state.leases[key]?.holder == holder { state.leases[key] = nil }
        }
    }
}
