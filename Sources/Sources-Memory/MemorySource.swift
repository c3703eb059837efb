public import Pipeline
public import PipelineConfig

/// A cache in this process's memory, bounded by entries and by bytes.
///
/// S3-FIFO chooses what to evict: entries that were read since they were written stay, and a long scan of keys that are fetched only once
/// does not push them out. Freshness plays no part: an expired entry stays, and counts, until it is evicted.
///
/// From 4,096 entries on (and 16 MiB, where bytes are bounded) the keys are spread over 16 shards, each with a lock and a queue of its own,
/// so that threads that ask for different keys do not wait for each other. The bounds hold for all shards together; a write makes room in its
/// own shard first. Where hits no longer change anything, because everything that is read was used often, they bypass those locks, too, until
/// the next write.
public final class MemorySource: WritableSource {
    let shards: [MemoryShard]
    /// The shards and the views of all of them, for readers: counting their references would have threads wait for each other at every hit.
    private let unowned: [Unmanaged<MemoryShard>]
    private let views: [Unmanaged<MemoryView>]
    private let budget: MemoryBudget
    private let offset: UInt64
    private let multiplier: UInt64
    private let evicted: @Sendable (Key) -> Void

    /// An empty cache.
    ///
    /// - Parameters:
    ///   - maxEntries: 0 keeps none. Not negative.
    ///   - maxBytes: counts payloads, the texts of keys, metadata and bookkeeping, see ``cost(of:for:)``; nil without a limit. An
    ///     entry that is larger by itself is not kept, nor is an older copy of its key.
    ///   - seed: decides which entries share a lock and a queue, and so which ones are evicted. Random unless given: a stranger with the seed
    ///     can choose keys that make the cache slow.
    ///   - evicted: receives each key that is evicted to keep within the bounds.
    public init(maxEntries: Int = 10_000, maxBytes: Size? = nil, seed: UInt64? = nil, evicted: @escaping @Sendable (Key) -> Void = { _ in })
    {
        let seed = seed ?? .random(in: .min ... .max)
        offset = seed
        multiplier = seed.scrambled | 1
        self.evicted = evicted
        budget = MemoryBudget(maxEntries: maxEntries, maxBytes: maxBytes)
        let isLarge = maxEntries >= 4_096 && maxBytes.map { $0 >= .mebibytes(16) } ?? true
        shards = (0..<(isLarge ? 16 : 1)).map { [budget] _ in MemoryShard(budget: budget) }
        unowned = shards.map(Unmanaged.passUnretained)
        views = shards.flatMap(\.views).map(Unmanaged.passUnretained)
    }

    /// The number of entries that it holds, expired ones included.
    public var count: Int { budget.entries }

    /// The number of bytes that it holds, as ``cost(of:for:)`` counts them.
    public var byteCount: Int { budget.bytes }

    /// The keys it holds, in no order.
    public var keys: [Key] { shards.flatMap(\.keys) }

    /// The number of entries that each shard holds, for tests.
    var shardCounts: [Int] { shards.map(\.keys.count) }

    /// Changes the bounds and makes room for them at once. The number of shards stays what it was.
    public func setBounds(maxEntries: Int, maxBytes: Size?) {
        budget.setBounds(maxEntries: maxEntries, maxBytes: maxBytes)
        trim(sparing: nil)
    }

    /// `ReadStyle.immediate`.
    public var style: ReadStyle { .immediate }

    /// The entry that ``peek(_:)`` finds.
    public func read(_ key: Key, _ context: ReadContext) async throws -> Entry? { peek(key) }

    /// The entry it holds for `key`, fresh or not. Counts as a use.
    @inline(__always)
    public func peek(_ key: Key) -> Entry? {
        copy(hash: hash(of: key.hash), { $0.isIdentical(to: key) || $0 == key }, { $0.entry(from: $1) })
    }

    /// The entry that ``peek(_:)`` finds for the key of this text, and that key.
    @inline(__always)
    public func peek(text: Span<UInt8>, hash: UInt64) -> HeldCopy? {
        copy(hash: self.hash(of: hash), { $0.hasText(text) }, { HeldCopy($0.entry(from: $1), for: $0.key) })
    }

    @inline(__always)
    private func copy<Copy: Sendable>(
        hash: UInt64, _ matches: (Key) -> Bool, _ take: (borrowing MemoryStore.Slot, _ source: String?) -> Copy
    ) -> Copy? {
        let index = shardIndex(of: hash)
        let fingerprint = Self.fingerprint(of: hash)
        let place = ReadingThread.place(of: MemoryShard.viewCount, salt: index)
        return views[index * MemoryShard.viewCount + place]._withUnsafeGuaranteedRef { view in
            var isKnown = false
            let copy = view.look(hash: fingerprint, isKnown: &isKnown, matches, take)
            if isKnown { return copy }
            return unowned[index]._withUnsafeGuaranteedRef { $0.copy(hash: fingerprint, givingViewTo: view, matches, take) }
        }
    }

    /// Stores `entry` and evicts others until the bounds hold. Waits for nothing but a lock, and throws only a `SourceError` of the kind
    /// `notKept`, for an entry that is larger than the bounds by itself.
    public func write(_ entry: Entry, for key: Key) async throws {
        let hash = hash(of: key.hash)
        let index = shardIndex(of: hash)
        let shard = shards[index]
        let cost = Self.cost(of: entry, for: key)
        guard budget.admits(bytes: cost) else {
            shard.remove(key, hash: Self.fingerprint(of: hash))
            throw budget.refusal
        }
        let (isOver, gone) = shard.write(entry, for: key, hash: Self.fingerprint(of: hash), cost: cost)
        for key in gone { evicted(key) }
        // Its own shard has nothing left to evict, and the new entry must not be evicted before the others.
        if isOver { trim(sparing: index) }
    }

