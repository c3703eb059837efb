import Pipeline
internal import PipelineJSON

/// The list in a value, cut into its elements. A change touches one chunk of it, and so does a change after the list was copied, also where
/// one id stands in it a thousand times.
struct MergedList: Sendable {
    /// A value in which no changes can be merged.
    struct Refusal: Error {
        /// Why; nil where it has no list.
        let reason: String?
    }

    /// The most elements that are taken apart.
    static let mostElements = 1_000_000

    /// Where an element stands.
    struct Position {
        /// The number of the chunk.
        let chunk: Int
        let offset: Int
    }

    /// Where what has an id stands.
    enum Place {
        case one(Position)
        /// In many places: the number of the ``RepeatedItem``.
        case many(Int)
    }

    let policy: MergePolicy
    let isObject: Bool
    /// Everything up to the opening bracket, and from the white space before the closing one on.
    private(set) var head: ArraySlice<UInt8> = []
    private(set) var tail: ArraySlice<UInt8> = []
    // What stands before a new element, and for a member also between name and value.
    private var spacing: (before: [UInt8], after: [UInt8]) = ([], [UInt8(ascii: ":")])
    // By number. One without entries is not in `order`, and used again.
    private(set) var chunks = Paged<ListChunk>()
    private var free: [Int] = []
    /// The numbers of the chunks in the order of the list.
    private(set) var order: [Int] = []
    // The place of each chunk in `order`.
    private(set) var ranks: [Int] = []
    private var index = ItemIndex()
    /// What has an id that stood in the list more than once when it was cut.
    private(set) var repeated = Paged<RepeatedItem>()
    /// How many elements there are, and how many of them have no id.
    private(set) var count = 0
    private(set) var looseCount = 0
    // How many bytes they have with what stands before each, a comma included.
    private var unitBytes = 0

    /// The list in `payload` at the place that `policy` names.
    ///
    /// - Parameter most: the most elements that it has.
    init(_ payload: [UInt8], _ policy: MergePolicy, most: Int = mostElements) throws(Refusal) {
        guard payload.count < UInt32.max else { throw Refusal(reason: "more than 4 GiB") }
        guard let range = JSONScanner.range(of: policy.list, in: payload) else { throw Refusal(reason: nil) }
        self.policy = policy
        isObject = payload[range.lowerBound] == UInt8(ascii: "{")
        var (number, isList) = (0, true)
        var (first, model): (JSONParts.Part?, JSONParts.Part?)
        let end = JSONScanner.forEachPart(of: payload, at: range) { part in
            number += 1
            if number == 1 { first = part }
            if number <= 2 { model = part }
            // The members of an object keyed by id are its items. Where these have pointers to their ids, they are objects: with another value
            // among them it is no list, and `list` does not name its place.
            if isObject, !policy.id.isEmpty, payload[part.value.lowerBound] != UInt8(ascii: "{") { isList = false }
            if isList, number <= most { add(part, payload) }
        }
        guard let end, isList else { throw Refusal(reason: nil) }
        guard number <= most else { throw Refusal(reason: "more than 1,000,000 elements") }
        (head, tail) = (payload[..<(first?.lead.lowerBound ?? end.tail.lowerBound)], payload[end.tail.lowerBound...])
        // A little of a text would keep all of it.
        if (head.count + tail.count) * 2 < payload.count { (head, tail) = (ArraySlice(Array(head)), ArraySlice(Array(tail))) }
        count = number
        unitBytes = payload.count - head.count - tail.count + (count > 0 ? 1 : 0)
        if let model { spacing = Self.spacing(of: model, in: payload) }
        indexAll()
    }

    private static func spacing(of model: JSONParts.Part, in payload: [UInt8]) -> (before: [UInt8], after: [UInt8]) {
        (
            Array(payload[model.lead.lowerBound..<(model.name?.lowerBound ?? model.lead.upperBound)]),
            model.name.map { Array(payload[$0.upperBound..<model.lead.upperBound]) } ?? [UInt8(ascii: ":")]
        )
    }

    /// How many bytes the value has, or a few less: white space before the comma of an element that has become the first is counted.
    var size: Int { head.count + tail.count + unitBytes - (count > 0 ? 1 : 0) }

