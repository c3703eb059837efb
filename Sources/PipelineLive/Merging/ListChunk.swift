import Pipeline
internal import PipelineJSON

/// Elements of a list that stand next to each other, with their bytes.
struct ListChunk: Sendable {
    /// An element with an id, or a member of an object keyed by id, and the elements without one behind it.
    struct Entry: Sendable {
        /// The offset of what is not there.
        static let none = UInt32.max

        /// The number of copies of an element that was removed: what is left are those without an id behind it.
        static let gone: UInt32 = 0
        /// The number of copies of an element that a ``RepeatedItem`` counts.
        static let repeated = UInt32.max

        var mark = ItemMark.none
        /// Where in the text begins what stands before the element (see `JSONParts.append(lead:isFirst:to:)`), where the element begins and ends,
        /// and where the elements without an id end that follow it.
        var lead: UInt32 = 0
        var value: UInt32 = 0
        var end: UInt32 = 0
        var tail: UInt32 = 0
        /// How many of those there are.
        var looseCount: UInt32 = 0
        /// How often the element stands here, each time with what stands before it.
        var copies = Entry.gone
        /// Where its version begins, and what it is sorted by.
        var version = Entry.none
        var key = Entry.none

        var leadRange: Range<Int> { Int(lead)..<Int(value) }
        var valueRange: Range<Int> { Int(value)..<Int(end) }
        var looseRange: Range<Int> { Int(end)..<Int(tail) }
        var range: Range<Int> { Int(lead)..<Int(tail) }

        /// Moves by so many bytes.
        fileprivate mutating func shift(by distance: Int) {
            func moved(_ offset: UInt32) -> UInt32 { offset == Self.none ? offset : UInt32(Int(offset) + distance) }
            (lead, value, end, tail) = (moved(lead), moved(value), moved(end), moved(tail))
            (version, key) = (moved(version), moved(key))
        }
    }

    /// How many entries it has at first, and at most.
    static let first = 48
    static let largest = 64
    /// With more bytes it takes no further entry.
    static let mostBytes = 16 << 10

    private(set) var entries: [Entry] = []
    /// Has the bytes of the entries: the text of the whole value, until one of them changes.
    private(set) var text: [UInt8] = []
    /// How many of them are theirs.
    private(set) var liveBytes = 0

    init() {}

    /// Entries are added that stand in `text`.
    init(in text: [UInt8]) {
        self.text = text
        entries.reserveCapacity(Self.first)
    }

    /// How many elements without an id it has.
    var looseCount: Int { entries.reduce(0) { $0 + Int($1.looseCount) } }

    /// Whether both are the same object.
    func isSame(as other: ListChunk) -> Bool {
        entries.withUnsafeBufferPointer { own in
            other.entries.withUnsafeBufferPointer { own.baseAddress == $0.baseAddress && own.count == $0.count }
        }
            && text.withUnsafeBufferPointer { own in other.text.withUnsafeBufferPointer { own.baseAddress == $0.baseAddress } }
    }

    /// Where the element with this id is; nil also for one that shares it with others.
    @inline(__always)
    func offset(of mark: ItemMark) -> Int? { entries.firstIndex { $0.mark == mark && $0.copies != Entry.repeated } }

    func value(_ offset: Int) -> ArraySlice<UInt8> { text[entries[offset].valueRange] }

    func lead(_ offset: Int) -> ArraySlice<UInt8> { text[entries[offset].leadRange] }

    func version(_ offset: Int) -> ItemVersion? {
        let place = entries[offset].version
        return place == Entry.none ? nil : JSONScanner.scalar(beginningAt: Int(place), in: text).flatMap { ItemVersion($0) }
    }

    func key(_ offset: Int) -> ItemVersion? {
        let place = entries[offset].key
        return place == Entry.none ? nil : JSONScanner.scalar(beginningAt: Int(place), in: text).flatMap { ItemVersion($0) }
    }
}

extension ListChunk {
    /// Adds an entry whose bytes are in the text.
    mutating func add(_ entry: Entry) {
        entries.append(entry)
        liveBytes += entry.range.count
    }

