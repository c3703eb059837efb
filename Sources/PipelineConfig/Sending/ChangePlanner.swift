internal import Pipeline
internal import PipelineComposing
internal import PipelineJSON
internal import PipelineLive
import PipelineSending

/// Brings the changes of sends together with the pipelines that they change, and finds what does not fit.
struct ChangePlanner {
    private let pipelines: [ExactName: DeclaredPipeline]
    private let names: [String]
    private let sources: SourceTable
    private let decoder: FieldDecoder
    /// The way in which each pipeline is merged, by the first that says it.
    private var ways: [ExactName: Way] = [:]

    init(pipelines: [DeclaredPipeline], sources: SourceTable, decoder: FieldDecoder) {
        self.pipelines = Dictionary(pipelines.map { (ExactName($0.name), $0) }) { first, _ in first }
        names = pipelines.map(\.name)
        (self.sources, self.decoder) = (sources, decoder)
    }

    /// Checks `change` of `send`, and gives it with what it takes from the feed of its pipeline; nil where that cannot be.
    mutating func plan(_ change: ChangeConfig, of send: SendConfig) -> SendChange? {
        checkFields(of: change)
        for use in change.arguments.map(\.value) + [change.target].compactMap(\.self) { decoder.checkUses(use.uses, in: send) }
        guard let pipeline = pipelines[ExactName(change.pipeline)] else {
            reportUndefined(change)
            return nil
        }
        guard pipeline.composite == nil else {
            reportComposite(pipeline, at: change.place)
            return nil
        }
        checkArguments(of: change, for: pipeline, of: send)
        checkFormat(of: change, for: pipeline, of: send)
        var planned = SendChange(of: change.pipeline, change.operation)
        if change.operation.isOfList {
            guard let way = way(of: change, in: pipeline, send) else { return nil }
            planned.merging = MergePolicy(list: way.list, id: way.id, version: way.version, insertion: way.insertion)
        }
        planned.arguments = Dictionary(change.arguments.map { ($0.name, $0.value.text) }) { $1 }
        (planned.item, planned.target) = (change.item, change.target?.text)
        return planned
    }
}

extension ChangePlanner {
    private func reportUndefined(_ change: ChangeConfig) {
        let (name, section) = (change.pipeline, decoder.known.pipelinesSection)
        // One that is there could not be read, and without a section none is: that is told.
        guard let section, !section.members.contains(where: { $0.key.hasSameBytes(as: name) }), !decoder.problems.isFull else { return }
        lazy var nearest = decoder.nearest(to: name, among: names)
        let isSource = sources[name] != nil
        decoder.report(
            .undefinedPipeline, "undefined pipeline `\(name.shortened)`", at: change.place,
            help: isSource
                ? "`\(name.shortened)` is a source, and a send changes the value of a pipeline: name one that asks it"
                : nearest.help(among: names, noun: "pipelines") ?? "declare it under `pipelines`",
            fix: isSource ? nil : nearest.certain.flatMap { decoder.renaming(name, at: change.place.range, to: $0) })
    }

    private func reportComposite(_ pipeline: DeclaredPipeline, at place: ConfigPlace) {
        let parts = pipeline.combine?.parts.map(\.spec.pipeline) ?? []
        let listed = parts.prefix(20).map { "`\($0.shortened)`" }.joined(separator: ", ")
        decoder.report(
            .changedComposite, "`\(pipeline.name.shortened)` is made from other pipelines, and changes with them", at: place,
            help: "change what it is made from" + (listed.isEmpty ? "" : ": \(listed)"),
            related: [Diagnostic.Related("it is combined here", at: (pipeline.fieldPlaces.key(.combine) ?? pipeline.place).range)])
    }

    /// Fields that mean nothing for the operation. Those without an operation have been reported.
    private func checkFields(of change: ChangeConfig) {
        let operation = change.operation
        guard change.isSound, change.fieldPlaces.key("op") != nil else { return }
        let given = ChangeConfig.declarations.map(\.name).filter { !operation.takes($0) && change.fieldPlaces.key($0) != nil }
        guard let first = given.first, let place = change.fieldPlaces.key(first) else { return }
        decoder.report(
            .pointlessLimit, "`\(first)` has no effect beside `op: \(operation.rawValue)`: \(operation.effect)", at: place,
            help: "remove \(given.map { "`\($0)`" }.joined(separator: ", "))")
    }

    private func checkArguments(of change: ChangeConfig, for pipeline: DeclaredPipeline, of send: SendConfig) {
        guard pipeline.hasAllParameters else { return }
        let taken = pipeline.parameters.map(\.name)
        let unknown = change.arguments.map(\.name).filter { !taken.contains($0) }
        let related = [Diagnostic.Related("the pipeline `\(pipeline.name.shortened)` is declared here", at: pipeline.range)]
        for name in unknown where !decoder.problems.isFull {
            let place = change.fieldPlaces.key(name, in: "with") ?? change.place
            lazy var nearest = decoder.nearest(to: name, among: taken)
            decoder.report(
                .wrongArgument, "the pipeline `\(pipeline.name.shortened)` has no parameter `\(name.shortened)`", at: place,
                help: nearest.help(among: taken, noun: "parameters") ?? "`\(pipeline.name.shortened)` takes no parameters",
                related: related,
                fix: nearest.certain.flatMap { decoder.renaming(name, at: place.range, to: $0) })
        }
        // An argument of another name most likely is the one that is missing.
        guard unknown.isEmpty, change.isSound, send.hasAllParameters else { return }
        let given = Set(change.arguments.map(\.name) + send.fields.parameters.parameters.map(\.name))
        let missing = pipeline.parameters.filter { $0.defaultValue == nil && !given.contains($0.name) }.map(\.name)
        guard !missing.isEmpty, !decoder.problems.isFull else { return }
        decoder.report(
            .wrongArgument, UsageError.missingParameters(missing, pipeline: pipeline.name).message, at: change.place,
            help: "give it with `with: { \(missing[0]): … }`", related: related)
    }

