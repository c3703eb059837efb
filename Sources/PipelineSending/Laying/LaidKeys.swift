import Pipeline
import PipelineLive
import Synchronization

/// The keys that sends change which are not done, with what is laid over each.
final class LaidKeys: Sendable {
    /// What is laid over one key.
    private struct Laid {
        /// The layers of each outbox, by its name.
        var layers: [String: [LaidLayer]] = [:]
        /// What has become a change of the value, and is not in every cache yet.
        var fading: [Fading] = []
        /// Keeps the key as one that observers and loads tell of their values.
        let changed: ChangedKey?
        /// Those that count the key.
        weak let followers: Followers?
        var number: UInt64 = 0
        var limit: Size
        var policy: MergePolicy?

        var isEmpty: Bool { layers.isEmpty && fading.isEmpty }

        /// What observers see over the value; nil for nothing.
        func overlay() -> Overlay? {
            let all = layers.sorted { $0.key < $1.key }.flatMap(\.value)
            if all.isEmpty { return nil }
            return Overlay(all.map(\.layer), number: number, policy: policy) { shown, under in
                // One that is sent is only about to be a change of the value.
                let sends = shown.map { all[$0].send }.filter { $0.state != .sent }
                return sends.isEmpty ? under : LaidSends(sends.unique, over: nil, under)
            }
        }

        /// The same over a copy that a cache had, which may lack what others have already.
        func overlay(overCopy copy: Entry?) -> Overlay? {
            let missing = fading.filter { fading in copy?.stored != nil && copy.map { $0.created <= fading.at } ?? false }
            guard let overlay = overlay() ?? (missing.isEmpty ? nil : Overlay([], number: number, policy: policy) { $1 }) else {
                return nil
            }
            if missing.isEmpty { return overlay }
            let detail = overlay.detail
            return Overlay(missing.map(\.layer) + overlay.layers, number: number, policy: policy) { shown, under in
                detail(shown.filter { $0 >= missing.count }.map { $0 - missing.count }, under)
            }
        }
    }

    /// A change that a send made of the value.
    private struct Fading {
        let outbox: String
        let number: Int64
        let layer: Overlay.Layer
        let at: Timestamp
    }

    private struct State {
        var keys: [Key: Laid] = [:]
        var last: UInt64 = 0
    }

    private let state = Mutex(State())
    /// Held by the one who lays something over a key.
    private let turn = Mutex(())
    private let fadeCount = Atomic(0)

    /// Counts the changes by sends that have come to every cache.
    var fades: Int { fadeCount.load(ordering: .acquiring) }

    /// What is laid over the value of a fetch; nil for nothing.
    func overlay(of key: Key, over copy: Entry?) -> (Overlay, limit: Size)? {
        state.withLock { state in
            state.keys[key].flatMap { laid in laid.overlay(overCopy: copy).map { ($0, laid.limit) } }
        }
    }

    /// Whether the caches may have another value of `key` than readers see.
    func contains(_ key: Key) -> Bool { state.withLock { $0.keys[key] != nil } }

    /// Lays the layers of an outbox over a key, in the place of those before.
    ///
    /// - Parameters:
    ///   - change: a change of the value itself that is made in the same moment, and the number of its send. Until ``fade(_:of:from:of:)`` a copy
    ///     of a cache may lack it.
    ///   - layers: what lies over the key by now, and the way in which changes of the list are merged. Called when its turn has come.
    /// - Returns: whether something else lies over it than before.
    func lay(
        of outbox: String, over key: Key, of pipeline: DataPipeline, with change: (number: Int64, Change)? = nil,
        _ layers: () -> ([LaidLayer], MergePolicy?)
    ) -> Bool {
        // One after the other: what is seen last is what was looked up last.
        turn.withLock { _ in
            let (layers, policy) = layers()
            var laid = state.withLock { $0.keys[key] }
            // A pipeline of the name that was gone meanwhile has other followers.
            if let old = laid, old.followers !== pipeline.followers { laid = nil }
            if laid == nil, layers.isEmpty, change == nil { return false }
            var new =
                laid ?? Laid(changed: pipeline.changed(key), followers: pipeline.followers, limit: pipeline.spec.policy.maxSize)
            new.layers[outbox] = layers.isEmpty ? nil : layers
            (new.limit, new.policy) = (pipeline.spec.policy.maxSize, policy ?? new.policy)
            let isSame = (laid?.layers[outbox] ?? []).elementsEqual(layers) { $0.isSame(as: $1) }
            if !isSame || new.number == 0 { new.number = nextNumber() }
            if let (number, change) = change {
                new.fading.append(Fading(outbox: outbox, number: number, layer: .change(change), at: pipeline.clock.now))
                new.changed?.apply(change, laying: new.overlay())
            } else {
                new.changed?.lay(new.overlay())
            }
            replace(laid, by: new, at: key, of: pipeline)
            return !isSame
        }
    }

