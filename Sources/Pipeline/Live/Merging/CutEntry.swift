/// An entry whose list is cut into its elements already: cutting takes its time, and no lock is held for it.
package struct CutEntry: Sendable {
    package let entry: Entry
    let policy: MergePolicy?
    let list: MergedList?
    /// Why its list is not merged.
    let refusal: String?
    /// What an earlier value has that this one lacks, where that has been looked for.
    let removed: [(id: ItemID, version: ItemVersion)]?

    /// Cuts what `policy` names in `entry`; nothing without one.
    ///
    /// - Parameter old: the value that it may take the place of.
    package init(_ entry: Entry, for policy: MergePolicy?, after old: MergedContents? = nil) {
        self.entry = entry
        self.policy = policy
        var refusal: String?
        var list: MergedList?
        if let policy, let payload = entry.payload {
            do throws(MergedList.Refusal) {
                list = try MergedList(payload, policy)
            } catch {
                refusal = error.reason
            }
        }
        (self.list, self.refusal) = (list, refusal)
        removed = old.map { [list] in $0.removed(in: list, policy) }
    }

    /// The same for another policy: it is cut again where it was cut for another one.
    func cut(for policy: MergePolicy?) -> CutEntry { policy == self.policy ? self : CutEntry(entry, for: policy) }
}

extension MergedContents {
    /// The items that a later list no longer has, where they have versions.
    func removed(in new: MergedList?, _ policy: MergePolicy?) -> [(id: ItemID, version: ItemVersion)] {
        guard policy?.version != nil else { return [] }
        return list?.removed(in: new, most: VersionLog.mostItems) ?? []
    }
}
