internal import PipelineJSON

extension MergedValue {
    /// A load brought `entry`: it lands with every change that came since the load began.
    ///
    /// - Returns: what to keep and to write; nil where it lands nowhere: a load that began later has landed before, the value was put or
    ///   removed meanwhile, or more changes came than are kept while there is a value.
    package mutating func land(_ entry: CutEntry, _ mark: LoadMark, at moment: Timestamp) -> Landing? {
        guard loads.contains(mark) else { return nil }
        guard mark.order > overflowed || contents.isEmpty else {
            endLoad(mark, at: moment)
            return nil
        }
        loads.removeAll { $0.order <= mark.order }
        let missed = log.records(after: mark.number, from: overlap > .zero ? mark.began - overlap : .distantFuture)
        let list = list(of: entry)
        bury(missingFrom: list, at: moment)
        let landing = settle(entry.entry, list, missed)
        versions.forget(upTo: mark.number, before: moment - VersionLog.life)
        forgetChanges(at: moment)
        return landing
    }

    /// A cache has a copy: where there is no value it becomes the value, with the changes that came meanwhile. Also an expired one. Nil where
    /// there is a value.
    package mutating func adopt(_ entry: CutEntry) -> Landing? {
        guard contents.isEmpty else { return nil }
        return settle(entry.entry, list(of: entry), log.records(after: 0, from: .distantFuture))
    }

    /// Another value takes the place of the present one; loads that run may still land. For values that no change is merged into.
    mutating func replace(_ entry: CutEntry) {
        replace(entry.entry, list(of: entry), isMerged: false)
    }

    /// The value was put. Loads that began before land nowhere.
    package mutating func put(_ entry: CutEntry, at moment: Timestamp) {
        loads = []
        forgetChanges(at: moment)
        replace(entry.entry, list(of: entry), isMerged: false)
    }

    /// What a list no longer has was removed: a late message of an earlier version does not bring it back.
    private mutating func bury(missingFrom list: MergedList?, at moment: Timestamp) {
        guard policy?.version != nil, let old = contents.list else { return }
        for element in old.elements {
            guard let id = element.id, let version = element.version, list?.index[id] == nil else { continue }
            if let known = versions[id], version.isLater(than: known.version) == false { continue }
            versions.set(VersionLog.Record(number: log.number, at: moment, version: version, item: nil), for: id)
        }
    }

    private func list(of entry: CutEntry) -> MergedList? { entry.list(for: policy, revision: contents.revision + 1) }

    private mutating func settle(_ entry: Entry, _ list: MergedList?, _ changes: [ChangeLog.Record]) -> Landing {
        var (isMerged, needsRefresh) = (false, false)
        var list = list
        isMerged = list?.restore(versions, revision: contents.revision + 1) ?? false
        for record in changes {
            let known = versions[record.change.id]
            switch list?.merge(record.change, known: known, isReplay: true, revision: contents.revision + 1) {
            case .changed: isMerged = true
            case .refresh: needsRefresh = true
            default: break
            }
        }
        let failure = list == nil && !entry.isNotFound && !changes.isEmpty ? noList : nil
        replace(entry, list, isMerged: isMerged)
        return Landing(entry: isMerged ? contents.joined() ?? entry : entry, needsRefresh: needsRefresh, failure: failure)
    }

    private mutating func replace(_ entry: Entry, _ list: MergedList?, isMerged: Bool) {
        let old = contents
        contents.entry = isMerged ? entry.merged : entry
        contents.isMerged = isMerged
        if var list {
            // The same elements keep their chunks, so that those who have the old ones find what differs later.
            if let oldList = old.list, list.isSame(as: oldList) { return }
            let differences = old.list.flatMap { list.inherit(from: $0, revision: old.revision + 1) }
            let most = max(list.count, old.list?.count ?? 0)
            contents.list = list
            contents.revision += 1
            if differences.map({ $0 == 0 || $0 * 2 > most }) ?? true { contents.replaced = contents.revision }
        } else if old.isEmpty || old.list != nil || old.entry?.payload != entry.payload {
            contents.list = nil
            contents.revision += 1
            contents.replaced = contents.revision
        }
    }

    /// Why changes cannot be merged into the value.
    var noList: String {
        guard let policy else { return "the pipeline merges no changes" }
        let place = policy.list.tokens.isEmpty ? "the value" : "what the value has at `\(policy.list.description.shortened)`"
        return "\(place) is neither an array nor an object of items"
    }

    /// Merges a change into the value that is there.
    mutating func merge(_ change: Change) -> MergeEffect {
        guard contents.list != nil else { return .failed(noList) }
        let revision = contents.revision + 1
        let effect = contents.list?.merge(change, known: versions[change.id], revision: revision) ?? .unchanged
        guard effect == .changed else { return effect }
        contents.revision = revision
        if !contents.isMerged {
            contents.isMerged = true
            contents.entry = contents.entry?.merged
        }
        return effect
    }

    /// Keeps the version of an item for lists that may be older, where one is declared.
    mutating func know(_ change: Change, _ effect: MergeEffect, at moment: Timestamp) {
        guard policy?.version != nil else { return }
        guard let version = change.version else {
            if effect == .changed { versions.set(nil, for: change.id) }
            return
        }
        if let known = versions[change.id], known.version.isLater(than: version) == true { return }
        var item: [UInt8]? = change.operation == .delete ? nil : change.item
        if change.operation == .patch {
            // A patch alone is no item; the item that it made is.
            guard effect == .changed, let element = contents.list?.element(change.id) else { return }
            item = element.bytes
        }
        versions.set(VersionLog.Record(number: log.number, at: moment, version: version, item: item), for: change.id)
    }
}
