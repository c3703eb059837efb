package import Pipeline
import Synchronization

extension LiveKey {
    /// The parts that a value is made from.
    struct Parts {
        private var holds: [Key: LiveHold] = [:]
        var feeds = PartFeeds()
        /// What was remembered of them, which goes with the key.
        private var memory: (any AnyObject & Sendable)?

        /// The parts, in no order.
        var keys: [LiveKey] { holds.values.map(\.key) }

        /// Indicates whether the value is made from `part`.
        func has(_ part: Key) -> Bool { holds[part] != nil }

        /// Adds a part.
        mutating func add(_ hold: LiveHold, for part: Key) { holds[part] = hold }

        /// Removes all parts that are not among `parts`, and returns what held them.
        mutating func removeAll(but parts: Set<Key>) -> [Key: LiveHold] {
            let gone = holds.filter { !parts.contains($0.key) }
            for part in gone.keys { holds[part] = nil }
            return gone
        }

        /// Removes all parts, and returns what held them.
        mutating func takeAll() -> [Key: LiveHold] {
            defer { holds = [:] }
            return holds
        }

        /// Keeps what `make` makes, unless something is kept already.
        mutating func remember(_ make: () -> any AnyObject & Sendable) {
            if memory == nil { memory = make() }
        }
    }

    /// The wholes whose observers see what the feeds of a key do.
    struct Wholes {
        /// The wholes, by number, each nil when it is gone.
        private var wholes: [UInt64: @Sendable () -> LiveKey?] = [:]
        private var last: UInt64 = 0
        /// The states of the feeds that they were told of last.
        private var told: [FeedStatus] = []

        /// The wholes that are there.
        var all: [LiveKey] { wholes.values.compactMap { $0() } }

        /// Adds a whole that sees what `feeds` do now; returns its number.
        mutating func add(_ whole: LiveKey, seeing feeds: KeyFeeds) -> UInt64 {
            last += 1
            wholes[last] = { [weak whole] in whole }
            told = feeds.statuses
            return last
        }

        /// Removes a whole.
        mutating func remove(_ number: UInt64) { wholes[number] = nil }

        /// The wholes, if they have not seen yet what `feeds` do; they count as told.
        mutating func toTell(of feeds: KeyFeeds) -> [LiveKey] {
            guard !wholes.isEmpty else { return [] }
            let present = feeds.statuses
            guard told != present else { return [] }
            told = present
            return all
        }
    }

    /// The fetches of a value for its observers because parts have changed: one after the other.
    struct Refetching {
        /// The number of what fetches; nil if nothing does.
        private var running: UInt64?
        private var last: UInt64 = 0
        /// Whether a part has changed since the last fetch began.
        private var isAsked = false

        /// Notes that a part has changed. Returns the number of what must begin to fetch; nil if something does so already.
        mutating func ask() -> UInt64? {
            isAsked = true
            guard running == nil else { return nil }
            last += 1
            running = last
            return last
        }

        /// Begins the next fetch of `number`; false if no part has changed, or it was ended: then nothing fetches any more.
        mutating func begin(_ number: UInt64) -> Bool {
            guard running == number else { return false }
            if !isAsked || Task.isCancelled { running = nil }
            isAsked = false
            return running != nil
        }

        /// Notes that nothing fetches any more.
        mutating func end() { (running, isAsked) = (nil, false) }
    }

    /// A part of this value: its feeds run as long as this is observed, and those of what it is made from.
    package func hold(_ part: Key, of pipeline: DataPipeline) {
        guard !pipeline.spec.live.isEmpty || pipeline.asksOthers, state.withLock({ !$0.parts.has(part) && !$0.isOver }),
            let held = pipeline.lives.hold(part, of: pipeline)
        else { return }
        let hold = LiveHold(held, for: self)
        let isNew = state.withLock { state in
            guard !state.isOver, !state.parts.has(part) else { return false }
            state.parts.add(hold, for: part)
            return true
        }
        if isNew { tell(noteChangeOfParts()) }
        withExtendedLifetime(hold) {}
    }

    /// It is made from these parts now.
    package func holdOnly(_ parts: Set<Key>) {
        let gone = state.withLock { $0.parts.removeAll(but: parts) }
        if !gone.isEmpty { tell(noteChangeOfParts()) }
        // Released here, and not under the lock.
        withExtendedLifetime(gone) {}
    }

    /// It is a part of `whole` from now on, until the number is given to ``leaveWhole(_:)``.
    func join(_ whole: LiveKey) -> UInt64 {
        state.withLock { $0.wholes.add(whole, seeing: $0.feeds) }
    }

    /// It is no part of that whole any more.
    func leaveWhole(_ number: UInt64) {
        state.withLock { $0.wholes.remove(number) }
    }

    /// Lets observers of `wholes`, and of what these are parts of, see what the feeds of their parts do now.
    func tell(_ wholes: [LiveKey]) {
        // A reload may have turned a part into a whole of what it was a part of: each is told once.
        var (open, told) = (wholes, Set([ObjectIdentifier(self)]))
        while let whole = open.popLast() {
            guard told.insert(ObjectIdentifier(whole)).inserted else { continue }
            open += whole.noteChangeOfParts()
        }
    }

    /// A feed of a part has another state, or the parts are others. Returns the wholes that it is itself a part of.
    private func noteChangeOfParts() -> [LiveKey] {
        let (waiters, wholes) = state.withLock { state in
            state.parts.feeds.change()
            state.audience.outdate()
            return (state.takeWaiters(), state.wholes.all)
        }
        for waiter in waiters { waiter.finish(.success(())) }
        return wholes
    }

    /// Finds out what the feeds of its parts do, and those of what these are made from. Takes one lock after the other.
    func renewPartFeeds() {
        let changes = state.withLock(\.parts.feeds.changes)
        var (keys, seen, found) = (heldParts, Set([ObjectIdentifier(self)]), [FeedStatus]())
        var next = 0
        while next < keys.count {
            let part = keys[next]
            next += 1
            guard seen.insert(ObjectIdentifier(part)).inserted else { continue }
            for var status in part.state.withLock(\.feeds.statuses) {
                status.pipeline = part.key.pipeline
                found.append(status)
            }
            keys += part.heldParts
        }
        state.withLock { [found] state in state.parts.feeds.take(found, after: changes) }
    }

    private var heldParts: [LiveKey] {
        state.withLock(\.parts.keys).sorted { $0.key.text < $1.key.text }
    }

    /// Keeps what `make` makes until it ends, unless it keeps something already.
    package func keep(_ make: () -> any AnyObject & Sendable) {
        state.withLock { $0.parts.remember(make) }
    }

    /// A part has changed: fetches the value again for its observers, once for all changes that come until that has ended.
    package func fetchAgainForObservers() {
        guard let pipeline = lives.pipeline else { return }
        let number = state.withLock { state -> UInt64? in
            guard !state.audience.isEmpty, !state.isOver else { return nil }
            return state.refetching.ask()
        }
        guard let number else { return }
        run(forObservers: true, with: pipeline) {
            while true {
                // Changes that come together give one whole.
                await Task.yield()
                guard self.state.withLock({ $0.refetching.begin(number) }) else { return }
                // Another may have taken over.
                let present = self.lives.pipeline ?? pipeline
                let permit = present.generations.permit(for: self.key)
                let outcome = try? await present.fetch(
                    self.key, policy: .default, priority: nil, timeout: nil, for: nil, recalling: true)
                if !Task.isCancelled { self.endFetch(outcome, permit) }
            }
        }
    }
}
