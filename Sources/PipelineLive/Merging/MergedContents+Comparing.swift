import Pipeline
internal import PipelineJSON

extension MergedContents {
    /// The changes that an observer of `old` must make to have this: deletes, then updates, then inserts in the order of their places. An
    /// element that moved is deleted and inserted.
    package func changes(since old: MergedContents?) -> ListChanges {
        guard let old else { return .reset }
        if old.revision == revision { return .none }
        guard let list, let oldList = old.list else { return .reset }
        let isLanded = replaced > old.revision
        if isLanded, !list.isComparable(with: oldList) { return .reset }
        guard let changes = ListComparison(of: oldList, to: list).found() else { return .reset }
        if isLanded {
            // One that moved is in two of them.
            let moved = Set(changes.filter { $0.operation == .delete }.map(\.id))
            let differences = changes.count { if case .insert = $0.operation { !moved.contains($0.id) } else { true } }
            if differences == 0 || differences * 2 > max(list.count, oldList.count) { return .reset }
        }
        return ListChanges(changes)
    }
}

extension MergedList {
    /// Whether what differs from a list that came before can be told by ids.
    fileprivate func isComparable(with old: MergedList) -> Bool {
        guard head == old.head, tail == old.tail, repeated.isEmpty, old.repeated.isEmpty else { return false }
        let (loose, oldLoose) = (looseCount, old.looseCount)
        return loose == oldLoose && (loose == 0 || hasSameOrder(as: old))
    }

    /// Whether the ids follow each other as in another list, with the same elements without one between them.
    private func hasSameOrder(as other: MergedList) -> Bool {
        var (own, others) = (Walk(over: self), Walk(over: other))
        while true {
            switch (own.next(), others.next()) {
            case (nil, nil): return true
            case (let one?, let another?): guard one.mark == another.mark, one.bytes == another.bytes else { return false }
            default: return false
            }
        }
    }

    /// Goes over what stands in the list: the ids, and the bytes of runs of elements that have none.
    private struct Walk {
        let list: MergedList
        private var (rank, offset, isAtLoose) = (0, 0, false)

        init(over list: MergedList) { self.list = list }

        mutating func next() -> (mark: ItemMark, bytes: ArraySlice<UInt8>)? {
            while rank < list.order.count {
                let chunk = list.chunks[list.order[rank]]
                guard offset < chunk.entries.count else {
                    (rank, offset) = (rank + 1, 0)
                    continue
                }
                let entry = chunk.entries[offset]
                defer {
                    if isAtLoose { offset += 1 }
                    isAtLoose.toggle()
                }
                if !isAtLoose, list.copies(of: entry) > 0 { return (entry.mark, []) }
                if isAtLoose, entry.looseCount > 0 { return (.none, chunk.text[entry.looseRange]) }
            }
            return nil
        }
    }
}

/// What differs between two lists. Chunks that are the same object are not looked into.
private struct ListComparison {
    /// Above this many changes the value counts as replaced.
    private static let mostChanges = 1_000

    private let old: MergedList
    private let new: MergedList
    /// Whether an id stands more than once in one of them.
    private let hasRepeated: Bool
    /// Whether both lists have the chunk of a number.
    private let shared: [Bool]
    private var changes: [ListChanges.Change] = []
    private var inserts: [ListChanges.Change] = []
    private var moved: Set<ItemMark> = []
    private var seen: Set<ItemMark> = []

    init(of old: MergedList, to new: MergedList) {
        (self.old, self.new) = (old, new)
        let hasRepeated = !old.repeated.isEmpty || !new.repeated.isEmpty
        self.hasRepeated = hasRepeated
        shared = (0..<min(old.chunks.count, new.chunks.count)).map { !hasRepeated && new.chunks[$0].isSame(as: old.chunks[$0]) }
    }

    /// Nil where there are too many.
    consuming func found() -> [ListChanges.Change]? {
        guard findMoved(), addDeletes(), addOthers() else { return nil }
        return changes + inserts
    }

    private var isFull: Bool { changes.count + inserts.count > Self.mostChanges }

    private func isShared(_ chunk: Int) -> Bool { chunk < shared.count && shared[chunk] }

