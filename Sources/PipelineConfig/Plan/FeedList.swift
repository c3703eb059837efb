/// The feeds of a pipeline.
struct FeedList: FieldValue {
    let feeds: [FeedConfig]
    /// Whether all that are written could be read.
    let isComplete: Bool
    /// How many errors were reported of them.
    let errors: Int

    static let none = FeedList(feeds: [], isComplete: true, errors: 0)

    static var fieldType: FieldType { .list(FeedConfig.fieldType) }

    static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> FeedList? {
        decoder.places.withTarget(of: node) { node in
            let mark = decoder.problems.mark
            if case .mapping(let members) = node.content, !members.isEmpty {
                decoder.report(
                    .wrongType, "expected a list for `live`, found a mapping", at: node,
                    help: (members.contains { $0.key == "source" } ? node.onOneLine : TierList.entries(namedBy: members)).map {
                        "write `live: [\($0)]`"
                    } ?? "begin each feed with `- source: NAME`")
                return FeedList(feeds: [], isComplete: false, errors: decoder.problems.errors(since: mark))
            }
            guard case .sequence(let nodes) = node.content else {
                _ = [FeedConfig].decode(node, with: decoder)
                return FeedList(feeds: [], isComplete: false, errors: decoder.problems.errors(since: mark))
            }
            let feeds = nodes.compactMap { FeedConfig.decode($0, with: decoder) }
            return FeedList(feeds: feeds, isComplete: feeds.count == nodes.count, errors: decoder.problems.errors(since: mark))
        }
    }

    /// Nil: without feeds a pipeline has none, and there is nothing to show.
    var written: String? { nil }
}
