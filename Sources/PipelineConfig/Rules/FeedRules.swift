internal import Pipeline
internal import PipelineJSON
import PipelineLive

/// What must hold between the feeds of a pipeline, their sources, and its tiers.
struct FeedRules {
    let sources: SourceTable
    let decoder: FieldDecoder

    func check(_ pipeline: DeclaredPipeline, _ feeds: KnownFeeds, _ tiers: KnownTiers) {
        guard !pipeline.feeds.isEmpty else { return }
        for feed in feeds.undefined where !decoder.problems.isFull {
            decoder.reportUndefined(feed.source, at: feed.place, among: sources)
        }
        for (feed, first) in feeds.repeated where !decoder.problems.isFull { reportRepeated(feed, after: first.feed, in: pipeline) }
        for element in feeds.silent where !decoder.problems.isFull { reportSilent(element, in: pipeline) }
        for element in feeds.elements where element.source.tellsOfChanges == true {
            checkContents(of: element)
            checkAddressing(of: element.feed, in: pipeline)
            checkOperations(of: element.feed)
            checkEventName(of: element)
            checkFormat(of: element, in: pipeline)
            checkConfirming(of: element)
        }
        let merging = feeds.elements.filter(\.isMerging).map(\.feed)
        checkAgreement(of: merging)
        if let first = merging.first { checkCaches(of: pipeline, tiers, fedBy: first) }
    }
}

extension FeedRules {
    private func reportRepeated(_ feed: FeedConfig, after first: FeedConfig, in pipeline: DeclaredPipeline) {
        decoder.report(
            .repeatedSource, "the source `\(feed.source.shortened)` is twice in `live` of the pipeline `\(pipeline.name.shortened)`",
            at: feed.place, help: "remove one of the two: a pipeline takes each change once",
            related: [Diagnostic.Related("first named here", at: first.range)])
    }

    private func reportSilent(_ element: KnownFeeds.Element, in pipeline: DeclaredPipeline) {
        let name = element.feed.source.shortened
        let telling = sources.all.filter { $0.tellsOfChanges == true }.prefix(20).map { "`\($0.name.shortened)`" }
        let isTier = pipeline.tiers.contains { $0.source.utf8.elementsEqual(element.feed.source.utf8) }
        let place =
            element.source.keepsSends ? "remove it" : isTier ? "it is a tier already: remove it here" : "name it in `tiers`"
        decoder.report(
            .misplacedSource, "`\(name)` reports no changes", at: element.feed.place,
            help: telling.isEmpty
                ? "\(place); `live` takes sources that report changes"
                : "\(place), or name one that does: \(telling.joined(separator: ", "))",
            related: [Diagnostic.Related("the source is declared here", at: element.source.range)])
    }

    /// The messages of some sources have no content.
    private func checkContents(of element: KnownFeeds.Element) {
        guard element.hasSignalsOnly else { return }
        let feed = element.feed
        let given = FeedConfig.fieldsOfContents.filter { feed.fieldPlaces.key($0) != nil }
        guard let first = given.first(where: { $0 == "id" }) ?? given.first, let place = feed.fieldPlaces.key(first) else { return }
        decoder.report(
            .unsupportedPolicy,
            "`\(first)` on `\(feed.source.shortened)`, whose messages have no content: each only reloads the value",
            at: place,
            help: "remove \(given.map { "`\($0)`" }.joined(separator: ", "))",
            related: [Diagnostic.Related("the source is declared here", at: element.source.range)])
    }

    private func checkAddressing(of feed: FeedConfig, in pipeline: DeclaredPipeline) {
        guard pipeline.hasAllParameters else { return }
        let declared = pipeline.parameters.map(\.name)
        for name in feed.addressing.keys.sorted() where !declared.contains(name) && !decoder.problems.isFull {
            guard let place = feed.fieldPlaces.key(name, in: "for") else { continue }
            let bare = name.drop { "{:$".contains($0) }.prefix { $0 != "}" }
            let nearest = decoder.nearest(to: String(bare), among: declared)
            decoder.report(
                .unknownParameter, "`\(name.shortened)` in `for` is not a parameter of the pipeline `\(pipeline.name.shortened)`",
                at: place,
                help: nearest.name.map { "did you mean `\($0)`?" }
                    ?? (declared.isEmpty
                        ? "declare it: `parameters: [\(bare.description.shortened)]`, or remove it"
                        : "its parameters are \(declared.prefix(20).map { "`\($0)`" }.joined(separator: ", "))"),
                related: [Diagnostic.Related("the pipeline", at: pipeline.range)],
                fix: nearest.certain.flatMap { decoder.renaming(name, at: place.range, to: $0) })
        }
    }

    /// Each message needs a word that says one thing.
    private func checkOperations(of feed: FeedConfig) {
        guard feed.isSound, let operations = feed.merging?.operations, let place = feed.fieldPlaces.value("op") else { return }
        var owners: [String: String] = [:]
        for (field, words) in [("upsert", operations.upsert), ("delete", operations.delete), ("patch", operations.patch)] {
            for word in words {
                if let other = owners[word], let place = feed.fieldPlaces.value(field, in: "op") {
                    decoder.report(
                        .notAllowed, "`\(word.shortened)` is not allowed for `\(field)`: it stands for `\(other)`", at: place,
                        help: "remove it from one of the two",
                        related: feed.fieldPlaces.value(other, in: "op").map {
                            [Diagnostic.Related("`\(other)` is set here", at: $0.range)]
                        } ?? [])
                }
                owners[word] = field
            }
        }
        // What other fields were meant for has been reported.
        guard owners.isEmpty, feed.fieldPlaces.count(in: "op") == 1 else { return }
        decoder.report(
            .missingField, "`op` of `\(feed.source.shortened)` has no words: every message would be skipped", at: place,
            help: "add `upsert`, `delete` or `patch` with the words that messages have")
    }