    /// Where an entry of one list stands in the other: most stand where they stood.
    private func place(of entry: ListChunk.Entry, _ number: Int, _ offset: Int, in other: MergedList) -> MergedList.Place? {
        if number < other.chunks.count, entry.copies != ListChunk.Entry.repeated {
            let entries = other.chunks[number].entries
            if offset < entries.count, entries[offset].mark == entry.mark, entries[offset].copies != ListChunk.Entry.repeated {
                return .one(MergedList.Position(chunk: number, offset: offset))
            }
        }
        return other.find(entry.mark)
    }

    /// An element of both lists.
    private struct Kept {
        let mark: ItemMark
        /// A number that grows with the place in the old list.
        let place: Int
        /// Where it stands now.
        let position: MergedList.Position
    }

    /// Finds the elements that stand elsewhere among the others. False where they are too many.
    private mutating func findMoved() -> Bool {
        // Where the next chunk that both have stands in the old list.
        var next = [Int](repeating: .max, count: new.order.count + 1)
        for rank in new.order.indices.reversed() {
            next[rank] = isShared(new.order[rank]) ? old.ranks[new.order[rank]] : next[rank + 1]
        }
        let anchors = anchorsOfOld()
        var kept: [Kept] = []
        var (last, anchorCount) = (-1, 0)
        for (rank, number) in new.order.enumerated() {
            let chunk = new.chunks[number]
            if isShared(number) {
                last = old.ranks[number]
                if hasAnchors { anchorCount += chunk.looseCount }
                continue
            }
            for offset in chunk.entries.indices where new.copies(of: chunk.entries[offset]) > 0 || hasAnchors {
                let entry = chunk.entries[offset]
                defer { anchorCount += Int(entry.looseCount) }
                guard new.copies(of: entry) > 0, let place = place(of: entry, number, offset, in: old) else { continue }
                switch (place, entry.copies == ListChunk.Entry.repeated) {
                case (.many, true): anchorCount += 1
                case (.many, false), (.one, true): moved.insert(entry.mark)
                case (.one(let position), false):
                    let oldRank = old.ranks[position.chunk]
                    let isBetween = last < oldRank && oldRank < next[rank + 1] && anchors[entry.mark] ?? 0 == (hasAnchors ? anchorCount : 0)
                    guard isBetween, old.chunks[position.chunk].entries[position.offset].copies == entry.copies else {
                        moved.insert(entry.mark)
                        continue
                    }
                    // A chunk has fewer entries than that.
                    kept.append(
                        Kept(
                            mark: entry.mark, place: oldRank << 8 | position.offset,
                            position: MergedList.Position(chunk: number, offset: offset)))
                }
            }
        }
        noteMoved(among: kept)
        return moved.count <= Self.mostChanges
    }

    private var hasAnchors: Bool { hasRepeated || new.looseCount > 0 }

    /// How many of those that keep their place whatever changes stand before each element of the old list: elements without an id, and those that
    /// share one. Of elements in chunks that differ.
    private func anchorsOfOld() -> [ItemMark: Int] {
        guard hasAnchors else { return [:] }
        var (anchors, count): ([ItemMark: Int], Int) = ([:], 0)
        for number in old.order {
            if isShared(number) {
                count += old.chunks[number].looseCount
                continue
            }
            for entry in old.chunks[number].entries {
                if entry.copies != ListChunk.Entry.repeated {
                    anchors[entry.mark] = count
                } else if old.copies(of: entry) > 0, case .many? = new.find(entry.mark) {
                    count += 1
                }
                count += Int(entry.looseCount)
            }
        }
        return anchors
    }

    /// Of elements that no longer follow each other as before, those with other bytes have moved rather than others.
    private mutating func noteMoved(among kept: [Kept]) {
        guard zip(kept, kept.dropFirst()).contains(where: { $0.place >= $1.place }) else { return }
        let same = kept.filter { kept in
            old.find(kept.mark).map { old.value(at: $0).hasSameBytes(as: new.value(at: .one(kept.position))) } ?? false
        }
        let staying = Set(zip(same, Self.longestIncreasing(same.map(\.place))).lazy.filter(\.1).map(\.0.place))
        // Between which of these each one stands now.
        var (before, after) = ([Int](repeating: -1, count: kept.count), [Int](repeating: .max, count: kept.count))
        for index in kept.indices.dropFirst() {
            before[index] = staying.contains(kept[index - 1].place) ? kept[index - 1].place : before[index - 1]
        }
        for index in kept.indices.dropLast().reversed() {
            after[index] = staying.contains(kept[index + 1].place) ? kept[index + 1].place : after[index + 1]
        }
        let fitting = kept.indices.filter { before[$0] < kept[$0].place && kept[$0].place < after[$0] }
        let stays = Self.longestIncreasing(fitting.map { kept[$0].place })
        let left = Set(zip(fitting, stays).lazy.filter(\.1).map(\.0))
        for index in kept.indices where !left.contains(index) { moved.insert(kept[index].mark) }
    }

