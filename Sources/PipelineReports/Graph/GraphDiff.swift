/// The effect of a change of the configuration, pipeline by pipeline.
package enum GraphDiff {
    /// The pipelines that change, in the new order and then those that are removed; tiers, policies and write-backs have their changes.
    package static func changes(from old: [GraphPipeline], to new: [GraphPipeline]) -> (changed: [GraphPipeline], unchanged: [String]) {
        let former = Dictionary(old.map { (Array($0.name.utf8), $0) }) { first, _ in first }
        let current = Set(new.map { Array($0.name.utf8) })
        let merged = new.map { pipeline in
            former[Array(pipeline.name.utf8)].map { merge($0, pipeline) } ?? whole(pipeline, .added)
        }
        let removed = old.filter { !current.contains(Array($0.name.utf8)) }.map { whole($0, .removed) }
        return ((merged + removed).filter { $0.change != nil }, merged.filter { $0.change == nil }.map(\.name))
    }

    private static func whole(_ pipeline: GraphPipeline, _ change: GraphChange) -> GraphPipeline {
        var pipeline = pipeline
        pipeline.change = change
        for index in pipeline.tiers.indices { pipeline.tiers[index].change = change }
        for index in pipeline.writeBacks.indices { pipeline.writeBacks[index].change = change }
        for index in pipeline.feeds.indices { pipeline.feeds[index].change = change }
        for index in pipeline.parts.indices { pipeline.parts[index].change = change }
        for index in pipeline.links.indices { pipeline.links[index].change = change }
        return pipeline
    }

    private static func merge(_ old: GraphPipeline, _ new: GraphPipeline) -> GraphPipeline {
        var merged = new
        merged.policies =
            policies(fields(of: old) + old.policies, fields(of: new) + new.policies)
            .filter { $0.change != nil || !["parameters", "description"].contains($0.name) }
            + policies(otherFields(of: old), otherFields(of: new)).filter { $0.change != nil }
        merged.tiers = tiers(old.tiers, new.tiers)
        merged.writeBacks = writeBacks(old, new, among: merged.tiers)
        merged.feeds = feeds(old.feeds, new.feeds)
        merged.parts = parts(old.parts, new.parts)
        merged.links = parts(old.links, new.links)
        if merged.hasChanges { merged.change = .changed }
        return merged
    }

    /// The fields that are shown neither as policies nor with the parts and links.
    private static func otherFields(of pipeline: GraphPipeline) -> [GraphPolicy] {
        let isDrawn = (parts: !pipeline.parts.isEmpty, links: !pipeline.links.isEmpty)
        let parts = ["combine.object", "combine.merge", "combine.of", "combine.join.from", "combine.join.to"]
        func isBelow(_ name: String, _ path: String) -> Bool { name == path || name.hasPrefix("\(path).") }
        return pipeline.fields.filter { field in
            !(isDrawn.parts && parts.contains { isBelow(field.name, $0) } || isDrawn.links && isBelow(field.name, "links"))
        }
    }

    /// Parts or links. Of parts of one pipeline in a merge, those that say the same are the same.
    private static func parts(_ old: [GraphPart], _ new: [GraphPart]) -> [GraphPart] {
        var left = Array(old.indices)
        var former: [Int?] = new.map { part in take(&left) { old[$0].fields == part.fields && same(old[$0].identity, part.identity) } }
        for index in new.indices where former[index] == nil {
            former[index] = take(&left) { same(old[$0].identity, new[index].identity) }
        }
        let names = former.enumerated().map { number, index in index.map(String.init) ?? "new \(number)" }
        let inPlace = commonOrder(old.indices.filter { !left.contains($0) }.map(String.init), names.filter { !$0.hasPrefix("new") })
        let kept = new.indices.map { index -> GraphPart in
            var part = new[index]
            guard let known = former[index] else {
                part.change = .added
                return part
            }
            part.changes = policies(old[known].fields, part.fields).filter { $0.change != nil }
            if !inPlace.contains(Array(String(known).utf8)) {
                (part.formerIndex, part.change) = (known, .moved)
            } else if !part.changes.isEmpty {
                part.change = .changed
            }
            return part
        }
        return kept
            + left.map { index in
                var part = old[index]
                (part.formerIndex, part.change) = (index, .removed)
                return part
            }
    }

    /// Takes the first of `indexes` that is meant.
    private static func take(_ indexes: inout [Int], where isMeant: (Int) -> Bool) -> Int? {
        indexes.firstIndex(where: isMeant).map { indexes.remove(at: $0) }
    }

    /// The fields that are no policy and can change all the same.
    private static func fields(of pipeline: GraphPipeline) -> [GraphPolicy] {
        let parameters = pipeline.parameters.map { $0.name + ($0.defaultValue.map { " = \($0)" } ?? "") }
        return [
            parameters.isEmpty ? nil : GraphPolicy("parameters", "(\(parameters.joined(separator: ", ")))"),
            pipeline.description.map { GraphPolicy("description", "“\($0)”") },
        ].compactMap { $0 }
    }

    private static func policies(_ old: [GraphPolicy], _ new: [GraphPolicy]) -> [GraphPolicy] {
        let kept = new.map { policy -> GraphPolicy in
            var policy = policy
            let former = old.first { $0.name == policy.name }
            guard former?.value != policy.value || former?.identities != policy.identities else { return policy }
            (policy.former, policy.formerOrigins) = (former?.value, former?.origins)
            policy.change = former == nil ? .added : .changed
            return policy
        }
        let gone = old.filter { policy in !new.contains { $0.name == policy.name } }.map { policy in
            var policy = policy
            (policy.former, policy.value, policy.change) = (policy.value, nil, .removed)
            return policy
        }
        return kept + gone
    }

    private static func tiers(_ old: [GraphTier], _ new: [GraphTier]) -> [GraphTier] {
        let inPlace = commonOrder(old.map(\.source), new.map(\.source))
        let kept = new.map { tier -> GraphTier in
            var tier = tier
            guard let index = old.firstIndex(where: { same($0.source, tier.source) }) else {
                tier.change = .added
                return tier
            }
            tier.policies = policies(old[index].policies, tier.policies)
            // Another type has other fields; and of a policy that shows its change, the members say nothing new.
            let isOther = old[index].type != tier.type
            let shown = Set(tier.policies.filter { $0.change != nil }.map(\.name))
            tier.policies += policies(old[index].fields, tier.fields).filter { field in
                guard field.change != nil else { return false }
                return !(isOther && field.name.hasPrefix(ComparedFields.prefix))
                    && !shown.contains { field.name.utf8.starts(with: "\($0).".utf8) }
            }
            if old[index].type != tier.type || old[index].isCache != tier.isCache {
                tier.formerTitle = "\(old[index].type ?? "?") · \(old[index].kind)"
            }
            if !inPlace.contains(Array(tier.source.utf8)) {
                tier.formerIndex = index
                tier.change = .moved
            } else if tier.formerTitle != nil || tier.policies.contains(where: { $0.change != nil }) {
                tier.change = .changed
            }
            return tier
        }
        let gone = old.filter { tier in !new.contains { same($0.source, tier.source) } }.map { tier in
            var tier = tier
            tier.change = .removed
            return tier
        }
        return kept + gone
    }

    private static func writeBacks(_ old: GraphPipeline, _ new: GraphPipeline, among tiers: [GraphTier]) -> [GraphWriteBack] {
        func has(_ pipeline: GraphPipeline, _ from: String, _ to: String) -> Bool {
            pipeline.writeBacks.contains { same(pipeline.tiers[$0.from].source, from) && same(pipeline.tiers[$0.to].source, to) }
        }
        let kept = new.writeBacks.map { edge -> GraphWriteBack in
            var edge = edge
            if !has(old, new.tiers[edge.from].source, new.tiers[edge.to].source) { edge.change = .added }
            return edge
        }
        let gone = old.writeBacks.compactMap { edge -> GraphWriteBack? in
            let (from, to) = (old.tiers[edge.from].source, old.tiers[edge.to].source)
            guard !has(new, from, to), let start = tiers.firstIndex(where: { same($0.source, from) }),
                let end = tiers.firstIndex(where: { same($0.source, to) })
            else { return nil }
            var edge = edge
            (edge.from, edge.to, edge.change) = (start, end, .removed)
            return edge
        }
        return kept + gone
    }

    private static func feeds(_ old: [GraphFeed], _ new: [GraphFeed]) -> [GraphFeed] {
        let kept = new.map { feed -> GraphFeed in
            var feed = feed
            guard let former = old.first(where: { same($0.source, feed.source) }) else {
                feed.change = .added
                return feed
            }
            feed.policies = policies(former.policies, feed.policies)
            // Another type has other fields.
            let fields = former.type == feed.type ? policies(former.fields, feed.fields) : [typeChange(from: former, to: feed)]
            feed.policies += fields.filter { $0.change != nil }
            if feed.policies.contains(where: { $0.change != nil }) { feed.change = .changed }
            return feed
        }
        let gone = old.filter { feed in !new.contains { same($0.source, feed.source) } }.map { feed in
            var feed = feed
            feed.change = .removed
            return feed
        }
        return kept + gone
    }

    private static func typeChange(from old: GraphFeed, to new: GraphFeed) -> GraphPolicy {
        var policy = GraphPolicy(ComparedFields.prefix + "type", new.type)
        (policy.former, policy.change) = (old.type, .changed)
        return policy
    }

    /// Compares names by their bytes.
    private static func same(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }

    /// The longest lists that are compared for the least number of moves.
    private static let mostCompared = 2_000

    /// The names that are in both lists and need not move: a longest common subsequence.
    private static func commonOrder(_ old: [String], _ new: [String]) -> Set<[UInt8]> {
        let (old, new) = (old.map { Array($0.utf8) }, new.map { Array($0.utf8) })
        guard old.count <= mostCompared, new.count <= mostCompared else { return Set(zip(old, new).filter { $0 == $1 }.map(\.0)) }
        var lengths = [[Int]](repeating: [Int](repeating: 0, count: new.count + 1), count: old.count + 1)
        for i in old.indices.reversed() {
            for j in new.indices.reversed() {
                lengths[i][j] = old[i] == new[j] ? lengths[i + 1][j + 1] + 1 : max(lengths[i + 1][j], lengths[i][j + 1])
            }
        }
        var common: Set<[UInt8]> = []
        var (i, j) = (0, 0)
        while i < old.count, j < new.count {
            if old[i] == new[j] {
                common.insert(old[i])
                (i, j) = (i + 1, j + 1)
            } else if lengths[i + 1][j] >= lengths[i][j + 1] {
                i += 1
            } else {
                j += 1
            }
        }
        return common
    }
}

/// The effect of a change of the configuration on something that is drawn.
package enum GraphChange: String, Hashable {
    case added
    case removed
    /// A tier that is asked at another place in the order.
    case moved
    case changed

    /// `+`, `-` or `~`.
    var mark: String {
        switch self {
        case .added: "+"
        case .removed: "-"
        case .moved, .changed: "~"
        }
    }
}