    /// Forgets a key whose pipeline is gone.
    func forget(_ key: Key) {
        turn.withLock { _ in
            let old = state.withLock { $0.keys.removeValue(forKey: key) }
            if let old { old.followers?.count(-1, of: key, isLaid: true) }
        }
    }

    /// Every cache has been handed what a send changed, or has failed to take it.
    func fade(_ number: Int64, of outbox: String, from key: Key, of pipeline: DataPipeline) {
        turn.withLock { _ in
            guard let laid = state.withLock({ $0.keys[key] }) else { return }
            // Before the layer goes: who looks afterwards sees that something went.
            fadeCount.add(1, ordering: .releasing)
            var new = laid
            new.fading.removeAll { $0.number == number && $0.outbox == outbox }
            replace(laid, by: new, at: key, of: pipeline)
        }
    }

    private func replace(_ old: Laid?, by new: Laid, at key: Key, of pipeline: DataPipeline) {
        if old == nil, !new.isEmpty { pipeline.followers.count(1, of: key, isLaid: true) }
        state.withLock { $0.keys[key] = new.isEmpty ? nil : new }
        if old != nil, new.isEmpty { pipeline.followers.count(-1, of: key, isLaid: true) }
        // A fetch that begins now joins no load that has looked here before.
        pipeline.invalidation.detach(.key(key))
    }

    private func nextNumber() -> UInt64 {
        state.withLock { state in
            state.last += 1
            return state.last
        }
    }

    /// The key as one that is changed; nil if nothing is laid over it.
    func changed(_ key: Key) -> ChangedKey? { state.withLock { $0.keys[key]?.changed } }
}

/// One layer over a key, and the send that it comes from.
struct LaidLayer: Sendable {
    let send: LaidSend
    let layer: Overlay.Layer
    /// Tells it from what the send did before, and from what the origin made of it.
    let version: UInt64
    let isMade: Bool

    /// Whether both change the value in the same way.
    func isSame(as other: LaidLayer) -> Bool { version == other.version && isMade == other.isMade }
}

extension [LaidSend] {
    /// Each send once: it may change a key in several ways.
    fileprivate var unique: [LaidSend] {
        var seen: Set<String> = []
        return filter { seen.insert($0.id).inserted }
    }
}

/// Lays the sends that are not done over the answers of a pipeline's loads. The first load opens the outboxes, so that those of earlier
/// processes are seen, too.
final class SendFollower: KeyFollower {
    private let laid: LaidKeys
    private let clock: PipelineClock
    private let open: @Sendable () async -> Bool
    private let isOpen = Atomic(false)
    private weak let followers: Followers?

    init(_ laid: LaidKeys, among followers: Followers, on clock: PipelineClock, opening open: @escaping @Sendable () async -> Bool) {
        (self.laid, self.followers, self.clock, self.open) = (laid, followers, clock, open)
        followers.count(1, of: nil, isLaid: true)
    }

    func follows(_ key: Key) -> Bool { !isOpen.load(ordering: .acquiring) || laid.contains(key) }

    func loading(_ call: Call, _ standing: Standing, _ load: Following) async throws -> LoadReply {
        if !isOpen.load(ordering: .acquiring), await open(), !isOpen.exchange(true, ordering: .acquiringAndReleasing) {
            followers?.count(-1, of: nil, isLaid: true)
        }
        var tries = 0
        while true {
            tries += 1
            let fades = laid.fades
            let reply = try await load(standing)
            let overlay = laid.overlay(of: call.key, over: reply.base)
            // A copy that was read before a change came to its cache lacks it, and nobody knows that any more.
            guard reply.base?.stored == nil || laid.fades == fades || tries == Self.mostTries else { continue }
            guard let (overlay, limit) = overlay else { return reply }
            let base = call.policy == .offline ? reply.offline(at: clock.now) : reply
            return overlay.laid(over: base, limit: limit, at: clock.now) ?? reply
        }
    }

    /// So often is read again what changes all the time.
    private static let mostTries = 10
}

extension LoadReply {
    /// Whether it has no value, not even an old one.
    fileprivate var hasNone: Bool {
        switch answer {
        case .failed, .none: true
        case .value, .stale, .notFound: false
        }
    }
}

extension Overlay {
    /// A reply with this over it; nil if nothing of it is seen.
    fileprivate func laid(over reply: LoadReply, limit: Size, at now: Timestamp) -> LoadReply? {
        guard let (entry, shown) = laid(over: reply.base, limit: limit, at: now) else { return nil }
        let sends = (detail(shown, nil) as? LaidSends)?.sends ?? []
        var laid = reply
        switch reply.answer {
        case .stale(_, let reason): laid.answer = .stale(entry, reason: reason)
        case .value, .notFound, .none, .failed: laid.answer = .value(entry)
        }
        laid.detail = LaidSends(sends, over: reply.base, reply.detail, hasNoBase: reply.hasNone)
        return laid
    }
}
