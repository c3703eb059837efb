/// The sources, pipelines, tiers and sends that the places of a configuration belong to.
package struct ConfigParts {
    /// A part of a configuration.
    package enum Part: Hashable, Sendable {
        case source(String)
        case pipeline(String)
        /// The tier at `index` of the list, counted from 0.
        case tier(pipeline: String, index: Int)
        /// The feed at `index` of the list, counted from 0.
        case feed(pipeline: String, index: Int)
        case send(String)
    }

    private typealias Extent = (range: TextRange, part: Part)

    /// Parts of one kind stand one after the other; they are sorted by where they begin.
    private let sources: [Extent]
    private let pipelines: [Extent]
    private let sends: [Extent]
    private let entries: [Extent]

    /// The parts of `document`.
    package init(_ document: ConfigNode?) {
        func extents(_ section: String, _ part: (String) -> Part) -> [Extent] {
            (document?.member(section)?.members ?? []).map { member in
                (TextRange(member.keyRange.start, max(member.keyRange.end, member.value.range.end)), part(member.key))
            }
        }
        sources = extents("sources", Part.source).inOrder
        pipelines = extents("pipelines", Part.pipeline).inOrder
        sends = extents("sends", Part.send).inOrder
        func entries(_ list: String, of pipeline: ConfigNode.Member, _ part: (Int) -> Part) -> [Extent] {
            guard let list = pipeline.value.member(list), case .sequence(let elements) = list.content else { return [] }
            return elements.enumerated().map { ($0.element.range, part($0.offset)) }
        }
        self.entries =
            (document?.member("pipelines")?.members ?? []).flatMap { member in
                entries("tiers", of: member) { .tier(pipeline: member.key, index: $0) }
                    + entries("live", of: member) { .feed(pipeline: member.key, index: $0) }
            }.inOrder
    }

    /// The innermost parts that `diagnostic` concerns, also where an alias or a merge brings it; none for one of the file itself.
    package func parts(of diagnostic: Diagnostic) -> Set<Part> {
        let ranges = [diagnostic.range] + diagnostic.related.filter(\.isUse).compactMap(\.range)
        return Set(
            ranges.compactMap { range in
                entries.part(around: range) ?? pipelines.part(around: range) ?? sources.part(around: range) ?? sends.part(around: range)
            })
    }
}

extension [(range: TextRange, part: ConfigParts.Part)] {
    fileprivate var inOrder: Self { sorted { $0.range.start < $1.range.start } }

    /// The part that `range` lies in: the last one that begins before it, if it ends after it.
    fileprivate func part(around range: TextRange) -> ConfigParts.Part? {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].range.start <= range.start { low = middle + 1 } else { high = middle }
        }
        guard low > 0, range.end <= self[low - 1].range.end else { return nil }
        return self[low - 1].part
    }
}

extension ConfigNode {
    /// The node behind aliases, or the node itself.
    package var target: ConfigNode {
        if case .alias(let target) = content { target.target } else { self }
    }

    /// The members of a mapping, aliases followed; none of anything else.
    package var members: [Member] {
        if case .mapping(let members) = target.content { members } else { [] }
    }

    /// The value of `key` in a mapping, aliases followed.
    package func member(_ key: String) -> ConfigNode? {
        members.last { $0.key == key }?.value.target
    }
}
