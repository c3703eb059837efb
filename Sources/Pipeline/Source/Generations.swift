import Synchronization

/// Knows whether a key was removed or replaced since a load of it began. Invalidation wins.
///
/// A load takes a ``WritePermit`` when it begins. A removal makes the permits of its key worthless, those in use and those taken before it
/// has ended: what is loaded meanwhile may come from a cache that has not forgotten yet. A replacement does the same until the new value has
/// been handed to every cache, except for the permit of that value. Only keys with a permit in use or a change under way are remembered, so
/// the memory is bounded by what runs.
package final class Generations: Sendable {
    private struct Record {
        // There is one for each key whose value waits to be written: half the room of whole numbers.
        var generation: UInt32 = 0
        var permits: Int32 = 0
        var removals: Int32 = 0
        var replacements: Int32 = 0

        private var isIdle: Bool { permits == 0 && removals == 0 && replacements == 0 }

        /// Changes the record in place; says whether it is idle then.
        mutating func change<Value>(_ body: (inout Record) -> Value) -> (Value, isIdle: Bool) { (body(&self), isIdle) }
    }

    private struct State {
        var keys: [Key: Record] = [:]
        var clears = 0
        /// What to do when permits of a key become worthless, by who asked for it. Few keys have any.
        var leftovers: [Key: [ObjectIdentifier: @Sendable () -> Void]] = [:]
        /// Waiters for the end of all removals.
        var waiters: [ObjectIdentifier: Race<Void>] = [:]

        mutating func takeWaiters() -> [Race<Void>] {
            defer { waiters = [:] }
            return Array(waiters.values)
        }

        mutating func change<Value>(_ key: Key, _ body: (inout Record) -> Value) -> Value {
            let (result, isIdle) = keys[key, default: Record()].change(body)
            if isIdle {
                keys[key] = nil
                if !leftovers.isEmpty { leftovers[key] = nil }
            }
            return result
        }

        /// A permit of `key` is no longer in use.
        mutating func giveBack(_ key: Key) {
            guard let index = keys.index(forKey: key), keys.values[index].change({ $0.permits -= 1 }).isIdle else { return }
            keys.remove(at: index)
            if !leftovers.isEmpty { leftovers[key] = nil }
        }

        mutating func takeLeftovers(of key: Key) -> [@Sendable () -> Void] {
            leftovers.isEmpty ? [] : leftovers.removeValue(forKey: key).map { Array($0.values) } ?? []
        }
    }

    private let state = Mutex(State())

    /// The right to write what was loaded, until the key is removed. Held by the load and by each of its writes.
    package final class WritePermit: Sendable {
        private let key: Key
        // There is one for each value that waits: in an order that leaves no gaps.
        /// Since when this process had received the messages of others; nil where it does not subscribe.
        let confirmedSince: Timestamp?
        /// Whether it is worthless from the beginning.
        private let isWorthless: Bool
        /// Whether it is for a value that makes the copies of older ones worthless.
        let isReplacement: Bool
        private let generation: UInt32
        /// What makes it worthless, too; nil for a value that is not made from others.
        private let validity: Validity?
        /// When the load began; the distant future for what takes the place of whatever is there.
        let begin: Timestamp
        private let generations: Generations

        fileprivate init(
            key: Key, generation: UInt32?, isReplacement: Bool = false, validity: Validity? = nil, confirmedSince: Timestamp? = nil,
            begin: Timestamp = .distantFuture, generations: Generations
        ) {
            self.key = key
            self.generation = generation ?? 0
            isWorthless = generation == nil
            self.isReplacement = isReplacement
            self.validity = validity
            self.confirmedSince = confirmedSince
            self.begin = begin
            self.generations = generations
        }

        deinit {
            generations.giveBack(key)
        }

        /// Indicates whether the key was not removed since the permit was taken.
        package var isCurrent: Bool { !isWorthless && validity?.isVoid != true && generations.isCurrent(generation, of: key) }

        /// This permit for a value that is made from others: a change of one of those makes it worthless, too.
        package func bound(to validity: Validity) -> WritePermit {
            generations.lend(key)
            return WritePermit(
                key: key, generation: isWorthless ? nil : generation, isReplacement: isReplacement, validity: validity,
                confirmedSince: confirmedSince, begin: begin, generations: generations)
        }

        /// Has `body` called once when the permit becomes worthless: at once where it is. It is forgotten with the last permit of the key, and
        /// when `owner` gives another one for the key.
        ///
        /// That is when the key is removed or replaced. A change of a part is not told: where the permit is bound to a ``Validity`` that becomes
        /// void, ``isCurrent`` alone says so.
        package func whenWorthless(for owner: AnyObject, _ body: @escaping @Sendable () -> Void) {
            let isKept = !isWorthless && generations.keep(body, of: key, at: generation, for: ObjectIdentifier(owner))
            if !isKept { body() }
        }
    }

    /// How many keys have permits in use, for tests.
    var count: Int { state.withLock { $0.keys.count } }

    /// - Parameters:
    ///   - moment: since when this process has received the messages of others; nil where it does not subscribe.
    ///   - begin: when the load begins, of which a cache that compares leaves newer copies in place.
    package func permit(for key: Key, confirmedSince moment: Timestamp? = nil, loadingSince begin: Timestamp = .distantFuture)
        -> WritePermit
    {
        let generation = state.withLock { state in
            let isClearing = state.clears > 0
            return state.change(key) { record -> UInt32? in
                record.permits += 1
                return isClearing || record.removals + record.replacements > 0 ? nil : record.generation
            }
        }
        return WritePermit(key: key, generation: generation, confirmedSince: moment, begin: begin, generations: self)
    }

    /// Makes the permits of `key` worthless, including those taken before `endRemoval`.
    func beginRemoval(of key: Key) {
        let leftovers = state.withLock { state in
            state.change(key) { record in
                record.generation &+= 1
                record.removals += 1
            }
            return state.takeLeftovers(of: key)
        }
        for leftover in leftovers { leftover() }
    }

    /// The removal has ended: permits taken from now on are good.
    func endRemoval(of key: Key) {
        let waiters = state.withLock { state in
            state.change(key) { $0.removals -= 1 }
            return state.takeWaiters()
        }
        for waiter in waiters { waiter.finish(.success(())) }
    }

    /// Waits until neither `key` nor everything is being removed. Throws when the task is cancelled.
    package func endOfRemovals(of key: Key) async throws {
        while true {
            let race = Race<Void>()
            let isOver = state.withLock { state in
                if state.clears == 0, (state.keys[key]?.removals ?? 0) == 0 { return true }
                state.waiters[ObjectIdentifier(race)] = race
                return false
            }
            if isOver { return }
            defer { state.withLock { _ = $0.waiters.removeValue(forKey: ObjectIdentifier(race)) } }
            try await race.value()
        }
    }

    /// Makes the permits of `key` worthless, including those taken before `endReplacement`: what is loaded meanwhile may come from a cache
    /// that has not been handed the new value yet.
    ///
    /// - Returns: the permit to write the new value; worthless while a removal is under way.
    package func beginReplacement(of key: Key) -> WritePermit {
        let (generation, leftovers) = state.withLock { state in
            let isClearing = state.clears > 0
            let generation = state.change(key) { record -> UInt32? in
                record.generation &+= 1
                record.replacements += 1
                record.permits += 1
                return isClearing || record.removals > 0 ? nil : record.generation
            }
            return (generation, state.takeLeftovers(of: key))
        }
        for leftover in leftovers { leftover() }
        return WritePermit(key: key, generation: generation, isReplacement: true, generations: self)
    }

    /// Every cache has been handed the new value: permits taken from now on are good.
    package func endReplacement(of key: Key) {
        state.withLock { state in
            state.change(key) { $0.replacements -= 1 }
        }
    }

    /// Makes every permit worthless, including those taken before `endClear`.
    func beginClear() {
        let leftovers = state.withLock { state in
            state.clears += 1
            for key in state.keys.keys { state.keys[key]?.generation &+= 1 }
            defer { state.leftovers = [:] }
            return state.leftovers.values.flatMap(\.values)
        }
        for leftover in leftovers { leftover() }
    }

    /// The clear has ended: permits taken from now on are good.
    func endClear() {
        let waiters = state.withLock { state in
            state.clears -= 1
            return state.takeWaiters()
        }
        for waiter in waiters { waiter.finish(.success(())) }
    }

    private func isCurrent(_ generation: UInt32, of key: Key) -> Bool {
        state.withLock { $0.keys[key]?.generation == generation }
    }

    /// False where the permit of `generation` is worthless already.
    private func keep(
        _ body: @escaping @Sendable () -> Void, of key: Key, at generation: UInt32, for owner: ObjectIdentifier
    ) -> Bool {
        state.withLock { state in
            guard state.keys[key]?.generation == generation else { return false }
            state.leftovers[key, default: [:]][owner] = body
            return true
        }
    }

    private func lend(_ key: Key) {
        state.withLock { state in
            state.change(key) { $0.permits += 1 }
        }
    }

    private func giveBack(_ key: Key) {
        state.withLock { $0.giveBack(key) }
    }
}