    /// Adds an element without an id behind the last entry, up to `end`.
    mutating func addLoose(upTo end: Int) {
        liveBytes += end - Int(entries[entries.count - 1].tail)
        entries[entries.count - 1].tail = UInt32(end)
        entries[entries.count - 1].looseCount += 1
    }

    /// Counts an element among those that share its id.
    mutating func markRepeated(_ offset: Int) { entries[offset].copies = Entry.repeated }

    /// Gives an element other bytes.
    mutating func replace(_ offset: Int, with item: ListItem) {
        var entry = entries[offset]
        let (lead, loose) = (Array(text[entry.leadRange]), Array(text[entry.looseRange]))
        liveBytes -= entry.range.count
        entries[offset].tail = entries[offset].lead
        let start = append(lead, item.bytes, loose)
        entry.place(item, at: start, lead: lead.count, loose: loose.count)
        entries[offset] = entry
    }

    mutating func insert(_ item: ListItem, lead: [UInt8], copies: Int, at offset: Int) {
        let start = append(lead, item.bytes, [])
        var entry = Entry(mark: item.mark, copies: UInt32(copies))
        entry.place(item, at: start, lead: lead.count, loose: 0)
        // Little by little: an array that grows by itself doubles.
        if entries.count == entries.capacity { entries.reserveCapacity(entries.count + 8) }
        entries.insert(entry, at: offset)
    }

    /// Removes an element. The entry stays where elements without an id follow.
    mutating func remove(_ offset: Int) {
        let entry = entries[offset]
        liveBytes -= Int(entry.end - entry.lead)
        if entry.looseCount == 0 {
            entries.remove(at: offset)
        } else {
            entries[offset] = Entry(
                lead: entry.end, value: entry.end, end: entry.end, tail: entry.tail, looseCount: entry.looseCount)
        }
    }

    /// Takes the entries from `offset` on away. They keep their text.
    mutating func split(at offset: Int) -> ListChunk {
        var rest = ListChunk()
        rest.entries = Array(entries[offset...])
        rest.text = text
        rest.liveBytes = rest.entries.reduce(0) { $0 + $1.range.count }
        liveBytes -= rest.liveBytes
        entries = Array(entries[..<offset])
        return rest
    }

    /// Appends bytes to the text, of which little is without use; returns where.
    private mutating func append(_ lead: [UInt8], _ value: [UInt8], _ loose: [UInt8]) -> Int {
        let size = lead.count + value.count + loose.count
        let most = liveBytes + size + liveBytes / 8 + 128
        if text.count + size > most { compact(reserving: most) }
        defer { liveBytes += size }
        let start = text.count
        text += lead
        text += value
        text += loose
        return start
    }

    private mutating func compact(reserving capacity: Int) {
        var new: [UInt8] = []
        new.reserveCapacity(capacity)
        for offset in entries.indices where !entries[offset].range.isEmpty {
            let range = entries[offset].range
            entries[offset].shift(by: new.count - range.lowerBound)
            new += text[range]
        }
        text = new
    }
}

extension ListChunk.Entry {
    fileprivate mutating func place(_ item: ListItem, at start: Int, lead leadSize: Int, loose: Int) {
        let begin = start + leadSize
        (lead, value, end) = (UInt32(start), UInt32(begin), UInt32(begin + item.bytes.count))
        tail = end + UInt32(loose)
        version = item.version.map { UInt32(begin + $0) } ?? Self.none
        key = item.key.map { UInt32(begin + $0) } ?? Self.none
    }
}

/// An item that takes a place in a list.
struct ListItem: Sendable {
    let mark: ItemMark
    let bytes: [UInt8]
    /// Where its version stands in the bytes, and what it is sorted by; nil for what it lacks.
    let version: Int?
    let key: Int?

    init(_ id: ItemID, _ bytes: [UInt8], _ policy: MergePolicy) {
        mark = id.mark
        self.bytes = bytes
        version = policy.version.flatMap { JSONScanner.place(ofScalar: $0, in: bytes, at: bytes.indices) }
        key = policy.sortKey.flatMap { JSONScanner.place(ofScalar: $0, in: bytes, at: bytes.indices) }
    }
}

extension MergePolicy {
    /// What the list is sorted by; nil where it is not.
    var sortKey: JSONPointer? {
        if case .sorted(let pointer, _) = insertion { pointer } else { nil }
    }
}
