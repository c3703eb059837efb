internal import PipelineJSON

extension MergedList {
    /// Merges one change.
    ///
    /// - Parameters:
    ///   - known: the latest version of the item that is known beside the list's.
    ///   - isReplay: whether the change was counted as known already when it came.
    mutating func merge(_ change: Change, known: VersionLog.Record?, isReplay: Bool = false, revision: UInt64) -> MergeEffect {
        let positions = positions(of: change.id)
        if isOlder(change, positions, known, isReplay: isReplay) { return .unchanged }
        guard let first = positions.first else { return add(change, revision: revision) }
        if change.operation == .delete {
            remove(change.id, revision: revision)
            return .changed
        }
        var item = change.item
        var version = change.version
        if change.operation == .patch {
            item = JSONMergePatch.apply(change.item, to: self[first].bytes)
            version = version ?? policy.version(of: item, at: item.indices)
        }
        guard positions.contains(where: { self[$0].bytes != item }) else { return .unchanged }
        update(positions, item, change.id, version, revision: revision)
        return .changed
    }

    /// A change of an item that is not in the list.
    private mutating func add(_ change: Change, revision: UInt64) -> MergeEffect {
        switch (change.operation, policy.insertion) {
        case (.delete, _), (.upsert, .ignore): return .unchanged
        case (.patch, _), (.upsert, .refresh): return .refresh
        case (.upsert, .first), (.upsert, .last), (.upsert, .sorted):
            insert(change.item, change.id, change.version, revision: revision)
            return .changed
        }
    }

    private func isOlder(_ change: Change, _ positions: [Position], _ known: VersionLog.Record?, isReplay: Bool) -> Bool {
        guard let version = change.version else { return false }
        guard positions.isEmpty else { return positions.contains { version.isLater(than: self[$0].version) == false } }
        guard let known else { return false }
        return isReplay ? known.version.isLater(than: version) == true : version.isLater(than: known.version) == false
    }

    /// Gives the elements the versions that are known to be later, and removes those that are known to be removed. True when one changed.
    mutating func restore(_ versions: VersionLog, revision: UInt64) -> Bool {
        var isChanged = false
        for (id, record) in versions.records {
            let positions = positions(of: id)
            guard !positions.isEmpty, positions.allSatisfy({ record.version.isLater(than: self[$0].version) == true }) else { continue }
            if let item = record.item {
                update(positions, item, id, record.version, revision: revision)
            } else {
                remove(id, revision: revision)
            }
            isChanged = true
        }
        return isChanged
    }
}
