package import Pipeline

/// A value at one revision, as cheap to copy as a number.
package struct MergedContents: Sendable {
    /// Counts the changes of the value.
    package internal(set) var revision: UInt64 = 0
    /// The revision that replaced the value as a whole last.
    var replaced: UInt64 = 0
    /// What is known of the value. Its payload is that of the last landing, and is not used once changes are merged into it.
    var entry: Entry?
    /// Whether changes were merged into the entry's payload.
    var isMerged = false
    /// The list; nil where the value has none.
    var list: MergedList?
    /// Why a list is not merged; nil where it is, or there is none.
    var refusal: String?

    /// Indicates whether there is a value, which can be that there is none to have.
    package var isEmpty: Bool { entry == nil }

    /// All of the value. Takes time in proportion to its size where changes were merged into it.
    package func joined() -> Entry? {
        guard isMerged, let list else { return entry }
        var entry = entry
        entry?.payload = list.joined()
        return entry
    }

    /// The bytes of the element with this id; nil if the list has none, or the value has no list.
    package func element(_ id: String) -> [UInt8]? { list?.element(ItemID(id)) }

    /// Whether the bytes of the value are these.
    func isText(_ text: [UInt8]?) -> Bool {
        guard isMerged, let list else { return entry?.payload == text }
        return text.map { list.isText($0) } ?? false
    }
}

extension Entry {
    /// What is known of a value once changes were merged into it: no validator of the origin fits it any more.
    var merged: Entry {
        var entry = Entry(
            [], created: created, stored: stored, freshUntil: freshUntil, contentType: contentType, cacheControl: cacheControl,
            variant: variant, notKept: notKept)
        if let source { entry = entry.attributed(to: source) }
        return entry
    }
}

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

    /// The bytes of the element with this id; nil if the list has none, or the value has no list.
    package func element(_ id: ItemID) -> [UInt8]? { list?.element(id) }

    /// This entry cut for another policy: once more if it was cut for another one.
    func cut(for policy: MergePolicy?) -> CutEntry { policy == self.policy ? self : CutEntry(entry, for: policy) }
}

extension MergedContents {
    /// The items that a later list no longer has, where they have versions.
    func removed(in new: MergedList?, _ policy: MergePolicy?) -> [(id: ItemID, version: ItemVersion)] {
        guard policy?.version != nil else { return [] }
        return list?.removed(in: new, most: VersionLog.mostItems) ?? []
    }
}
