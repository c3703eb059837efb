internal import Pipeline
internal import PipelineConfig
internal import PipelineJSON

extension GraphPolicy {
    /// What holds for a feed, beyond the defaults.
    static func of(_ feed: FeedConfig) -> [GraphPolicy] {
        let merging = feed.merging
        let ids = merging?.id.map(\.description) ?? []
        let addressing = feed.addressing.map { "\($0.key) = \($0.value)" }.sorted()
        let values: [(String, String?)] = [
            ("id", ids.isEmpty ? nil : ids.joined(separator: " + ")),
            ("list", merging.flatMap { $0.list == .whole ? nil : $0.list.description }),
            ("item", merging.flatMap { $0.item == .whole ? nil : $0.item.description }),
            ("op", merging?.operations.map(words)),
            ("version", merging?.version?.description),
            ("insert", merging.flatMap { words($0.insertion) }),
            ("for", addressing.isEmpty ? nil : addressing.joined(separator: ", ")),
            ("sequence", feed.sequence?.description),
            ("resync", feed.resync?.written),
            ("confirms", feed.confirms ? "copies" : nil),
            ("overlap", feed.overlap > .zero ? feed.overlap.written : nil),
        ]
        return values.compactMap { name, value in value.map { GraphPolicy(name, $0) } }
    }

    /// `at /type: added, updated = upsert; removed = delete`
    private static func words(_ operations: MergePolicy.Operations) -> String {
        let parts = [("upsert", operations.upsert), ("delete", operations.delete), ("patch", operations.patch)]
        let words = parts.filter { !$0.1.isEmpty }.map { "\($0.1.joined(separator: ", ")) = \($0.0)" }
        return "at \(operations.place.written ?? ""): \(words.joined(separator: "; "))"
    }

    private static func words(_ insertion: MergePolicy.Insertion) -> String? {
        switch insertion {
        case .refresh: nil
        case .sorted(let pointer, let isDescending): "by \(pointer)\(isDescending ? ", descending" : "")"
        default: insertion.written
        }
    }
}
