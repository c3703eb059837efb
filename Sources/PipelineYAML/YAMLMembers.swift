internal import Pipeline

/// The members of a mapping while it is read: keys are compared by their bytes, and what was written wins over what is merged.
struct YAMLMembers {
    private var written: [ConfigNode.Member] = []
    private var merged: [ConfigNode.Member] = []
    /// Built when a mapping is large; a small one is looked through.
    private var index: [[UInt8]: Int] = [:]
    private var mergedKeys: Set<[UInt8]> = []

    private static let small = 12

    /// All members: the merged ones first, as if they stood above.
    var all: [ConfigNode.Member] {
        merged.isEmpty ? written : merged.filter { position(of: $0.key) == nil } + written
    }

    /// Adds a member; gives the place of the key when it is there already, and then keeps the first.
    mutating func add(_ member: ConfigNode.Member) -> TextRange? {
        if let first = position(of: member.key) { return written[first].keyRange }
        written.append(member)
        if written.count == Self.small {
            for (position, member) in written.enumerated() { index[Array(member.key.utf8)] = position }
        } else if written.count > Self.small {
            index[Array(member.key.utf8)] = written.count - 1
        }
        return nil
    }

    /// Adds members of a merged mapping, unless they are there.
    mutating func merge(_ members: [ConfigNode.Member], at range: TextRange) {
        for member in members where mergedKeys.insert(Array(member.key.utf8)).inserted {
            merged.append(
                ConfigNode.Member(
                    key: member.key, keyRange: member.keyRange, value: member.value, merges: [range] + member.merges))
        }
    }

    private func position(of key: String) -> Int? {
        written.count < Self.small
            ? written.firstIndex { $0.key.utf8.elementsEqual(key.utf8) } : index[Array(key.utf8)]
    }
}