    /// Only JSON has lists of items.
    private func checkFormat(of change: ChangeConfig, for pipeline: DeclaredPipeline, of send: SendConfig) {
        guard change.operation.isOfList, let place = change.fieldPlaces.value("op") else { return }
        let (operation, isInPayload) = (change.operation.rawValue, change.operation != .delete || change.target == nil)
        if pipeline.policy.format != .json {
            let (name, format) = (pipeline.name.shortened, pipeline.policy.format.rawValue)
            decoder.report(
                .mergingFormat, "`\(operation)` changes a JSON list, and the format of `\(name)` is `\(format)`", at: place,
                help: "write `op: refresh`, or give the pipeline `format: json`",
                related: pipeline.fieldPlaces.value(.format).map { [Diagnostic.Related("the format is set here", at: $0.range)] } ?? [])
        } else if send.fields.format != .json, isInPayload {
            decoder.report(
                .mergingFormat,
                "`\(operation)` takes an item of JSON, and the format of the send `\(send.name.shortened)` is `\(send.fields.format.rawValue)`",
                at: place, help: "write `op: refresh`, or give the send `format: json`",
                related: send.fieldPlaces.value(ofSend: .format).map { [Diagnostic.Related("the format is set here", at: $0.range)] } ?? [])
        }
    }
}

extension ChangePlanner {
    /// A way in which the list of a pipeline is merged, and what says so.
    private struct Way {
        let list: JSONPointer
        let id: [JSONPointer]
        let version: JSONPointer?
        let insertion: MergePolicy.Insertion
        /// What says so: ``feed `events` ``.
        let owner: String
        let range: TextRange
        let places: FieldPlaces
        /// Whether it is that of a feed.
        let isOfFeed: Bool

        /// What sends and feeds agree in: each field, and how it is written.
        var facts: [(field: String, written: String?)] {
            [
                ("id", OneOrMore(elements: id).written), ("list", list.tokens.isEmpty ? nil : list.description.inFlow),
                ("version", version?.description.inFlow),
            ]
        }
    }

    /// The way in which `change` merges; nil, and reported, where it is unknown how an item is told from others.
    private mutating func way(of change: ChangeConfig, in pipeline: DeclaredPipeline, _ send: SendConfig) -> Way? {
        if ways[ExactName(pipeline.name)] == nil { ways[ExactName(pipeline.name)] = wayOfFeed(in: pipeline) }
        let first = ways[ExactName(pipeline.name)]
        let (own, feed) = (change.merging, first.flatMap { $0.isOfFeed ? $0 : nil })
        guard let id = own.id ?? feed?.id else {
            if change.isSound, pipeline.hasAllFeeds { reportMissingID(of: change, known: first) }
            return nil
        }
        let way = Way(
            list: own.list ?? feed?.list ?? .whole, id: id, version: own.version ?? feed?.version,
            insertion: own.insertion ?? feed?.insertion.ofSend ?? .last, owner: "send `\(send.name.shortened)`", range: change.place.range,
            places: change.fieldPlaces, isOfFeed: false)
        if let first, change.isSound { check(way, of: change, against: first) }
        if first == nil { ways[ExactName(pipeline.name)] = way }
        return way
    }

    private func wayOfFeed(in pipeline: DeclaredPipeline) -> Way? {
        guard !pipeline.feeds.isEmpty, let feed = KnownFeeds(of: pipeline, in: sources).elements.first(where: \.isMerging)?.feed,
            let merging = feed.merging
        else { return nil }
        return Way(
            list: merging.list, id: merging.id, version: merging.version, insertion: merging.insertion,
            owner: "feed `\(feed.source.shortened)`", range: feed.range, places: feed.fieldPlaces, isOfFeed: true)
    }

    private func reportMissingID(of change: ChangeConfig, known: Way?) {
        let id = known?.facts.first?.written ?? "/id"
        decoder.report(
            .missingField,
            "`\(change.operation.rawValue)` in `\(change.pipeline.shortened)` needs `id`: no feed of the pipeline says where an item has its id",
            at: change.fieldPlaces.value("op") ?? change.place, help: "add `id: \(id)`")
    }

    /// A pipeline has one list, whose items are told apart in one way.
    private func check(_ way: Way, of change: ChangeConfig, against first: Way) {
        for (own, other) in zip(way.facts, first.facts) where own.written != other.written && !decoder.problems.isFull {
            let place = change.fieldPlaces.value(own.field)
            decoder.report(
                .mergedInTwoWays,
                "`\(own.field)` of `\(change.pipeline.shortened)` is not that of the \(first.owner): a pipeline is merged in one way",
                at: place ?? change.place,
                help: other.written.map { "\(place == nil ? "add" : "write") `\(own.field): \($0)`" }
                    ?? "remove it, or give the \(first.owner) the same",
                related: [Diagnostic.Related("the \(first.owner)", at: (first.places.value(own.field)?.range ?? first.range))])
        }
    }
}

extension MergePolicy.Insertion {
    /// The place where a send puts a new item; nil for a feed's that is none.
    fileprivate var ofSend: MergePolicy.Insertion? {
        switch self {
        case .first, .last, .sorted: self
        default: nil
        }
    }
}
