import Pipeline
internal import PipelineJSON

extension MergedList {
    /// Merges one change.
    ///
    /// - Parameters:
    ///   - known: the latest version of the item that is known beside the list's.
    ///   - isReplay: whether the change was counted as known already when it came.
    ///   - limit: the most bytes of the whole value.
    mutating func merge(_ change: Change, known: VersionLog.Record?, isReplay: Bool = false, limit: Int) -> MergeEffect {
        let place = find(change.id.mark)
        if isOlder(change, place, known, isReplay: isReplay) { return .unchanged }
        guard let place else { return add(change, limit: limit) }
        if change.operation == .delete {
            remove(place)
            return .changed
        }
        let bytes = change.operation == .patch ? JSONMergePatch.apply(change.item, to: Array(value(at: place))) : change.item
        if isUniform(place), value(at: place).elementsEqual(bytes) { return .unchanged }
        return update(place, bytes, change.id, limit: limit)
    }

    /// A change of an item that is not in the list.
    private mutating func add(_ change: Change, limit: Int) -> MergeEffect {
        let insertion = change.insertion ?? policy.insertion
        switch (change.operation, insertion) {
        case (.delete, _), (.upsert, .ignore): return .unchanged
        case (.patch, _), (.upsert, .refresh): return .refresh
        case (.upsert, .first), (.upsert, .last), (.upsert, .sorted):
            let (item, lead) = (ListItem(change.id, change.item, policy), lead(for: change.id))
            if let fault = fault(of: item, growth: Self.unitBytes(lead[...], item.bytes.count), limit: limit) { return .faulty(fault) }
            if count >= Self.mostElements { return .faulty("the list would have more than 1,000,000 elements") }
            insert(item, lead: lead, at: place(forNew: item, by: insertion))
            return .changed
        }
    }

    /// Gives what stands at `place` other bytes. In a sorted list it moves where these belong elsewhere.
    private mutating func update(_ place: Place, _ bytes: [UInt8], _ id: ItemID, limit: Int) -> MergeEffect {
        let item = ListItem(id, bytes, policy)
        let moves = movesAway(from: place, with: item)
        let (count, unitBytes, valueBytes) = measures(of: place)
        let lead = moves ? lead(for: id) : []
        let growth = moves ? count * Self.unitBytes(lead[...], bytes.count) - unitBytes : count * bytes.count - valueBytes
        if let fault = fault(of: item, growth: growth, limit: limit) { return .faulty(fault) }
        if moves {
            remove(place)
            insert(item, lead: lead, copies: count, at: self.place(forNew: item, by: policy.insertion))
        } else {
            replace(place, with: item)
        }
        return .changed
    }

    private func isUniform(_ place: Place) -> Bool {
        if case .many(let number) = place { repeated[number].isUniform } else { true }
    }

    /// Why nobody could read the value with `item` in it; nil where all can.
    private func fault(of item: ListItem, growth: Int, limit: Int) -> String? {
        let room = JSONScanner.maximumDepth - policy.list.tokens.count - 1
        // Each array or object takes two bytes.
        if item.bytes.count / 2 > room, JSONScanner.depth(of: item.bytes, at: item.bytes.indices) > room {
            return "the result would be nested deeper than \(JSONScanner.maximumDepth)"
        }
        let size = size + growth
        return growth > 0 && size > limit ? "the result would have \(size) bytes, and no more than \(limit) are allowed" : nil
    }

    private func isOlder(_ change: Change, _ place: Place?, _ known: VersionLog.Record?, isReplay: Bool) -> Bool {
        guard let version = change.version else { return false }
        switch place {
        case .one(let position): return version.isLater(than: chunks[position.chunk].version(position.offset)) == false
        case .many(let number): return repeated[number].versions.contains { version.isLater(than: $0) == false }
        case nil: break
        }
        guard let known else { return false }
        return isReplay ? known.version.isLater(than: version) == true : version.isLater(than: known.version) == false
    }

    /// Gives the elements the versions that are known to be later, and removes those that are known to be removed. True when one changed.
    mutating func restore(_ versions: VersionLog, limit: Int) -> Bool {
        var isChanged = false
        for (id, record) in versions.records {
            guard let place = find(id.mark), isOlder(at: place, than: record.version) else { continue }
            if let item = record.item {
                if case .changed = update(place, item, id, limit: limit) { isChanged = true }
            } else {
                remove(place)
                isChanged = true
            }
        }
        return isChanged
    }

    private func isOlder(at place: Place, than version: ItemVersion) -> Bool {
        switch place {
        case .one(let position): return version.isLater(than: chunks[position.chunk].version(position.offset)) == true
        case .many(let number):
            return !repeated[number].lacksVersion && repeated[number].versions.allSatisfy { version.isLater(than: $0) == true }
        }
    }

    /// What a later list no longer has, up to so many: the items with their versions.
    func removed(in new: MergedList?, most: Int) -> [(id: ItemID, version: ItemVersion)] {
        var removed: [(id: ItemID, version: ItemVersion)] = []
        for number in order {
            let chunk = chunks[number]
            for offset in chunk.entries.indices where copies(of: chunk.entries[offset]) > 0 && new?.find(chunk.entries[offset].mark) == nil
            {
                guard removed.count < most else { return removed }
                let shared = shared(by: chunk.entries[offset])
                guard let version = shared.map({ $0.versions.first }) ?? chunk.version(offset), let id = id(offset, of: chunk) else {
                    continue
                }
                removed.append((id, version))
            }
        }
        return removed
    }
}
