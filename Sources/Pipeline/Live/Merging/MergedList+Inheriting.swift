internal import PipelineJSON

extension MergedList {
    /// Whether both are the same text.
    func isSame(as other: MergedList) -> Bool {
        guard count == other.count, head == other.head, tail == other.tail else { return false }
        // A comma that is there or not depends on what stands before.
        return elements.elementsEqual(other.elements) {
            $0.bytes == $1.bytes && ($0.lead == $1.lead || $0.lead.withoutComma == $1.lead.withoutComma)
        }
    }

    /// Takes over from the list before which revisions brought what stayed as it was.
    ///
    /// - Returns: how many elements were added, removed, changed or moved; nil where it cannot be told by ids.
    mutating func inherit(from old: MergedList, revision: UInt64) -> Int? {
        guard head == old.head, tail == old.tail, !index.hasRepeated, !old.index.hasRepeated else { return nil }
        let isLoose = elements.contains { $0.id == nil } || old.elements.contains { $0.id == nil }
        if isLoose, !elements.elementsEqual(old.elements, by: { $0.id == $1.id && ($0.id != nil || $0.bytes == $1.bytes) }) { return nil }
        var before: [ItemID: (place: Int, element: Element)] = [:]
        for (place, element) in old.elements.enumerated() {
            if let id = element.id { before[id] = (place, element) }
        }
        var kept: [(position: Position, place: Int, element: Element)] = []
        for chunk in order {
            for (offset, element) in chunks[chunk].elements.enumerated() {
                guard let id = element.id, let (place, element) = before[id] else { continue }
                kept.append((Position(chunk: chunk, offset: offset), place, element))
            }
        }
        var differences = count - kept.count + old.count - kept.count
        let stayed = Self.longestIncreasing(kept.map(\.place))
        if kept.count == old.count, stayed.count == kept.count { disturbed = old.disturbed }
        for (number, (position, _, element)) in kept.enumerated() {
            let isEqual = self[position].bytes == element.bytes
            let isMoved = !stayed.contains(number)
            stamp(position, changed: isEqual ? element.changed : revision, placed: isMoved ? revision : element.placed)
            if !isEqual || isMoved { differences += 1 }
        }
        return differences
    }

    /// The indices of a longest increasing part of `values`: the elements that keep their order (patience sorting).
    private static func longestIncreasing(_ values: [Int]) -> Set<Int> {
        var ends: [Int] = []
        var before = [Int?](repeating: nil, count: values.count)
        for (index, value) in values.enumerated() {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if values[ends[middle]] < value { low = middle + 1 } else { high = middle }
            }
            before[index] = low > 0 ? ends[low - 1] : nil
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var result: Set<Int> = []
        var next = ends.last
        while let index = next {
            result.insert(index)
            next = before[index]
        }
        return result
    }
}

extension [UInt8] {
    fileprivate var withoutComma: [UInt8] {
        var text: [UInt8] = []
        JSONParts.append(lead: self, isFirst: true, to: &text)
        return text
    }
}
