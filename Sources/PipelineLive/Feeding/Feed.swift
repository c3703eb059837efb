import Pipeline
internal import PipelineJSON
import Synchronization

/// One change source in one pipeline, over one connection: reads its messages, and hands each to the keys that it is for.
final class Feed: Sendable {
    fileprivate struct State {
        /// The place of each key in ``list``.
        var places: [Key: Int] = [:]
        var list: [(key: LiveKey, index: Int)] = []
        /// The keys by the parameters that messages name.
        var routes: [[ExactName]: [(key: LiveKey, index: Int)]] = [:]
        var sequence = SequenceCheck()
        var counts = FeedCounts()
    }

    let spec: FeedSpec
    private let reader: ChangeReader
    /// The keys of its pipeline, which one of the same name takes over.
    private let lives: ObjectIdentifier
    private let pipeline: String
    private let clock: PipelineClock
    private let observer: PipelineEvent.Observer?
    private let connection: LiveConnection
    private let addressed: [String]
    private let state = Mutex(State())
    /// The last sign of life of the connection.
    private let lastSign: Atomic<Int64>

    init(_ spec: FeedSpec, of pipeline: DataPipeline, over connection: LiveConnection) {
        self.spec = spec
        lives = ObjectIdentifier(pipeline.lives)
        self.pipeline = pipeline.spec.name
        clock = pipeline.lives.clock
        observer = pipeline.lives.observer
        self.connection = connection
        reader = ChangeReader(spec)
        addressed = spec.addressing.keys.sorted()
        lastSign = Atomic(Timestamp.distantPast.nanoseconds)
    }

    /// Whether it is the feed that `spec` declares in `pipeline`.
    func isSame(as spec: FeedSpec, of pipeline: DataPipeline) -> Bool {
        lives == ObjectIdentifier(pipeline.lives) && self.spec.isSame(as: spec)
    }

    /// Its keys.
    var keys: [LiveKey] { state.withLock { $0.list.map(\.key) } }

    /// When the connection last showed that it lives.
    var lastSignOfLife: Timestamp { Timestamp(nanoseconds: lastSign.load(ordering: .acquiring)) }

    /// Adds a key, whose feed at `index` this is. False when the connection has ended: there is a new one to be had.
    func add(_ key: LiveKey, as index: Int) -> Bool {
        state.withLock { $0.add(key, as: index, at: route(of: key.key)) }
        guard let (phase, number) = connection.join(self) else { return false }
        switch phase {
        case .connecting: key.follow(self, index, in: number) { $0.enter(.connecting) }
        case .open: key.begin(self, index, in: number, isResumed: false)
        case .closed(let state, let reason, let pause):
            key.follow(self, index, in: number) { $0.enter(state, reason: reason, pause: pause) }
        }
        return true
    }

    /// Removes a key.
    func remove(_ key: LiveKey) {
        let isEmpty = state.withLock { state in
            state.remove(key, at: route(of: key.key)) && state.list.isEmpty
        }
        if isEmpty {
            report(state.withLock { $0.counts.rest() })
            connection.leave(self)
        }
    }

    /// The texts by which messages name `key`; nil where each message is for every key.
    private func route(of key: Key) -> [ExactName]? { addressed.isEmpty ? nil : addressed.map { ExactName(key[$0] ?? "") } }

    /// The connection begins, or begins again.
    func connect(in phase: UInt64, again isAgain: Bool) {
        for (key, index) in state.withLock(\.list) {
            key.follow(self, index, in: phase) { feed in
                (isAgain ? [FeedEvent.reconnect] : []) + feed.enter(.connecting)
            }
        }
    }

    /// The stream has begun.
    func begin(in phase: UInt64, isResumed: Bool) {
        showAlive()
        if !isResumed { state.withLock { $0.sequence.restart() } }
        for (key, index) in state.withLock(\.list) { key.begin(self, index, in: phase, isResumed: isResumed) }
    }

    /// The connection has ended.
    func end(_ end: FeedStatus.State, in phase: UInt64, reason: String, pause: Duration?) {
        report(state.withLock { $0.counts.rest() })
        for (key, index) in state.withLock(\.list) {
            key.follow(self, index, in: phase) { $0.enter(end, reason: reason, pause: pause) }
        }
    }

    /// A key is live, in this phase of the connection.
    func noteLive(in phase: UInt64) { connection.noteLive(in: phase) }

    /// The connection shows that it lives.
    func showAlive() {
        lastSign.store(clock.now.nanoseconds, ordering: .releasing)
    }

    /// Something came that is no message.
    func skip(_ reason: String) {
        showAlive()
        count { $0.skip(reason) }
    }

    /// A message came.
    ///
    /// - Parameter tell: receives what becomes of it, for tests.
    func receive(_ message: LiveMessage, telling tell: ((MessageFate) -> Void)? = nil) {
        showAlive()
        count { [clock] in $0.take(at: clock.now) }
        let read = reader.read(message)
        let finding = read.sequence.map { number in state.withLock { $0.sequence.take(number) } }
        if finding == .duplicate {
            tell?(MessageFate(key: nil, meaning: .duplicate))
            return
        }
        // After its change is merged: that may be an old one, and must not be merged again into what the load brings.
        defer {
            if finding == .gap {
                syncAll()
                tell?(MessageFate(key: nil, meaning: .gap))
            }
        }
        take(read, telling: tell)
    }

