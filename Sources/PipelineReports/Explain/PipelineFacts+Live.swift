internal import Pipeline
internal import PipelineConfig
internal import PipelineJSON
import PipelineLive
import PipelineSending

extension PipelineFacts {
    /// The effect of messages of change sources.
    var changes: [Sentence] {
        plan.feeds.flatMap { feed in
            feed.feed.merging.map { merging(of: feed, by: $0) } ?? refreshing(by: feed)
        } + plan.feeds.flatMap(connection) + feeding
    }

    /// The caches that changes are merged into.
    private var fedCaches: [TierPlan] {
        let written = Set(plan.tiers.flatMap(\.writesBackTo))
        return plan.tiers.filter { written.contains($0.name) && !$0.keepsNothing }
    }

    private func ground(_ field: String, of feed: FeedPlan) -> Ground { feed.places[field].map(Ground.place) ?? .byDefault }

    private func ground(of feed: FeedPlan) -> Ground { feed.places.range.map(Ground.place) ?? .byDefault }

    private func refreshing(by feed: FeedPlan) -> [Sentence] {
        let text =
            "A message of \(feed.quotedWithType) reloads the value, at most once a second, and less often while that "
            + "brings nothing new."
        return [Sentence(text: text, grounds: [ground(of: feed)])] + addressing(of: feed) + gaps(of: feed)
    }

    private func merging(of feed: FeedPlan, by policy: MergePolicy) -> [Sentence] {
        let ids = Self.listed(policy.id.map { "`\($0)`" })
        let list = policy.list == .whole ? "the value, which is a list," : "the list at `\(policy.list)` of the value"
        let item =
            policy.item == .whole
            ? "the item is the whole message, and its id stands at \(ids)"
            : "the item stands at `\(policy.item)` of the message, and its id at \(ids) of the item"
        let first = Sentence(
            text: "A message of \(feed.quotedWithType) changes \(list) by the id of its item; \(item).",
            grounds: [ground(of: feed), ground("list", of: feed), ground("item", of: feed), ground("id", of: feed)].uniqued)
        return [first] + operations(of: feed, policy) + [unknownIDs(of: feed, policy), versions(of: feed, policy)]
            + addressing(of: feed) + gaps(of: feed) + overlap(of: feed)
    }

    private func operations(of feed: FeedPlan, _ policy: MergePolicy) -> [Sentence] {
        guard let operations = policy.operations else {
            return [Sentence(text: "Each message inserts its item, or replaces the one with its id.", grounds: [ground("op", of: feed)])]
        }
        let place =
            switch operations.place {
            case .event: "The name of the event"
            case .pointer(let pointer): "The word at `\(pointer)`"
            }
        let effects = [
            (operations.upsert, "inserts the item, or replaces the one with its id"), (operations.delete, "removes the item"),
            (operations.patch, "changes members of the item (RFC 7396)"),
        ].filter { !$0.0.isEmpty }.map { "\(Self.listed($0.0.map { "`\($0)`" }, "or")) \($0.1)" }
        return [
            Sentence(
                text:
                    "\(place) says what a message does: \(effects.joined(separator: ", ")). A message with another word is skipped, and counted.",
                grounds: [ground("op", of: feed)])
        ]
    }

    private func unknownIDs(of feed: FeedPlan, _ policy: MergePolicy) -> Sentence {
        let subject = "An item whose id the list lacks"
        let text =
            switch policy.insertion {
            case .refresh: "\(subject) is not inserted: the value is reloaded."
            case .first: "\(subject) is inserted at the beginning."
            case .last: "\(subject) is inserted at the end."
            case .ignore: "\(subject) is dropped."
            case .sorted(let pointer, let isDescending):
                "\(subject) is inserted in the order of `\(pointer)`, the \(isDescending ? "greatest" : "least") first; an item whose value changes moves."
            }
        return Sentence(text: text, grounds: [ground("insert", of: feed)])
    }

    private func versions(of feed: FeedPlan, _ policy: MergePolicy) -> Sentence {
        let text =
            policy.version.map {
                "A change counts only if its version, at `\($0)` of the item, is newer than the item's: an older one never wins."
            }
            ?? "Changes count in the order in which they arrive: a late one wins."
        return Sentence(text: text, grounds: [ground("version", of: feed)])
    }

    private func addressing(of feed: FeedPlan) -> [Sentence] {
        guard !feed.source.tellsWithoutContents else { return [] }
        let parts = feed.feed.addressing.sorted { $0.key < $1.key }.map { "`\($0.key)` is the text at `\($0.value)`" }
        let text =
            parts.isEmpty
            ? "A message is for each key that its connection serves." : "A message is for the keys whose \(Self.listed(parts))."
        return [Sentence(text: text, grounds: [ground("for", of: feed)])]
    }

