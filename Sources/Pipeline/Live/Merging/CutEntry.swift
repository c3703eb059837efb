/// An entry whose list is cut into its elements already: cutting takes its time, and no lock is held for it.
package struct CutEntry: Sendable {
    package let entry: Entry
    let policy: MergePolicy?
    let list: MergedList?

    /// Cuts what `policy` names in `entry`; nothing without one.
    package init(_ entry: Entry, for policy: MergePolicy?) {
        self.entry = entry
        self.policy = policy
        list = policy.flatMap { policy in entry.payload.flatMap { MergedList($0, policy, revision: 0) } }
    }

    /// The list, whose elements `revision` brings. It is cut again where it was cut for another policy.
    func list(for policy: MergePolicy?, revision: UInt64) -> MergedList? {
        guard policy == self.policy else { return CutEntry(entry, for: policy).list(for: policy, revision: revision) }
        var list = list
        list?.stampAll(revision)
        return list
    }
}
