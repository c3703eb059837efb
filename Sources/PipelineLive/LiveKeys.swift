package import Pipeline
import Synchronization

/// The keys of a pipeline that are observed or fed. Its other orders share them, since their keys are the same.
///
/// A key is here from its first observer until ``linger`` after the last. Without any, a fetch pays for it with one look at a counter.
package final class LiveKeys: Sendable {
    /// How long the feeds of a key go on when nothing observes it any more.
    static let linger = Duration.seconds(5)
    /// So many keys go on like that; of more, those that were left first end at once.
    static let mostLingering = 100

    private struct Held {
        let key: LiveKey
        var holders = 0
        /// How many of them want its feeds to run.
        var fed = 0
        /// Whether the feeds were started.
        var isFeeding = false
        /// Rings when nothing has held the key for long enough.
        var end = AlarmSlot()
        /// Its place among those that were left; nil while something holds it.
        var place: UInt64?
    }

    private struct State {
        var keys: [Key: Held] = [:]
        /// Counts the keys that ever were here.
        var last: UInt64 = 0
        /// Loads the values. Held only while there are keys: it holds this.
        var pipeline: DataPipeline?
        var isOver = false
        /// The keys that were left and not held again, by the order of that; the numbers of the first and of the next one.
        var left: [UInt64: LiveKey] = [:]
        var firstLeft: UInt64 = 0
        var nextLeft: UInt64 = 0

        /// Notes that nothing holds `key` any more. Returns the one that was left first, where there are too many.
        mutating func leave(_ key: LiveKey) -> LiveKey? {
            keys[key.key]?.place = nextLeft
            left[nextLeft] = key
            nextLeft += 1
            guard left.count > LiveKeys.mostLingering else { return nil }
            while firstLeft < nextLeft {
                firstLeft += 1
                if let first = left.removeValue(forKey: firstLeft - 1) { return first }
            }
            return nil
        }

        /// Notes that `held` is held, or has ended.
        mutating func stay(_ held: inout Held) {
            if let place = held.place { left[place] = nil }
            held.place = nil
        }
    }

    let clock: PipelineClock
    let connections: LiveConnections
    let observer: PipelineEvent.Observer?
    let copies: CopyDetails
    /// Those that this is one of.
    private weak let followers: Followers?
    private let state = Mutex(State())
    private let count = Atomic(0)

    init(among followers: Followers, _ commons: Commons) {
        (clock, observer) = (commons.clock, commons.observer)
        connections = commons.connections
        copies = commons.copies
        self.followers = followers
    }

    /// The live key, when it is one.
    package subscript(key: Key) -> LiveKey? {
        @inline(__always) get { isEmpty ? nil : find(key) }
    }

    /// Whether no key is live.
    var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }

    @inline(never)
    private func find(_ key: Key) -> LiveKey? { state.withLock { $0.keys[key]?.key } }

    /// The pipeline that loads the values; nil while there are no keys.
    var pipeline: DataPipeline? { state.withLock(\.pipeline) }

    /// How many keys are observed or linger, for tests.
    var keyCount: Int { state.withLock(\.keys.count) }

    /// The number of observers, for tests.
    package var observerCount: Int { keys().reduce(0) { sum, key in sum + key.state.withLock(\.audience.observers.count) } }

    /// The live key, from now on held until it is given to ``release(_:isFed:)``. Nil when everything has ended.
    ///
    /// - Parameter isFed: whether its feeds run as long as it is held.
    func hold(_ key: Key, of pipeline: DataPipeline, isFed: Bool = true) -> LiveKey? {
        let home = followers?.home
        let (held, mustStart) = state.withLock { state -> (LiveKey?, Bool) in
            if state.isOver { return (nil, false) }
            if state.pipeline == nil { state.pipeline = home ?? pipeline }
            let isNew = state.keys[key] == nil
            if isNew { state.last += 1 }
            let spec = pipeline.spec
            var held =
                state.keys[key]
                ?? Held(
                    key: LiveKey(
                        key, in: self, life: state.last, fedBy: spec.live, or: spec.merging, limit: spec.policy.maxSize))
            held.holders += 1
            if isFed { held.fed += 1 }
            let mustStart = isFed && !held.isFeeding
            if isFed { held.isFeeding = true }
            held.end.cancel(on: clock)
            state.stay(&held)
            state.keys[key] = held
            if isNew { count(1, of: key) }
            return (held.key, mustStart)
        }
        if mustStart { held?.startFeeds() }
        return held
    }

    /// Gives back what ``hold(_:of:isFed:)`` gave.
    func release(_ key: LiveKey, isFed: Bool = true) {
        let first = state.withLock { state -> LiveKey? in
            guard state.keys[key.key]?.key === key else { return nil }
            state.keys[key.key]?.holders -= 1
            if isFed { state.keys[key.key]?.fed -= 1 }
            let isHeld = state.keys[key.key]?.holders != 0
            guard !isHeld || isFed && state.keys[key.key]?.fed == 0 else { return nil }
            state.keys[key.key]?.end.set(at: clock.now + Self.linger, on: clock) { _ in self.endUnheld(key) }
            return isHeld ? nil : state.leave(key)
        }
        if let first { endUnheld(first) }
    }

    /// Ends the feeds of a key that is held without them.
    private func endUnfed(_ key: LiveKey) {
        let isUnfed = state.withLock { state in
            guard let held = state.keys[key.key], held.key === key, held.holders > 0, held.fed == 0 else { return false }
            state.keys[key.key]?.isFeeding = false
            return true
        }
        if isUnfed { key.startFeeds([]) }
    }

    private func endUnheld(_ key: LiveKey) {
        endUnfed(key)
        // What is merged goes to the caches first.
        if key.isDirty.load(ordering: .acquiring), let pipeline {
            return pipeline.background.adopt(
                Task {
                    await key.settle()
                    self.remove(key)
                })
        }
        remove(key)
    }

    private func remove(_ key: LiveKey) {
        let (isOver, last) = state.withLock { state -> (Bool, DataPipeline?) in
            guard var held = state.keys[key.key], held.key === key, held.holders == 0 else { return (false, nil) }
            held.end.cancel(on: clock)
            state.stay(&held)
            state.keys[key.key] = nil
            count(-1, of: key.key)
            guard state.keys.isEmpty else { return (true, nil) }
            defer { state.pipeline = nil }
            return (true, state.pipeline)
        }
        if isOver { key.end() }
        // Released here, and not under the lock: with it goes all that it holds.
        withExtendedLifetime(last) {}
    }

    private func count(_ change: Int, of key: Key) {
        count.add(change, ordering: .releasing)
        followers?.count(change, of: key)
    }

    /// The live keys that `isMeant` picks.
    func keys(where isMeant: (Key) -> Bool = { _ in true }) -> [LiveKey] {
        if isEmpty { return [] }
        return state.withLock { $0.keys.filter { isMeant($0.key) }.map(\.value.key) }.sorted { $0.key.text < $1.key.text }
    }

    /// Ends every observation and every feed; nothing begins any more.
    func end() {
        let (keys, last) = state.withLock { state in
            state.isOver = true
            for key in state.keys.keys { count(-1, of: key) }
            for index in state.keys.values.indices { state.keys.values[index].end.cancel(on: clock) }
            defer { (state.keys, state.left, state.pipeline) = ([:], [:], nil) }
            return (state.keys.values.map(\.key), state.pipeline)
        }
        defer { withExtendedLifetime(last) {} }
        for key in keys { key.end() }
    }

    /// Another pipeline of this name takes over: it loads the values from now on, and its feeds take the place of those that differ.
    func takeOver(by pipeline: DataPipeline) {
        let keys = state.withLock { state -> [LiveKey] in
            if state.isOver || state.keys.isEmpty { return [] }
            state.pipeline = pipeline
            return state.keys.values.map(\.key)
        }
        for key in keys {
            key.startFeeds(isFeeding(key) ? pipeline.spec.live : [])
            // A value that is made from no others any more has no parts.
            if !pipeline.asksOthers { key.holdOnly([]) }
        }
    }

    private func isFeeding(_ key: LiveKey) -> Bool { state.withLock { $0.keys[key.key]?.isFeeding ?? false } }

    /// Fetches what is observed: the pipeline that took over may have another value for it.
    func fetchForObservers() {
        for key in keys() where key.isObserved { key.fetchForObserver() }
    }
}

/// Keeps the feeds of a key running until it is released. It observes nothing, and fetches nothing.
final class LiveHold: Sendable {
    let key: LiveKey
    /// The number of the whole at the key; nil without one.
    private let number: UInt64?

    /// - Parameters:
    ///   - key: a key that is held; this gives it back.
    ///   - whole: what the key is a part of: it is told when the feeds of the key change their states.
    init(_ key: LiveKey, for whole: LiveKey? = nil) {
        self.key = key
        number = whole.map { key.join($0) }
    }

    deinit {
        if let number { key.leaveWhole(number) }
        key.lives.release(key)
    }
}
