import Pipeline
/// Where the elements with an id stand in a list: in which chunk, or which one they are of the ids that stand there more than once.
///
/// Eight bytes for each id, in buckets of some dozen: a change after the list was copied copies one of them.
struct ItemIndex: Sendable {
    /// What an id leads to.
    enum Target: Sendable, Equatable {
        case chunk(Int)
        case repeated(Int)
    }

    private struct Slot: Sendable {
        private static let repeated: UInt32 = 1 << 31

        let tag: UInt32
        private var code: UInt32

        init(_ tag: UInt32, _ target: Target) {
            self.tag = tag
            switch target {
            case .chunk(let number): code = UInt32(number)
            case .repeated(let number): code = UInt32(number) | Self.repeated
            }
        }

        var target: Target { code & Self.repeated == 0 ? .chunk(Int(code)) : .repeated(Int(code & ~Self.repeated)) }
    }

    private static let usual = 24
    private static let most: UInt8 = 64

    private var buckets = Paged<[Slot]>()
    private var count = 0

    /// An index with room for the ids of these tags.
    init(for tags: some Sequence<UInt32> = [], count: Int = 0) {
        let bucketCount = count / Self.usual + 1
        var sizes = [UInt8](repeating: 0, count: bucketCount)
        for tag in tags {
            let bucket = Self.bucket(of: tag, among: bucketCount)
            // One id may stand there a thousand times, and has one slot.
            if sizes[bucket] < Self.most { sizes[bucket] += 1 }
        }
        for size in sizes {
            var bucket: [Slot] = []
            bucket.reserveCapacity(Int(size))
            buckets.append(bucket)
        }
    }

    private static func bucket(of tag: UInt32, among count: Int) -> Int { Int((UInt64(tag) * UInt64(count)) >> 32) }

    /// The first result of `look` for what `tag` may lead to.
    @inline(__always)
    func first<Value>(for tag: UInt32, _ look: (Target) -> Value?) -> Value? {
        for slot in buckets[Self.bucket(of: tag, among: buckets.count)] where slot.tag == tag {
            if let value = look(slot.target) { return value }
        }
        return nil
    }

    mutating func add(_ tag: UInt32, _ target: Target) {
        if count >= buckets.count * Int(Self.most) { grow() }
        count += 1
        buckets.update(Self.bucket(of: tag, among: buckets.count)) { $0.append(Slot(tag, target)) }
    }

    /// An id leads elsewhere.
    mutating func move(_ tag: UInt32, from old: Target, to new: Target) {
        buckets.update(Self.bucket(of: tag, among: buckets.count)) { bucket in
            if let place = bucket.firstIndex(where: { $0.tag == tag && $0.target == old }) { bucket[place] = Slot(tag, new) }
        }
    }

    mutating func remove(_ tag: UInt32, _ target: Target) {
        let isRemoved = buckets.update(Self.bucket(of: tag, among: buckets.count)) { bucket in
            guard let place = bucket.firstIndex(where: { $0.tag == tag && $0.target == target }) else { return false }
            bucket.swapAt(place, bucket.count - 1)
            bucket.removeLast()
            return true
        }
        if isRemoved { count -= 1 }
    }

    private mutating func grow() {
        let old = buckets
        var slots: [Slot] = []
        slots.reserveCapacity(count)
        for number in 0..<old.count { slots += old[number] }
        self = ItemIndex(for: slots.lazy.map(\.tag), count: count)
        for slot in slots { add(slot.tag, slot.target) }
    }

    /// Among how many an id is looked for at most, for tests.
    var longestBucket: Int { (0..<buckets.count).map { buckets[$0].count }.max() ?? 0 }

    /// The bytes that it takes.
    var memory: Int { (0..<buckets.count).reduce(0) { $0 + 48 + MemoryLayout<Slot>.stride * buckets[$1].capacity } }
}
