extension JSONSplice {
    /// All edits with those that remove members, in no order.
    func editsWithRemovals() -> [Edit] {
        var edits = edits
        let labelled = edits.indices.filter { edits[$0].label >= 0 }
        let added = Dictionary(labelled.map { (edits[$0].range.lowerBound, $0) }, uniquingKeysWith: { first, _ in first })
        for (holder, places) in Dictionary(grouping: removed, by: \.holder) {
            remove(Set(places.map(\.range.lowerBound)), from: holder, added, in: &edits)
        }
        return edits
    }

    /// - Parameters:
    ///   - gone: where the values of the members begin that are removed.
    ///   - added: the first edit that adds a member, by where the value ends after which it is added.
    private func remove(_ gone: Set<Int>, from holder: Range<Int>, _ added: [Int: Int], in edits: inout [Edit]) {
        let members = JSONScanner.parts(of: payload, at: holder)?.parts ?? []
        let rest = members.firstIndex { !gone.contains($0.value.lowerBound) }
        // The first member that is added before any other stays has no comma.
        let first = members[..<(rest ?? members.endIndex)].lazy.compactMap { added[$0.value.upperBound] }.first
        if let first { edits[first] = edits[first].withoutComma }
        for (index, member) in members.enumerated() where gone.contains(member.value.lowerBound) {
            // What stands before the first name stays there, unless nothing comes after it.
            let isKept = index == 0 && (rest != nil || first != nil)
            let start = isKept ? member.name?.lowerBound ?? member.value.lowerBound : member.lead.lowerBound
            edits.append(Edit(removing: start..<member.value.upperBound))
        }
        // Without any before it, the first one that stays loses its comma.
        if let rest, rest > 0, first == nil, let name = members[rest].name {
            edits.append(Edit(removing: members[rest].lead.lowerBound..<name.lowerBound))
        }
    }
}
