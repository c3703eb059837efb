import Pipeline
internal import PipelineJSON

extension MergedList {
    /// Where a new item goes: before the entry there; nil for the end. A list that its policy does not sort has no other order.
    func place(forNew item: ListItem, by insertion: MergePolicy.Insertion) -> Position? {
        switch insertion {
        case .first: return order.first.map { Position(chunk: $0, offset: 0) }
        case .last, .refresh, .ignore: return nil
        case .sorted where insertion != policy.insertion: return nil
        case .sorted:
            // Before the first element that sorts behind it.
            let key = sortKey(of: item)
            let rank = Self.partitioningIndex(order.count) { rank in
                let chunk = chunks[order[rank]]
                return chunk.entries.indices.last { isSorted(chunk.entries[$0]) }.map { key < sortKey($0, of: chunk) }
            }
            guard rank < order.count else { return nil }
            let chunk = chunks[order[rank]]
            let offset = Self.partitioningIndex(chunk.entries.count) { offset in
                isSorted(chunk.entries[offset]) ? key < sortKey(offset, of: chunk) : nil
            }
            return Position(chunk: order[rank], offset: offset)
        }
    }

    /// Whether what stands at `place` belongs elsewhere once it is `item`. What stands in many places moves to one, where its key changes.
    func movesAway(from place: Place, with item: ListItem) -> Bool {
        guard policy.sortKey != nil else { return false }
        let key = sortKey(of: item)
        switch place {
        case .many(let number): return !repeated[number].hasOneKey || key != sortKey(repeated[number].key)
        case .one(let position):
            guard key != sortKey(position.offset, of: chunks[position.chunk]) else { return false }
            let (before, after) = (neighbor(of: position, -1), neighbor(of: position, 1))
            return before.map { key < $0 } ?? false || after.map { $0 <= key } ?? false
        }
    }

    /// The key of the next element with an id in this direction; nil at the end.
    private func neighbor(of position: Position, _ direction: Int) -> SortKey? {
        var (rank, offset) = (ranks[position.chunk], position.offset + direction)
        while order.indices.contains(rank) {
            let chunk = chunks[order[rank]]
            while chunk.entries.indices.contains(offset) {
                if isSorted(chunk.entries[offset]) { return sortKey(offset, of: chunk) }
                offset += direction
            }
            rank += direction
            guard order.indices.contains(rank) else { return nil }
            offset = direction < 0 ? chunks[order[rank]].entries.count - 1 : 0
        }
        return nil
    }

    /// Whether an entry says what is sorted where: also one that shares its id with others that are gone, since it stands where it stood.
    private func isSorted(_ entry: ListChunk.Entry) -> Bool { entry.copies != ListChunk.Entry.gone }

    private func sortKey(_ offset: Int, of chunk: ListChunk) -> SortKey { sortKey(chunk.key(offset)) }

    private func sortKey(of item: ListItem) -> SortKey {
        sortKey(item.key.flatMap { JSONScanner.scalar(beginningAt: $0, in: item.bytes) }.flatMap { ItemVersion($0) })
    }

    func sortKey(_ value: ItemVersion?) -> SortKey {
        if case .sorted(_, isDescending: true) = policy.insertion { return SortKey(value: value, isDescending: true) }
        return SortKey(value: value, isDescending: false)
    }

    /// The first index of so many that is behind, where all from it on are; those are passed over of which it cannot be said.
    private static func partitioningIndex(_ count: Int, _ isBehind: (Int) -> Bool?) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = low + (high - low) / 2
            var index = middle
            var found = isBehind(index)
            while found == nil, index > low {
                index -= 1
                found = isBehind(index)
            }
            if found ?? false { high = index } else { low = middle + 1 }
        }
        return low
    }
}

/// What an element of a sorted list is sorted by: numbers before strings, and what is neither at the end.
struct SortKey: Comparable {
    let value: ItemVersion?
    let isDescending: Bool

    static func < (left: SortKey, right: SortKey) -> Bool {
        guard let one = left.value, let other = right.value else { return left.value != nil && right.value == nil }
        let (small, large) = left.isDescending ? (other, one) : (one, other)
        if let isLater = large.isLater(than: small) { return isLater }
        if case .number = small { return true }
        return false
    }

    static func == (left: SortKey, right: SortKey) -> Bool { !(left < right) && !(right < left) }
}
