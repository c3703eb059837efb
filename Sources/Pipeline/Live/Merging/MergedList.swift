internal import PipelineJSON

/// The list in a value, cut into its elements. A change touches one chunk of it, and so does a change after the list was copied.
struct MergedList: Sendable {
    /// An element, or a member of an object keyed by id.
    struct Element: Sendable {
        /// What it is. One reference, so that a chunk is copied at little cost: observers hold lists that change on.
        private var item: Item
        /// The revision that brought these bytes.
        var changed: UInt64
        /// The revision that put it at its place among the others.
        var placed: UInt64

        init(_ item: Item, revision: UInt64) { (self.item, changed, placed) = (item, revision, revision) }

        var id: ItemID? { item.id }
        var version: ItemVersion? { item.version }
        var bytes: [UInt8] { item.bytes }
        var lead: [UInt8] { item.lead }

        /// It has other bytes.
        mutating func change(to bytes: [UInt8], _ version: ItemVersion?, revision: UInt64) {
            item = Item(id: id, version: version, bytes: bytes, lead: lead)
            changed = revision
        }
    }

    /// What an element is, beside its place.
    final class Item: Sendable {
        /// Nil for one that has none. It stays as it is.
        let id: ItemID?
        let version: ItemVersion?
        let bytes: [UInt8]
        /// What stands before it, from the end of the one before: see `JSONParts.append(lead:isFirst:to:)`.
        let lead: [UInt8]

        init(id: ItemID?, version: ItemVersion?, bytes: [UInt8], lead: [UInt8]) {
            (self.id, self.version, self.bytes, self.lead) = (id, version, bytes, lead)
        }
    }

    /// Elements that stand next to each other.
    struct Chunk: Sendable {
        static let largest = 64
        static let first = 48

        var elements: [Element]
        /// The revision that changed it last.
        var revision: UInt64
    }

    /// Where an element stands.
    struct Position {
        /// The number of the chunk.
        var chunk: Int
        var offset: Int
    }

    let policy: MergePolicy
    let isObject: Bool
    /// Everything up to the opening bracket, and from the white space before the closing one on.
    let head: [UInt8]
    let tail: [UInt8]
    // What stands before a new element, and for a member also between name and value.
    let spacing: (before: [UInt8], after: [UInt8])
    // By number. One without elements is not in `order`, and used again.
    private(set) var chunks: [Chunk] = []
    /// The numbers of the chunks in the order of the list.
    private(set) var order: [Int] = []
    // The place of each chunk in `order`.
    private var ranks: [Int] = []
    private(set) var index = ItemIndex()
    /// How many elements there are.
    private(set) var count = 0
    /// The last revision that removed or moved an element.
    var disturbed: UInt64

    /// The list in `payload` at the place that `policy` names; nil where there is none.
    init?(_ payload: [UInt8], _ policy: MergePolicy, revision: UInt64) {
        guard let range = JSONScanner.range(of: policy.list, in: payload), let list = JSONScanner.parts(of: payload, at: range) else {
            return nil
        }
        // The members of an object keyed by id are its items. Where these have pointers to their ids, they are objects: with another value among
        // them it is no list, and `list` does not name its place.
        if list.isObject, !policy.id.isEmpty, list.parts.contains(where: { payload[$0.value.lowerBound] != UInt8(ascii: "{") }) {
            return nil
        }
        self.policy = policy
        disturbed = revision
        isObject = list.isObject
        head = Array(payload[..<(list.parts.first?.lead.lowerBound ?? list.tail.lowerBound)])
        tail = Array(payload[list.tail.lowerBound...])
        let model = list.parts.dropFirst().first ?? list.parts.first
        spacing = (
            model.map { Array(payload[$0.lead.lowerBound..<($0.name?.lowerBound ?? $0.lead.upperBound)]) } ?? [],
            model?.name.map { name in Array(payload[name.upperBound..<(model?.lead.upperBound ?? name.upperBound)]) } ?? [UInt8(ascii: ":")]
        )
        var lead: [UInt8] = []
        for part in list.parts {
            // Most leads are equal, and share their bytes.
            if !lead.elementsEqual(payload[part.lead]) { lead = Array(payload[part.lead]) }
            let id = part.name.map { ItemID(JSONScalar.string(payload, at: $0)) } ?? policy.id(of: payload, at: part.value)
            let version = policy.version(of: payload, at: part.value)
            append(Element(Item(id: id, version: version, bytes: Array(payload[part.value]), lead: lead), revision: revision))
        }
    }

    /// The bytes of the whole value.
    func joined() -> [UInt8] {
        var size = head.count + tail.count
        visit { size += $0.bytes.count + $0.lead.count + 1 }
        var text: [UInt8] = []
        text.reserveCapacity(size)
        text += head
        var isFirst = true
        visit { element in
            JSONParts.append(lead: element.lead, isFirst: isFirst, to: &text)
            text += element.bytes
            isFirst = false
        }
        return text + tail
    }

    /// Calls `body` with each element in order. Lends it, so that its reference is not counted.
    private func visit(_ body: (borrowing Element) -> Void) {
        for number in order {
            let chunk = chunks[number].elements
            let elements = chunk.span
            for offset in elements.indices { body(elements[offset]) }
        }
    }

