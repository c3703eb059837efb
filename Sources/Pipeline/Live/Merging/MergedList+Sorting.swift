internal import PipelineJSON

extension MergedList {
    /// Puts a new item where the policy says, at the end where it says nothing.
    mutating func insert(_ item: [UInt8], _ id: ItemID, _ version: ItemVersion?, revision: UInt64) {
        let element = Element(Item(id: id, version: version, bytes: item, lead: lead(for: id)), revision: revision)
        switch policy.insertion {
        case .first: insert(element, at: order.first.map { Position(chunk: $0, offset: 0) }, revision: revision)
        case .sorted: insert(element, at: place(for: item), revision: revision)
        case .last, .refresh, .ignore: insert(element, at: nil, revision: revision)
        }
    }

    /// Gives all elements with an id other bytes. In a sorted list they move where these belong elsewhere.
    mutating func update(_ positions: [Position], _ item: [UInt8], _ id: ItemID, _ version: ItemVersion?, revision: UInt64) {
        let moves = positions.contains { movesAway(from: $0, with: item) }
        for position in positions.reversed() {
            if moves {
                remove(position, revision: revision)
            } else {
                replace(position, item, version, revision: revision)
            }
        }
        guard moves else { return }
        for _ in positions { insert(item, id, version, revision: revision) }
    }

    private func lead(for id: ItemID) -> [UInt8] {
        guard isObject else { return spacing.before }
        return spacing.before + Array("\"\(JSONText.escaped(id.text))\"".utf8) + spacing.after
    }

    /// Whether the element at `position` belongs elsewhere once it is `item`.
    private func movesAway(from position: Position, with item: [UInt8]) -> Bool {
        guard case .sorted(let pointer, let isDescending) = policy.insertion else { return false }
        let key = SortKey(item, pointer, isDescending: isDescending)
        guard key != SortKey(self[position].bytes, pointer, isDescending: isDescending) else { return false }
        let before = neighbor(of: position, -1).map { SortKey($0.bytes, pointer, isDescending: isDescending) }
        let after = neighbor(of: position, 1).map { SortKey($0.bytes, pointer, isDescending: isDescending) }
        return before.map { key < $0 } ?? false || after.map { $0 <= key } ?? false
    }

    /// Before the first element that sorts behind `item`; nil for the end.
    private func place(for item: [UInt8]) -> Position? {
        guard case .sorted(let pointer, let isDescending) = policy.insertion else { return nil }
        let key = SortKey(item, pointer, isDescending: isDescending)
        func isBehind(_ element: Element?) -> Bool {
            element.map { key < SortKey($0.bytes, pointer, isDescending: isDescending) } ?? true
        }
        let rank = order.partitioningIndex { isBehind(chunks[$0].elements.last) }
        guard rank < order.count else { return nil }
        let elements = chunks[order[rank]].elements
        return Position(chunk: order[rank], offset: elements.partitioningIndex { isBehind($0) })
    }
}

extension RandomAccessCollection where Index == Int {
    /// The first index whose element is `true` for `isBehind`, of elements that are false before it and true from it on.
    fileprivate func partitioningIndex(_ isBehind: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// What an element of a sorted list is sorted by: numbers before strings, and what is neither at the end.
private struct SortKey: Comparable {
    let value: ItemVersion?
    let isDescending: Bool

    init(_ item: [UInt8], _ pointer: JSONPointer, isDescending: Bool) {
        value = JSONScanner.scalar(at: pointer, in: item).flatMap { ItemVersion($0) }
        self.isDescending = isDescending
    }

    static func < (left: SortKey, right: SortKey) -> Bool {
        guard let one = left.value, let other = right.value else { return left.value != nil && right.value == nil }
        let (small, large) = left.isDescending ? (other, one) : (one, other)
        if let isLater = large.isLater(than: small) { return isLater }
        if case .number = small { return true }
        return false
    }

    static func == (left: SortKey, right: SortKey) -> Bool { !(left < right) && !(right < left) }
}
