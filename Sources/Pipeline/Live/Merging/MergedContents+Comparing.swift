extension MergedContents {
    /// Above this many changes the value counts as replaced.
    private static let mostChanges = 1_000

    /// What an observer that has `old` must do to have this: deletes, then updates, then inserts in the order of their places. An element that
    /// moved is deleted and inserted.
    package func changes(since old: MergedContents?) -> ListChanges {
        guard let old else { return .reset }
        if old.revision == revision { return .none }
        guard let list, let oldList = old.list, replaced <= old.revision else { return .reset }
        var changes: [ListChanges.Change] = []
        guard list.disturbed <= old.revision || list.addDeletes(since: oldList, old.revision, to: &changes, limit: Self.mostChanges),
            list.addOthers(since: oldList, old.revision, to: &changes, limit: Self.mostChanges)
        else { return .reset }
        return ListChanges(changes)
    }
}

extension MergedList {
    private func isUnchanged(_ chunk: Int, since revision: UInt64) -> Bool {
        chunk < chunks.count && chunks[chunk].revision <= revision
    }

    /// Adds the elements of `old` that are not here, or elsewhere. False above `limit`.
    fileprivate func addDeletes(
        since old: MergedList, _ revision: UInt64, to changes: inout [ListChanges.Change], limit: Int
    ) -> Bool {
        var seen: Set<ItemID> = []
        for chunk in old.order where !isUnchanged(chunk, since: revision) {
            for element in old.chunks[chunk].elements {
                guard let id = element.id, self.element(id).map({ $0.placed > revision }) ?? true else { continue }
                if old.index.hasRepeated, !seen.insert(id).inserted { continue }
                changes.append(ListChanges.Change(.delete, id: id.text, item: nil, old: element.bytes))
                if changes.count > limit { return false }
            }
        }
        return true
    }

    /// Adds the elements that have other bytes, then those that are new at their place. False above `limit`.
    fileprivate func addOthers(
        since old: MergedList, _ revision: UInt64, to changes: inout [ListChanges.Change], limit: Int
    ) -> Bool {
        var inserts: [ListChanges.Change] = []
        var seen: Set<ItemID> = []
        var start = 0
        for chunk in order {
            defer { start += chunks[chunk].elements.count }
            if isUnchanged(chunk, since: revision) { continue }
            for (offset, element) in chunks[chunk].elements.enumerated() {
                guard let id = element.id, max(element.changed, element.placed) > revision else { continue }
                if element.placed > revision {
                    inserts.append(ListChanges.Change(.insert(at: start + offset), id: id.text, item: element.bytes, old: nil))
                } else if let before = old.element(id), before.bytes != element.bytes, !index.hasRepeated || seen.insert(id).inserted {
                    changes.append(ListChanges.Change(.update, id: id.text, item: element.bytes, old: before.bytes))
                }
                if changes.count + inserts.count > limit { return false }
            }
        }
        changes += inserts
        return true
    }
}