    /// Gives the entry of `key` new times where it is still `held`. Counts as no use, and evicts nothing. Never throws.
    public func renew(_ held: Entry, as entry: Entry, for key: Key) async throws -> Bool {
        let hash = hash(of: key.hash)
        return shards[shardIndex(of: hash)].renew(held, as: entry, for: key, hash: Self.fingerprint(of: hash))
    }

    /// Forgets `key`. Never throws.
    public func remove(_ key: Key) async throws {
        let hash = hash(of: key.hash)
        shards[shardIndex(of: hash)].remove(key, hash: Self.fingerprint(of: hash))
    }

    /// Forgets every key of `pipeline`; takes time in proportion to all entries. Never throws.
    public func clear(pipeline: String) async throws {
        for shard in shards { shard.clear(pipeline: pipeline) }
    }

    /// Answers that the source is reachable: memory is always at hand.
    public func check() async throws -> Reachability { .reachable }

    /// Evicts one entry from each shard but `spared` in turn, until the bounds hold or those shards are empty.
    private func trim(sparing spared: Int?) {
        var hasEvicted = true
        while hasEvicted {
            hasEvicted = false
            for index in shards.indices where index != spared {
                guard budget.isOver else { return }
                guard let key = shards[index].evict() else { continue }
                hasEvicted = true
                evicted(key)
            }
        }
    }

    /// The key's hash, mixed with the seed: without the seed, keys that collide cannot be predicted (multiply-shift; Dietzfelbinger and
    /// others, "A reliable randomized algorithm for the closest-pair problem", 1997).
    @inline(__always)
    private func hash(of hash: UInt64) -> UInt64 {
        let mixed = (hash ^ offset) &* multiplier
        return (mixed ^ (mixed >> 32)) &* multiplier
    }

    /// The shard of a key, by the highest bits of the hash; the index within it takes those below, so that one does not thin out the other.
    /// The lowest ones are the worst.
    @inline(__always)
    private func shardIndex(of hash: UInt64) -> Int { shards.count == 1 ? 0 : Int(truncatingIfNeeded: hash >> 60) }

    @inline(__always)
    private static func fingerprint(of hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash >> 28) }
}

extension SourcePlugin {
    /// The plugin `memory`: entries live in this process and are gone with it.
    public static let memory = SourcePlugin(
        cache: "memory", summary: "Keeps entries in memory until the process ends.",
        capabilities: [.keepsMetadata, .keepsNotFound, .listsKeys, .answersAtOnce],
        fields: Field("max_entries", default: 10_000, range: 0..., "The largest number of entries to keep; 0 keeps none.").role(.bound),
        Field("max_bytes", default: Size?.none, "The most bytes to keep, including keys and bookkeeping.", example: "64MiB")
            .role(.bound)
    ) { context, maxEntries, maxBytes in
        MemorySource(maxEntries: maxEntries, maxBytes: maxBytes, seed: context.random.next(), evicted: context.evicted)
    }
}

extension MemorySource {
    /// The number of bytes that an entry counts towards `max_bytes`: its payload, the key's text, its metadata, and ``bookkeeping``.
    ///
    /// The key's own object is not counted: its callers share it.
    public static func cost(of entry: Entry, for key: Key) -> Int {
        entry.size + key.text.utf8.count + metadataCost(of: entry) + bookkeeping
    }

    /// The bytes that every entry takes besides its contents: 113 on 64-bit machines.
    ///
    /// They are its slot (key reference and entry), the number of its origin, its place in the queues, two buckets of the index (which is at
    /// least half full), two cells of the ghost queue, and the header of the array that holds the payload.
    public static let bookkeeping =
        MemoryLayout<MemoryStore.Slot?>.stride + MemoryLayout<UInt8>.stride + MemoryLayout<S3FIFO.Node>.stride
        + 2 * MemoryLayout<SlotIndex.Bucket>.stride + 2 * MemoryLayout<GhostQueue.Cell>.stride + 4 * MemoryLayout<Int>.stride

    private static func metadataCost(of entry: Entry) -> Int {
        var cost = 0
        var hasDetails = false
        for text in [entry.etag, entry.lastModified, entry.contentType, entry.version] {
            guard let text else { continue }
            hasDetails = true
            cost += text.utf8.count
        }
        // Entries share the name of their origin. A long one counts all the same: those that another program wrote may each have one.
        if let source = entry.source, source.utf8.count > 15 { cost += source.utf8.count + 4 * MemoryLayout<Int>.stride }
        if entry.cacheControl != nil || entry.variant != nil {
            // An object with these, an optional string, and its header.
            hasDetails = true
            cost += MemoryLayout<CacheControl?>.stride + 2 * MemoryLayout<String?>.stride + 2 * MemoryLayout<Int>.stride
            cost += entry.variant?.utf8.count ?? 0
        }
        // An object with four optional strings, and its header.
        return hasDetails ? cost + 4 * MemoryLayout<String?>.stride + 2 * MemoryLayout<Int>.stride : 0
    }
}

extension MemorySource {
    /// Lists what it holds of `pipeline`; takes time in proportion to all entries, and counts as no use of them. Never throws.
    public func contents(of pipeline: String, limit: Int) async throws -> CacheContents? {
        CacheContents(shards.flatMap { $0.copies(of: pipeline) }, limit: limit)
    }
}