    /// Adds the elements that are not in the new list, or elsewhere. False where they are too many.
    private mutating func addDeletes() -> Bool {
        for number in old.order where !isShared(number) {
            let chunk = old.chunks[number]
            for offset in chunk.entries.indices {
                let mark = chunk.entries[offset].mark
                guard old.copies(of: chunk.entries[offset]) > 0,
                    place(of: chunk.entries[offset], number, offset, in: new) == nil || moved.contains(mark)
                else { continue }
                if hasRepeated, !seen.insert(mark).inserted { continue }
                changes.append(.init(.delete, id: id(offset, of: chunk, in: old), item: nil, old: Array(old.value(offset, of: chunk))))
                if isFull { return false }
            }
        }
        return true
    }

    /// Adds the elements that have other bytes, then those that are new at their place. False where they are too many.
    private mutating func addOthers() -> Bool {
        var start = 0
        seen = []
        for number in new.order {
            let chunk = new.chunks[number]
            let isShared = isShared(number)
            for offset in chunk.entries.indices {
                let entry = chunk.entries[offset]
                let copies = new.copies(of: entry)
                defer { start += copies + Int(entry.looseCount) }
                if isShared || copies == 0 { continue }
                let place = moved.contains(entry.mark) ? nil : place(of: entry, number, offset, in: old)
                add(offset, of: chunk, copies, at: start, before: place)
                if isFull { return false }
            }
        }
        return true
    }

    private mutating func add(_ offset: Int, of chunk: ListChunk, _ copies: Int, at start: Int, before place: MergedList.Place?) {
        let item = new.value(offset, of: chunk)
        if let place {
            let before = old.value(at: place)
            let isSame: Bool
            if case .many(let number) = place, case .many(let other) = new.find(chunk.entries[offset].mark) ?? place {
                isSame =
                    old.repeated[number].isShared == new.repeated[other].isShared && before.hasSameBytes(as: new.repeated[other].value)
            } else {
                isSame = before.hasSameBytes(as: item)
            }
            if isSame || hasRepeated && !seen.insert(chunk.entries[offset].mark).inserted { return }
            changes.append(.init(.update, id: id(offset, of: chunk, in: new), item: Array(item), old: Array(before)))
        } else {
            let id = id(offset, of: chunk, in: new)
            for copy in 0..<min(copies, Self.mostChanges + 1) {
                inserts.append(.init(.insert(at: start + copy), id: id, item: Array(item), old: nil))
            }
        }
    }

    private func id(_ offset: Int, of chunk: ListChunk, in list: MergedList) -> String { list.id(offset, of: chunk)?.text ?? "" }

    /// Which of `values` are in a longest increasing part of them: the elements that keep their order (patience sorting).
    private static func longestIncreasing(_ values: [Int]) -> [Bool] {
        var ends: [Int] = []
        var before = [Int](repeating: -1, count: values.count)
        for (index, value) in values.enumerated() {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if values[ends[middle]] < value { low = middle + 1 } else { high = middle }
            }
            if low > 0 { before[index] = ends[low - 1] }
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var result = [Bool](repeating: false, count: values.count)
        var next = ends.last ?? -1
        while next >= 0 {
            result[next] = true
            next = before[next]
        }
        return result
    }
}

extension ArraySlice<UInt8> {
    /// Compares as memory: there may be many.
    fileprivate func hasSameBytes(as other: ArraySlice<UInt8>) -> Bool {
        count == other.count && withUnsafeBufferPointer { own in other.withUnsafeBufferPointer { own.hasSameBytes(as: $0) } }
    }
}