    /// The consequences of messages that are lost.
    private func gaps(of feed: FeedPlan) -> [Sentence] {
        guard !feed.source.tellsWithoutContents else { return [] }
        var sentences: [Sentence] = []
        if let sequence = feed.feed.sequence {
            sentences.append(
                Sentence(
                    text:
                        "The numbers at `\(sequence)` are consecutive: a gap or a step back reloads the value, and a message with an equal number is dropped.",
                    grounds: [ground("sequence", of: feed)]))
        } else {
            sentences.append(
                Sentence(
                    text: "A message that is lost during a connection goes unnoticed: messages have no numbers.",
                    grounds: [ground("sequence", of: feed)]))
        }
        if let resync = feed.feed.resync {
            let members = resync.members.map { "`\($0.value)` at `\($0.key)`" }.sorted()
            sentences.append(
                Sentence(
                    text: "A message with \(Self.listed(members)) reloads the value.",
                    grounds: [ground("resync", of: feed)]))
        }
        return sentences
    }

    private func overlap(of feed: FeedPlan) -> [Sentence] {
        guard feed.feed.overlap > .zero else { return [] }
        return [
            Sentence(
                text: "Changes from up to \(Self.words(feed.feed.overlap)) before a load began are merged into its answer, too.",
                grounds: [ground("overlap", of: feed)])
        ]
    }

    /// The moment when a source is connected, and the meaning of a connection for copies.
    private func connection(of feed: FeedPlan) -> [Sentence] {
        let serving = plan.parameters.isEmpty ? "at once" : "from the first fetch of the key on"
        let again =
            feed.source.resumes
            ? "A new connection continues where the last one ended, so the value is not reloaded."
            : "Each new connection reloads the value; after a lost connection, copies count as expired until then."
        let confirming = Sentence(
            text: "While it is live, a copy counts as confirmed at the last sign of life.", grounds: [ground("confirms", of: feed)])
        return [
            Sentence(
                text: "\(feed.quoted) is connected while a key is observed, and for 5s after that; under `serve`, \(serving).",
                grounds: [.always]),
            Sentence(text: again, grounds: [feed.source.resumes ? ground(of: feed) : .always]),
        ] + (feed.feed.confirms ? [confirming] : [])
    }

    /// The moment when the caches get a change.
    private var feeding: [Sentence] {
        guard plan.feeds.contains(where: { $0.feed.merging != nil }) else { return [] }
        let atOnce = fedCaches.filter { ($0.policy.debounce ?? .zero) == .zero }
        let later = fedCaches.filter { ($0.policy.debounce ?? .zero) > .zero }
        var sentences: [Sentence] = []
        if !atOnce.isEmpty {
            sentences.append(
                Sentence(
                    text: "Each change is written to \(Self.listed(atOnce.map(\.quoted))) at once.",
                    grounds: atOnce.map { ground(.debounce, of: $0) }.uniqued))
        }
        sentences += later.map { cache in
            Sentence(
                text: "It is written to \(cache.quoted) when nothing has changed for \(Self.words(cache.policy.debounce ?? .zero)).",
                grounds: [ground(.debounce, of: cache)])
        }
        if fedCaches.isEmpty {
            sentences.append(Sentence(text: "No cache is written: changes reach nothing.", grounds: [ground(.writeBack)]))
        } else {
            sentences.append(
                Sentence(text: "A change makes no copy younger. Without a copy and a running load it is dropped.", grounds: [.always]))
        }
        return sentences
    }
}

extension PipelineFacts {
    /// The effect of `sends` on the value.
    func sends(_ sends: [SendPlan]) -> [Sentence] {
        let changes = sends.flatMap { send in
            zip(send.changes, send.placesOfChanges).filter { $0.0.pipeline == plan.name }.map { (send, $0, $1) }
        }
        let effects = changes.map { send, change, place in
            Sentence(text: Self.effect(of: send, change), grounds: [.place(place)])
        }
        guard changes.contains(where: { $0.1.operation != .refresh }) else { return effects }
        let lasting = Sentence(
            text: "What a send changes is laid over each read until the origin has it; caches hold only what the origin said.",
            grounds: [.always])
        return effects + [lasting]
    }

    private static func effect(of send: SendPlan, _ change: SendChange) -> String {
        let beginning = "A send `\(send.name)` goes to \(send.target.quotedWithType)"
        return switch change.operation {
        case .upsert: "\(beginning), and its item is in the list at once."
        case .patch: "\(beginning), and its item is changed at once."
        case .delete: "\(beginning), and its item is gone at once."
        case .replace: "\(beginning), and its payload is the value at once."
        case .refresh: "\(beginning); when it is sent, the value is reloaded."
        }
    }
}

extension FeedPlan {
    /// The name of its source in sentences.
    fileprivate var quoted: String { "`\(source.name)`" }
    /// The name of its source in sentences, with its type if the name does not say it.
    fileprivate var quotedWithType: String { source.quotedWithType }
}

extension SourceConfig {
    fileprivate var tellsWithoutContents: Bool { capabilities?.contains(.signalsOnly) == true }
}
