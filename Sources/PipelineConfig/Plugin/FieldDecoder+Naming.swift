internal import Pipeline

extension FieldDecoder {
    /// The fields of a tier or a feed whose source is written as a key, as `memory: { ttl: 30s }`; nil for any other. It is reported.
    ///
    /// - Parameters:
    ///   - owner: what names a source: `a tier`.
    ///   - known: its fields.
    func members(naming owner: String, _ members: [ConfigNode.Member], of node: ConfigNode, known: [String]) -> [ConfigNode.Member]? {
        guard !members.contains(where: { $0.key == "source" }), let first = members.first else { return nil }
        guard !known.contains(first.key), let inner = Self.fieldsBelow(first, beside: members.dropFirst(), known: known)
        else { return nil }
        let name = ConfigNode(.scalar(.init(text: first.key, isPlain: true)), at: first.keyRange)
        let meant = [ConfigNode.Member(key: "source", keyRange: first.keyRange, value: name, merges: first.merges)] + inner
        let help =
            inner.isEmpty
            ? "remove the `:` after it"
            : ConfigNode.onOneLine(meant).map { "write `\($0)`" } ?? "begin with `source: \(first.key.shortened)`"
        report(
            .unknownField, "`\(first.key.shortened)` is written as a field: \(owner) names its source in the field `source`",
            at: places.place(of: node.range), help: help)
        return meant
    }

    /// The fields that are written below `member`, or beside it when there is nothing below.
    private static func fieldsBelow(
        _ member: ConfigNode.Member, beside others: ArraySlice<ConfigNode.Member>, known: [String]
    ) -> [ConfigNode.Member]? {
        if member.value.isNull { return others.allSatisfy { known.contains($0.key) } ? Array(others) : nil }
        guard others.isEmpty, case .mapping(let inner) = member.value.content else { return nil }
        return inner
    }
}
