package import Pipeline
internal import PipelineJSON

extension MergedValue {
    /// Lands `entry`, which a load brought, with every change that came since the load began.
    ///
    /// - Returns: what to keep and to write; nil if it lands nowhere: a load that began later has landed before, the value was put or
    ///   removed meanwhile, or more changes came than are kept while there is a value.
    package mutating func land(_ entry: CutEntry, _ mark: LoadMark, at moment: Timestamp) -> Landing? {
        guard loads.contains(mark) else { return nil }
        guard mark.order > overflowed || contents.isEmpty else {
            endAsking(mark, at: moment)
            return nil
        }
        loads.removeAll { $0.order <= mark.order }
        let missed = log.records(after: mark.number, from: overlap > .zero ? mark.began - overlap : .distantFuture)
        let entry = entry.cut(for: policy)
        bury(entry.removed ?? contents.removed(in: entry.list, policy), at: moment)
        let landing = settle(entry, missed)
        versions.forget(upTo: mark.number, before: moment - VersionLog.life)
        forgetChanges(at: moment)
        return landing
    }

    /// A cache has a copy: where there is no value it becomes the value, with the changes that came meanwhile. Also an expired one. Nil where
    /// there is a value.
    package mutating func adopt(_ entry: CutEntry) -> Landing? {
        guard contents.isEmpty else { return nil }
        return settle(entry.cut(for: policy), log.records(after: 0, from: .distantFuture))
    }

    /// Another value takes the place of the present one; loads that run may still land. For values that no change is merged into.
    mutating func exchange(_ entry: CutEntry) {
        replace(entry.cut(for: policy))
    }

    /// The value was put. Loads that began before land nowhere.
    package mutating func put(_ entry: CutEntry, at moment: Timestamp) {
        loads = []
        forgetChanges(at: moment)
        replace(entry.cut(for: policy))
    }

    /// What a list no longer has was removed: a late message of an earlier version does not bring it back.
    private mutating func bury(_ removed: [(id: ItemID, version: ItemVersion)], at moment: Timestamp) {
        for (id, version) in removed {
            if let known = versions[id], version.isLater(than: known.version) == false { continue }
            versions.set(VersionLog.Record(number: log.number, at: moment, version: version, item: nil), for: id)
        }
    }

    private mutating func settle(_ entry: CutEntry, _ changes: [ChangeLog.Record]) -> Landing {
        var needsRefresh = false
        var list = entry.list
        var isMerged = list?.restore(versions, limit: limit) ?? false
        for record in changes {
            let known = versions[record.change.id]
            switch list?.merge(record.change, known: known, isReplay: true, limit: limit) {
            case .changed: isMerged = true
            case .refresh, .faulty: needsRefresh = true
            default: break
            }
        }
        let failure = list == nil && !entry.entry.isNotFound && !changes.isEmpty ? entry.refusal ?? noList : nil
        var landed = entry.entry
        if isMerged {
            landed = landed.merged
            landed.payload = list?.joined()
        }
        replace(entry, with: list, as: landed, isMerged: isMerged)
        return Landing(entry: landed, needsRefresh: needsRefresh, failure: failure)
    }

    private mutating func replace(_ entry: CutEntry) { replace(entry, with: entry.list, as: entry.entry, isMerged: false) }

    /// - Parameter landed: the whole of the list.
    private mutating func replace(_ entry: CutEntry, with list: MergedList?, as landed: Entry, isMerged: Bool) {
        let isSame = !contents.isEmpty && (list == nil) == (contents.list == nil) && contents.isText(landed.payload)
        // The same elements keep their chunks, so that those who have the old ones find what differs later, unless that keeps two texts.
        let keepsList = isSame && (isMerged || !contents.isMerged)
        var landed = isMerged ? landed.merged : landed
        if keepsList, !isMerged { landed.payload = contents.entry?.payload }
        (contents.entry, contents.isMerged, contents.refusal) = (landed, isMerged, entry.refusal)
        if !keepsList { contents.list = list }
        if isSame { return }
        contents.revision += 1
        contents.replaced = contents.revision
    }

    /// Why changes cannot be merged into the value.
    var noList: String {
        if let refusal = contents.refusal { return refusal }
        guard let policy else { return "the pipeline merges no changes" }
        let place = policy.list.tokens.isEmpty ? "the value" : "what the value has at `\(policy.list.description.shortened)`"
        return "\(place) is neither an array nor an object of items"
    }

    /// Merges a change into the value that is there.
    mutating func merge(_ change: Change) -> MergeEffect {
        guard contents.list != nil else { return .failed(noList) }
        let effect = contents.list?.merge(change, known: versions[change.id], limit: limit) ?? .unchanged
        guard effect == .changed else { return effect }
        contents.revision += 1
        if !contents.isMerged {
            contents.isMerged = true
            contents.entry = contents.entry?.merged
        }
        return effect
    }

    /// Keeps the version of an item for lists that may be older, where one is declared. False where older tombstones had to go.
    mutating func know(_ change: Change, _ effect: MergeEffect, at moment: Timestamp) -> Bool {
        guard policy?.version != nil else { return true }
        if case .faulty = effect { return true }
        guard let version = change.version else {
            if effect == .changed { versions.set(nil, for: change.id) }
            return true
        }
        if let known = versions[change.id], known.version.isLater(than: version) == true { return true }
        var item: [UInt8]? = change.operation == .delete ? nil : change.item
        if change.operation == .patch {
            // A patch alone is no item; the item that it made is.
            guard effect == .changed, let element = contents.list?.element(change.id) else { return true }
            item = element
        }
        return versions.set(VersionLog.Record(number: log.number, at: moment, version: version, item: item), for: change.id)
    }
}