    /// Where the elements with this id stand; nil where there is none.
    func find(_ mark: ItemMark) -> Place? {
        index.first(for: mark.tag) { target in
            switch target {
            case .repeated(let number): repeated[number].mark == mark ? .many(number) : nil
            case .chunk(let number): chunks[number].offset(of: mark).map { .one(Position(chunk: number, offset: $0)) }
            }
        }
    }

    /// The bytes of the element there, or of the first one.
    func value(at place: Place) -> ArraySlice<UInt8> {
        switch place {
        case .one(let position): chunks[position.chunk].value(position.offset)
        case .many(let number): repeated[number].value
        }
    }

    /// The bytes of the element with this id, or of the first one.
    func element(_ id: ItemID) -> [UInt8]? { find(id.mark).map { Array(value(at: $0)) } }

    /// The elements with an id in order, for tests.
    var elements: [(id: ItemID?, bytes: [UInt8])] {
        order.flatMap { number in
            let chunk = chunks[number]
            return chunk.entries.indices.flatMap { offset in
                Array(repeating: (id(offset, of: chunk), Array(value(offset, of: chunk))), count: copies(of: chunk.entries[offset]))
            }
        }
    }

    /// The bytes that it takes beside those of the elements, for tests.
    var memory: Int {
        index.memory + 8 * (order.capacity + ranks.capacity)
            + (0..<chunks.count).reduce(0) {
                $0 + 64 + MemoryLayout<ListChunk>.stride + MemoryLayout<ListChunk.Entry>.stride * chunks[$1].entries.capacity
            }
    }

    /// How often the entry stands in the list.
    func copies(of entry: ListChunk.Entry) -> Int {
        guard entry.copies == ListChunk.Entry.repeated else { return Int(entry.copies) }
        return shared(by: entry) == nil ? 0 : 1
    }

    /// What an entry shares with others of its id; nil where it shares nothing, or they are gone.
    func shared(by entry: ListChunk.Entry) -> RepeatedItem? {
        guard entry.copies == ListChunk.Entry.repeated, case .many(let number) = find(entry.mark) else { return nil }
        return repeated[number]
    }

    /// The bytes of an entry that stands in the list.
    func value(_ offset: Int, of chunk: ListChunk) -> ArraySlice<UInt8> {
        if !repeated.isEmpty, let shared = shared(by: chunk.entries[offset]), shared.isShared { return shared.value }
        return chunk.value(offset)
    }

    /// The id of an entry.
    func id(_ offset: Int, of chunk: ListChunk) -> ItemID? {
        if isObject {
            let lead = chunk.lead(offset)
            guard let start = lead.firstIndex(of: UInt8(ascii: "\"")), let end = lead.lastIndex(of: UInt8(ascii: "\"")) else { return nil }
            return ItemID(JSONScalar.string(chunk.text, at: start..<(end + 1)))
        }
        return policy.id(of: chunk.text, at: chunk.entries[offset].valueRange)
    }
}

extension MergedList {
    /// Adds what the text has next.
    private mutating func add(_ part: JSONParts.Part, _ payload: [UInt8]) {
        let id = part.name.map { ItemID(JSONScalar.string(payload, at: $0)) } ?? policy.id(of: payload, at: part.value)
        let size = part.value.upperBound - part.lead.lowerBound
        guard let id else {
            looseCount += 1
            return addLoose(part, size, payload)
        }
        var entry = ListChunk.Entry(mark: id.mark, copies: 1)
        (entry.lead, entry.value) = (UInt32(part.lead.lowerBound), UInt32(part.value.lowerBound))
        (entry.end, entry.tail) = (UInt32(part.value.upperBound), UInt32(part.value.upperBound))
        func place(of pointer: JSONPointer?) -> UInt32 {
            pointer.flatMap { JSONScanner.place(ofScalar: $0, in: payload, at: part.value) }.map(UInt32.init) ?? ListChunk.Entry.none
        }
        (entry.version, entry.key) = (place(of: policy.version), place(of: policy.sortKey))
        chunks.update(chunkToFill(with: size, payload)) { $0.add(entry) }
    }

