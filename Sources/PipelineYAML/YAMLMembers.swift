internal import Pipeline
internal import PipelineConfig

/// The members of a mapping while it is read: keys are compared by their bytes, and what was written wins over what is merged.
struct YAMLMembers {
    private var written: [ConfigNode.Member] = []
    private var merged: [ConfigNode.Member] = []
    /// Built when a mapping is large; a small one is looked through.
    private var index: [ExactName: Int] = [:]
    private var mergedKeys: Set<ExactName> = []

    private static let small = 12
    /// So many members a mapping mostly has at most.
    private static let usual = 4

    /// All members: the merged ones first, as if they stood above.
    var all: [ConfigNode.Member] {
        merged.isEmpty ? written : merged.filter { position(of: $0.key) == nil } + written
    }

    /// Adds a member; gives the place of the key when it is there already, and then keeps the first.
    mutating func add(_ member: consuming ConfigNode.Member) -> TextRange? {
        if let first = position(of: member.key) { return written[first].keyRange }
        if written.isEmpty { written.reserveCapacity(Self.usual) }
        written.append(member)
        if written.count == Self.small {
            for (position, member) in written.enumerated() { index[ExactName(member.key)] = position }
        } else if written.count > Self.small {
            index[ExactName(written[written.count - 1].key)] = written.count - 1
        }
        return nil
    }

    /// Adds members of a merged mapping, unless they are there.
    mutating func merge(_ members: [ConfigNode.Member], at range: TextRange) {
        // Most members came the same way, and share the list of it.
        var last: (before: [TextRange], after: [TextRange]) = ([], [range])
        for member in members where mergedKeys.insert(ExactName(member.key)).inserted {
            if member.merges != last.before {
                last = (member.merges, member.merges.count < ConfigNode.Member.mostMerges ? [range] + member.merges : member.merges)
            }
            merged.append(
                ConfigNode.Member(key: member.key, keyRange: member.keyRange, value: member.value, merges: last.after))
        }
    }

    private func position(of key: String) -> Int? {
        written.count < Self.small
            ? written.indices.first { written[$0].key.hasSameBytes(as: key) } : index[ExactName(key)]
    }
}