    /// The elements in order.
    var elements: some Sequence<Element> { order.lazy.flatMap { chunks[$0].elements } }

    /// The first element with this id, or one of them.
    func element(_ id: ItemID) -> Element? {
        guard let chunk = index[id] else { return nil }
        return chunks[chunk].elements.first { $0.id == id }
    }

    /// Where the elements with this id stand.
    func positions(of id: ItemID) -> [Position] {
        if !index.hasRepeated {
            guard let chunk = index[id], let offset = chunks[chunk].elements.firstIndex(where: { $0.id == id }) else { return [] }
            return [Position(chunk: chunk, offset: offset)]
        }
        return index.chunks(of: id).sorted { ranks[$0] < ranks[$1] }.flatMap { chunk in
            chunks[chunk].elements.indices.filter { chunks[chunk].elements[$0].id == id }.map { Position(chunk: chunk, offset: $0) }
        }
    }

    /// The element that stands `distance` before or behind, one away at most.
    func neighbor(of position: Position, _ distance: Int) -> Element? {
        let elements = chunks[position.chunk].elements
        let offset = position.offset + distance
        if elements.indices.contains(offset) { return elements[offset] }
        let rank = ranks[position.chunk] + distance
        guard order.indices.contains(rank) else { return nil }
        return distance < 0 ? chunks[order[rank]].elements.last : chunks[order[rank]].elements.first
    }

    subscript(position: Position) -> Element { chunks[position.chunk].elements[position.offset] }
}

extension MergedList {
    /// Gives the element other bytes, at its place.
    mutating func replace(_ position: Position, _ bytes: [UInt8], _ version: ItemVersion?, revision: UInt64) {
        chunks[position.chunk].revision = revision
        chunks[position.chunk].elements[position.offset].change(to: bytes, version, revision: revision)
    }

    /// Changes what is known of an element beside its bytes.
    mutating func stamp(_ position: Position, changed: UInt64, placed: UInt64) {
        chunks[position.chunk].elements[position.offset].changed = changed
        chunks[position.chunk].elements[position.offset].placed = placed
    }

    /// All of it is what `revision` brought.
    mutating func stampAll(_ revision: UInt64) {
        disturbed = revision
        for chunk in chunks.indices {
            chunks[chunk].revision = revision
            for offset in chunks[chunk].elements.indices {
                stamp(Position(chunk: chunk, offset: offset), changed: revision, placed: revision)
            }
        }
    }

    /// Removes all elements with this id.
    mutating func remove(_ id: ItemID, revision: UInt64) {
        // From behind, so that the offsets hold.
        for position in positions(of: id).reversed() { remove(position, revision: revision) }
    }

    mutating func remove(_ position: Position, revision: UInt64) {
        let element = chunks[position.chunk].elements.remove(at: position.offset)
        chunks[position.chunk].revision = revision
        disturbed = revision
        if let id = element.id { index.remove(id, chunk: position.chunk) }
        count -= 1
        guard chunks[position.chunk].elements.isEmpty else { return }
        order.remove(at: ranks[position.chunk])
        rank()
    }

    /// Inserts an element before the one at `position`; nil appends it.
    mutating func insert(_ element: Element, at position: Position?, revision: UInt64) {
        guard let position = position ?? end else {
            append(element)
            return
        }
        count += 1
        chunks[position.chunk].revision = revision
        chunks[position.chunk].elements.insert(element, at: position.offset)
        if let id = element.id { index.add(id, chunk: position.chunk) }
        if chunks[position.chunk].elements.count > Chunk.largest { split(position.chunk, revision: revision) }
    }

    /// Behind the last element.
    private var end: Position? { order.last.map { Position(chunk: $0, offset: chunks[$0].elements.count) } }

    private mutating func append(_ element: Element) {
        if order.last.map({ chunks[$0].elements.count >= Chunk.first }) ?? true {
            addChunk(at: order.count, revision: element.placed)
        }
        guard let chunk = order.last else { return }
        chunks[chunk].elements.append(element)
        if let id = element.id { index.add(id, chunk: chunk) }
        count += 1
    }

    /// Moves the second half of a chunk to a new one behind it.
    private mutating func split(_ chunk: Int, revision: UInt64) {
        let middle = chunks[chunk].elements.count / 2
        let moved = Array(chunks[chunk].elements[middle...])
        chunks[chunk].elements.removeSubrange(middle...)
        let new = addChunk(at: ranks[chunk] + 1, revision: revision)
        chunks[new].elements = moved
        for case let id? in moved.map(\.id) {
            index.remove(id, chunk: chunk)
            index.add(id, chunk: new)
        }
    }

    @discardableResult
    private mutating func addChunk(at place: Int, revision: UInt64) -> Int {
        let free = order.count < chunks.count ? chunks.indices.first { chunks[$0].elements.isEmpty } : nil
        let chunk = free ?? chunks.count
        if chunk == chunks.count {
            chunks.append(Chunk(elements: [], revision: revision))
            ranks.append(0)
        }
        chunks[chunk].revision = revision
        order.insert(chunk, at: place)
        rank(from: place)
        return chunk
    }

    private mutating func rank(from place: Int = 0) {
        for place in place..<order.count { ranks[order[place]] = place }
    }
}