    /// Only events have names: in other messages the word stands in the content.
    private func checkEventName(of element: KnownFeeds.Element) {
        guard element.feed.merging?.operations?.place == .event, !element.hasSignalsOnly,
            element.source.capabilities?.contains(.namesEvents) == false, let place = element.feed.fieldPlaces.value("at", in: "op")
        else { return }
        let name = element.feed.source.shortened
        decoder.report(
            .unsupportedPolicy, "`at: event` on `\(name)`, whose messages have no event names",
            at: place, help: "say where the word stands in a message, as `at: /type`",
            related: [Diagnostic.Related("the source is declared here", at: element.source.range)])
    }

    private func checkFormat(of element: KnownFeeds.Element, in pipeline: DeclaredPipeline) {
        guard element.isMerging, pipeline.policy.format != .json, let place = element.feed.fieldPlaces.key("id") else { return }
        let format = pipeline.policy.format.rawValue
        decoder.report(
            .mergingFormat,
            "`\(element.feed.source.shortened)` merges into a JSON list, and the format of `\(pipeline.name.shortened)` is `\(format)`",
            at: place, help: "remove `id`, so that each message reloads the value, or give the pipeline `format: json`",
            related: pipeline.fieldPlaces.value(.format).map { [Diagnostic.Related("the format is set here", at: $0.range)] } ?? [])
    }

    /// A connection that is silent proves nothing, unless a lost message would show.
    private func checkConfirming(of element: KnownFeeds.Element) {
        let feed = element.feed
        guard feed.isSound, feed.confirms, feed.sequence == nil, element.source.isSoundInForm, !element.source.resumes,
            let place = feed.fieldPlaces.key("confirms")
        else { return }
        let resumes = element.source.declarations.first { $0.role == .resumes }?.name
        let proof =
            element.hasSignalsOnly
            ? [] : ["add `sequence: /seq`"] + (resumes.map { ["write `\($0): true` under `\(feed.source.shortened)`"] } ?? [])
        decoder.report(
            .unprovenConfirmation,
            "`confirms` of `\(feed.source.shortened)` takes every copy for confirmed, though a lost message would not be noticed",
            at: place,
            help: (proof + ["remove `confirms`"]).joined(separator: ", or "))
    }
}

extension FeedRules {
    /// The feeds of a pipeline merge into one list: what they say of it must be the same.
    private func checkAgreement(of feeds: [FeedConfig]) {
        guard let first = feeds.first(where: \.isSound), let policy = first.merging else { return }
        for feed in feeds where feed !== first && feed.isSound && !decoder.problems.isFull {
            guard let other = feed.merging else { continue }
            let facts: [(field: String, isSame: Bool, written: String?)] = [
                ("list", policy.list == other.list, policy.list.written.map(\.inFlow)),
                ("id", policy.id == other.id, OneOrMore(elements: policy.id).written),
                ("version", policy.version == other.version, policy.version?.written),
                ("insert", policy.insertion == other.insertion, policy.insertion.written),
            ]
            for fact in facts where !fact.isSame { report(fact.field, of: feed, unlike: first, meaning: fact.written) }
        }
    }

    private func report(_ field: String, of feed: FeedConfig, unlike first: FeedConfig, meaning written: String?) {
        let place = feed.fieldPlaces.value(field)
        let isGivenFirst = first.fieldPlaces.key(field) != nil
        decoder.report(
            .outOfRange,
            "`\(field)` of `\(feed.source.shortened)` is not that of `\(first.source.shortened)`: the feeds of a pipeline merge into one list",
            at: place ?? feed.place,
            help: place == nil
                ? "give it `\(field): \(written ?? "")`, too"
                : isGivenFirst
                    ? "write `\(field): \(written ?? "")`" : "give `\(first.source.shortened)` the same `\(field)`, or remove it",
            related: [
                Diagnostic.Related("the feed `\(first.source.shortened)`", at: (first.fieldPlaces.value(field) ?? first.place).range)
            ])
    }

    /// Each change is a write of its own.
    private func checkCaches(of pipeline: DeclaredPipeline, _ tiers: KnownTiers, fedBy feed: FeedConfig) {
        guard pipeline.isSound else { return }
        for tier in tiers.elements where tier.isWrittenCache && tier.tier.isSound && pipeline.fills(tier.tier) {
            guard tier.source.capabilities?.contains(.answersAtOnce) == false, (tier.policy.debounce ?? .zero) == .zero else { continue }
            let name = tier.tier.source.shortened
            let debounce = tier.policy.ttl.map { $0 <= .seconds(2) ? $0 / 4 : .seconds(2) } ?? .seconds(2)
            let field = "debounce: \(debounce.written ?? "2s")"
            decoder.report(
                .undelayedChanges,
                "each change that `\(feed.source.shortened)` tells of is a write to `\(name)`: its tier has no `debounce`",
                at: tier.tier.fieldPlaces.value(.debounce) ?? tier.tier.place,
                help: tier.tier.fieldPlaces.key(.debounce) != nil
                    ? "write `\(field)`"
                    : tier.tier.fieldPlaces.key("source") == nil ? "write `{ source: \(name), \(field) }`" : "add `\(field)` to the tier",
                related: [Diagnostic.Related("the feed", at: feed.range)])
        }
    }
}