    private func take(_ read: FeedMessage, telling tell: ((MessageFate) -> Void)?) {
        if let missing = addressed.first(where: { read.addressing[$0].flatMap(\.self) == nil }), case .change = read.meaning {
            tell?(MessageFate(key: nil, meaning: .skipped))
            return count { $0.skip("no `\(spec.addressing[missing]?.description ?? "")` in the message, for `\(missing)`") }
        }
        switch read.meaning {
        case .resync:
            syncAll()
            tell?(MessageFate(key: nil, meaning: .resync))
        case .invalid(let reason):
            count { $0.skip(reason) }
            tell?(MessageFate(key: nil, meaning: .skipped))
        case .faulty(let reason):
            count { $0.skip(reason) }
            for (key, index) in targets(of: read) { key.sync(self, index) }
            tell?(MessageFate(key: nil, meaning: .skipped))
        case .refresh:
            let targets = targets(of: read)
            for (key, _) in targets { key.wantRefresh() }
            for (key, _) in targets { tell?(MessageFate(key: key.key, meaning: .refresh)) }
            if targets.isEmpty { tell?(MessageFate(key: nil, meaning: .elsewhere)) }
        case .change(let change):
            let targets = targets(of: read)
            for (key, index) in targets {
                let isKnown = tell != nil && key.state.withLock { $0.content.holds(change.id) }
                let effect = key.apply(change, through: self, index)
                note(effect)
                let meaning = MessageFate.Meaning.change(
                    change.operation, effect, isKnown: isKnown, hasVersion: change.version != nil)
                tell?(MessageFate(key: key.key, meaning: meaning))
            }
            if targets.isEmpty { tell?(MessageFate(key: nil, meaning: .elsewhere)) }
        }
    }

    private func targets(of read: FeedMessage) -> [(key: LiveKey, index: Int)] {
        guard !addressed.isEmpty else { return state.withLock(\.list) }
        let values = addressed.compactMap { read.addressing[$0]?.map { ExactName($0) } }
        return values.count == addressed.count ? state.withLock { $0.routes[values] ?? [] } : []
    }

    private func syncAll() {
        for (key, index) in state.withLock(\.list) { key.sync(self, index) }
    }

    private func note(_ effect: MergeEffect) {
        switch effect {
        case .dropped: count { $0.drop("there is no copy to merge it into") }
        case .failed(let reason), .faulty(let reason): count { $0.skip(reason) }
        case .overflowed: count { $0.drop("too many changes waited for a load, or more was removed than is kept") }
        default: break
        }
    }

    /// Counts, and reports what is due.
    private func count(_ change: (inout FeedCounts) -> Void) {
        guard observer != nil else { return }
        let now = clock.now
        let (events, next) = state.withLock { state in
            change(&state.counts)
            return state.counts.due(at: now)
        }
        report(events)
        if let next { _ = clock.alarms.set(at: next) { [weak self] in self?.count { _ in } } }
    }

    private func report(_ events: [FeedEvent]) {
        for event in events { observer?(.feed(event, source: spec.name, pipeline: pipeline)) }
    }
}

extension Feed.State {
    /// Adds a key, or gives it another index. It takes no longer for many keys.
    fileprivate mutating func add(_ key: LiveKey, as index: Int, at route: [ExactName]?) {
        if let place = places[key.key] { remove(list[place].key, at: route) }
        places[key.key] = list.count
        list.append((key, index))
        if let route { routes[route, default: []].append((key, index)) }
    }

    /// Removes a key; false where it is not here. The last one takes its place.
    @discardableResult
    fileprivate mutating func remove(_ key: LiveKey, at route: [ExactName]?) -> Bool {
        guard let place = places[key.key], list[place].key === key else { return false }
        places[key.key] = nil
        list.swapAt(place, list.count - 1)
        list.removeLast()
        if place < list.count { places[list[place].key.key] = place }
        guard let route else { return true }
        routes[route]?.removeAll { $0.key === key }
        if routes[route]?.isEmpty ?? false { routes[route] = nil }
        return true
    }
}

/// Sees by the numbers of messages whether one is missing.
struct SequenceCheck: Sendable {
    /// What a number means.
    enum Finding: Sendable, Equatable {
        case next
        /// The message came before.
        case duplicate
        /// Messages are missing, or the numbers begin anew.
        case gap
    }

    private var last: Int64?

    /// The stream begins anew: any number may come next.
    mutating func restart() { last = nil }

    /// A message of this number came.
    mutating func take(_ number: Int64) -> Finding {
        defer { last = number }
        guard let last else { return .next }
        if number == last { return .duplicate }
        return last < .max && number == last + 1 ? .next : .gap
    }
}