    /// An element without an id belongs to the entry before it, where that does not become too long to be copied.
    private mutating func addLoose(_ part: JSONParts.Part, _ size: Int, _ payload: [UInt8]) {
        let isJoined = order.last.map { last in
            chunks.update(last) { chunk in
                let isRun = chunk.entries.count == 1 && chunk.entries[0].copies == ListChunk.Entry.gone
                guard isRun || chunk.liveBytes + size <= ListChunk.mostBytes else { return false }
                chunk.addLoose(upTo: part.value.upperBound)
                return true
            }
        }
        if isJoined ?? false { return }
        let start = UInt32(part.lead.lowerBound)
        let run = ListChunk.Entry(
            lead: start, value: start, end: start, tail: UInt32(part.value.upperBound), looseCount: 1)
        chunks.update(addChunk(ListChunk(in: payload), at: order.count)) { $0.add(run) }
    }

    private mutating func chunkToFill(with size: Int, _ payload: [UInt8]) -> Int {
        if let last = order.last, chunks[last].entries.count < ListChunk.first, chunks[last].liveBytes + size <= ListChunk.mostBytes {
            return last
        }
        return addChunk(ListChunk(in: payload), at: order.count)
    }

    /// Notes where each id stands.
    private mutating func indexAll() {
        var tags: [UInt32] = []
        tags.reserveCapacity(count)
        for chunk in order {
            for entry in chunks[chunk].entries where entry.copies != ListChunk.Entry.gone { tags.append(entry.mark.tag) }
        }
        index = ItemIndex(for: tags, count: tags.count)
        for chunk in order {
            for offset in chunks[chunk].entries.indices where chunks[chunk].entries[offset].copies != ListChunk.Entry.gone {
                note(Position(chunk: chunk, offset: offset))
            }
        }
    }

    private mutating func note(_ position: Position) {
        let mark = chunks[position.chunk].entries[position.offset].mark
        // The entry itself is found where its chunk has one before it.
        let number: Int
        switch find(mark) {
        case nil: return index.add(mark.tag, .chunk(position.chunk))
        case .many(let known): number = known
        case .one(let first):
            if first.chunk == position.chunk, first.offset == position.offset {
                // An other id of the same tag stands in this chunk, and leads here.
                return index.add(mark.tag, .chunk(position.chunk))
            }
            number = repeated.count
            repeated.append(RepeatedItem(mark, value(at: .one(first)), key: chunks[first.chunk].key(first.offset)))
            index.move(mark.tag, from: .chunk(first.chunk), to: .repeated(number))
            count(first, among: number)
        }
        count(position, among: number)
    }

    private mutating func count(_ position: Position, among number: Int) {
        let chunk = chunks[position.chunk]
        let (value, version, key) = (chunk.value(position.offset), chunk.version(position.offset), chunk.key(position.offset))
        let unitBytes = Self.unitBytes(chunk.lead(position.offset), value.count)
        let hasKey = policy.sortKey == nil || sortKey(key) == sortKey(repeated[number].key)
        repeated.update(number) { $0.add(value, unitBytes: unitBytes, version, hasKeyOfFirst: hasKey) }
        chunks.update(position.chunk) { $0.markRepeated(position.offset) }
    }

    static func unitBytes(_ lead: ArraySlice<UInt8>, _ valueBytes: Int) -> Int {
        lead.count + (JSONParts.comma(in: lead) == nil ? 1 : 0) + valueBytes
    }
}

extension MergedList {
    /// What stands before an element with this id that is new.
    func lead(for id: ItemID) -> [UInt8] {
        guard isObject else { return spacing.before }
        return spacing.before + Array("\"\(JSONText.escaped(id.text))\"".utf8) + spacing.after
    }

    /// Gives the element or elements there other bytes, at their place.
    mutating func replace(_ place: Place, with item: ListItem) {
        switch place {
        case .one(let position):
            let entry = chunks[position.chunk].entries[position.offset]
            unitBytes += Int(entry.copies) * (item.bytes.count - entry.valueRange.count)
            chunks.update(position.chunk) { $0.replace(position.offset, with: item) }
        case .many(let number):
            let version = item.version.flatMap { JSONScanner.scalar(beginningAt: $0, in: item.bytes) }.flatMap { ItemVersion($0) }
            let before = repeated[number].unitBytes
            repeated.update(number) { $0.share(item.bytes, version) }
            unitBytes += repeated[number].unitBytes - before
        }
    }

    /// How many elements stand there, and how many bytes they have, with what stands before each or alone.
    func measures(of place: Place) -> (count: Int, unitBytes: Int, valueBytes: Int) {
        switch place {
        case .one(let position):
            let chunk = chunks[position.chunk]
            let (count, value) = (Int(chunk.entries[position.offset].copies), chunk.entries[position.offset].valueRange.count)
            return (count, count * Self.unitBytes(chunk.lead(position.offset), value), count * value)
        case .many(let number): return (repeated[number].count, repeated[number].unitBytes, repeated[number].valueBytes)
        }
    }

    /// Removes the element or elements there.
    mutating func remove(_ place: Place) {
        let measures = measures(of: place)
        count -= measures.count
        unitBytes -= measures.unitBytes
        switch place {
        case .many(let number):
            index.remove(repeated[number].mark.tag, .repeated(number))
            repeated.update(number) { $0.clear() }
        case .one(let position):
            index.remove(chunks[position.chunk].entries[position.offset].mark.tag, .chunk(position.chunk))
            chunks.update(position.chunk) { $0.remove(position.offset) }
            if chunks[position.chunk].entries.isEmpty { removeChunk(position.chunk) }
        }
    }

    /// Inserts an element before the entry at `position`; nil appends it.
    mutating func insert(_ item: ListItem, lead: [UInt8], copies: Int = 1, at position: Position?) {
        let chunk = makeRoom(for: lead.count + item.bytes.count, at: position)
        chunks.update(chunk.chunk) { $0.insert(item, lead: lead, copies: copies, at: chunk.offset) }
        index.add(item.mark.tag, .chunk(chunk.chunk))
        count += copies
        unitBytes += copies * Self.unitBytes(lead[...], item.bytes.count)
        if chunks[chunk.chunk].entries.count > ListChunk.largest { split(chunk.chunk, at: chunks[chunk.chunk].entries.count / 2) }
    }

    /// A place in a chunk that takes another element: no chunk of many bytes is copied for it.
    private mutating func makeRoom(for size: Int, at position: Position?) -> Position {
        guard let last = order.last else { return Position(chunk: addChunk(ListChunk(), at: 0), offset: 0) }
        let position = position ?? Position(chunk: last, offset: chunks[last].entries.count)
        let (count, bytes) = (chunks[position.chunk].entries.count, chunks[position.chunk].liveBytes)
        let isAtEnd = position.offset == count
        if bytes + size <= ListChunk.mostBytes, !isAtEnd || count < ListChunk.first { return position }
        let rank = ranks[position.chunk]
        if position.offset > 0, !isAtEnd { split(position.chunk, at: position.offset) }
        return Position(chunk: addChunk(ListChunk(), at: position.offset == 0 ? rank : rank + 1), offset: 0)
    }

    /// Moves the entries of a chunk from `offset` on to a new one behind it.
    private mutating func split(_ chunk: Int, at offset: Int) {
        let rest = chunks.update(chunk) { $0.split(at: offset) }
        let new = addChunk(rest, at: ranks[chunk] + 1)
        for entry in rest.entries where entry.copies != ListChunk.Entry.gone && entry.copies != ListChunk.Entry.repeated {
            index.move(entry.mark.tag, from: .chunk(chunk), to: .chunk(new))
        }
    }

    @discardableResult
    private mutating func addChunk(_ chunk: ListChunk, at place: Int) -> Int {
        let number = free.popLast() ?? chunks.count
        if number == chunks.count {
            chunks.append(chunk)
            ranks.append(0)
        } else {
            chunks.update(number) { $0 = chunk }
        }
        order.insert(number, at: place)
        rank(from: place)
        return number
    }

    private mutating func removeChunk(_ chunk: Int) {
        let place = ranks[chunk]
        order.remove(at: place)
        rank(from: place)
        chunks.update(chunk) { $0 = ListChunk() }
        free.append(chunk)
    }

    private mutating func rank(from place: Int) {
        for place in place..<order.count { ranks[order[place]] = place }
    }
}
