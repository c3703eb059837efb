internal import Pipeline
import PipelineSending

/// Brings sends together with the sources that they name and the pipelines that they change, and finds what does not fit.
struct SendPlanner {
    private let pipelines: [DeclaredPipeline]
    private let sources: SourceTable
    private let outboxes: [SourceConfig]
    private let decoder: FieldDecoder
    /// Made with the first change: most files have none.
    private lazy var changePlanner = ChangePlanner(pipelines: pipelines, sources: sources, decoder: decoder)
    /// Whether it is reported that there is no outbox: the others lack the same one.
    private var lacksOutbox = false
    /// The places of the sources that sends use, in the order of the file.
    private(set) var used: Set<Int> = []
    /// The names in sends that are those of no source.
    private(set) var undefined: [String] = []

    init(pipelines: [DeclaredPipeline], sources: SourceTable, decoder: FieldDecoder) {
        (self.pipelines, self.sources, self.decoder) = (pipelines, sources, decoder)
        outboxes = sources.all.filter(\.keepsSends)
    }

    /// Checks `send`, and plans it; nil where a source of it is not known.
    mutating func plan(_ send: SendConfig) -> SendPlan? {
        guard !decoder.problems.isFull else { return nil }
        let target = target(of: send)
        let outbox = outbox(of: send)
        checkTimes(of: send)
        if let scope = send.fields.scope { decoder.checkUses(scope.uses, in: send) }
        let changes = send.fields.changes.changes.compactMap { change in
            changePlanner.plan(change, of: send).map { (change: $0, range: change.place.range) }
        }
        if send.isSound, send.fields.changes.isComplete {
            checkCondition(of: send)
            checkConflict(of: send)
        }
        guard let target, let outbox else { return nil }
        return SendPlan(send, to: target, outbox: outbox, changes: changes)
    }

    /// The source called `name`, which is used then; nil, and reported, if there is none.
    private mutating func use(_ name: String, at place: ConfigPlace) -> SourceConfig? {
        if let index = sources.index(of: name) {
            used.insert(index)
            return sources.all[index]
        }
        undefined.append(name)
        decoder.reportUndefined(name, at: place, among: sources, by: "a send")
        return nil
    }
}

extension SendPlanner {
    private mutating func target(of send: SendConfig) -> SourceConfig? {
        let place = send.fieldPlaces.value(ofSend: .to) ?? send.place
        guard let source = use(send.fields.to, at: place), source.capabilities != nil else { return nil }
        // What is wrong with its fields has been reported; of those that have no value nothing is known.
        guard source.isSoundInForm, source.making != nil else { return source }
        guard let sending = source.sending, sending.isWrite else {
            if source.sending != nil, !source.isSound { return source }
            report(source, at: place)
            return nil
        }
        let declared = Set(send.fields.parameters.parameters.map(\.name))
        if send.hasAllParameters { decoder.checkUses(source.undeclaredUses(among: declared), in: send, through: source) }
        if sending.mayWriteTwice, sending.repetition == .never {
            let name = source.name.shortened
            decoder.report(
                .unrepeatableSend,
                "`\(name)` may not repeat a `\(sending.method)`: after a lost answer, a send is held until a person decides", at: place,
                help: "write `idempotent: true` under `\(name)` where the origin recognises a repeated id, or allow the warning",
                related: [Diagnostic.Related("the source is declared here", at: source.range)])
        }
        return source
    }

    /// Reports that `source` takes no sends.
    private func report(_ source: SourceConfig, at place: ConfigPlace) {
        let name = source.name.shortened
        let reason =
            if let sending = source.sending {
                "its method is `\(sending.method)`"
            } else if source.keepsSends {
                "it is an outbox"
            } else if source.isWritable == true {
                "it is a cache"
            } else if source.tellsOfChanges == true {
                "it reports changes"
            } else {
                "a source of the type `\(source.type ?? "")` only reads"
            }
        let others = sources.all.filter { $0.sending?.isWrite == true }.prefix(20).map { "`\($0.name.shortened)`" }.joined(separator: ", ")
        let other = others.isEmpty ? nil : "name one that does: \(others)"
        let edit = source.sending == nil ? nil : "write `method: POST` under `\(name)`"
        let helps = [edit, other].compactMap(\.self)
        decoder.report(
            .misplacedSend, "`\(name)` takes no sends: \(reason)", at: place,
            help: helps.isEmpty
                ? "name a source of the type `http` whose method is `POST`, `PUT`, `PATCH` or `DELETE`" : helps.joined(separator: ", or "),
            related: [Diagnostic.Related("the source is declared here", at: source.range)])
    }

    private mutating func outbox(of send: SendConfig) -> SourceConfig? {
        let place = send.fieldPlaces.value(ofSend: .outbox)
        if let place {
            guard let name = send.fields.outbox, let source = use(name, at: place), source.capabilities != nil else { return nil }
            if source.keepsSends { return source }
            decoder.report(
                .misplacedSend, "`\(source.name.shortened)` is no outbox", at: place,
                help: outboxes.isEmpty ? Self.declaration : "name one: \(listed(outboxes))",
                related: [Diagnostic.Related("the source is declared here", at: source.range)])
            return nil
        }
        if outboxes.count == 1, let index = sources.index(of: outboxes[0].name) {
            used.insert(index)
            return outboxes[0]
        }
        // A source of an unknown type may be the one.
        guard sources.all.allSatisfy({ $0.capabilities != nil }), !decoder.known.lacksSources, !lacksOutbox else { return nil }
        let name = send.name.shortened
        lacksOutbox = outboxes.isEmpty
        decoder.report(
            .misplacedSend,
            outboxes.isEmpty
                ? "there is no outbox that keeps the send `\(name)` until it is done"
                : "the send `\(name)` does not say which outbox keeps it: there are \(listed(outboxes))", at: send.place,
            help: outboxes.isEmpty ? Self.declaration : "add `outbox: \(outboxes[0].name.inFlow.shortened)`")
        return nil
    }

    private func listed(_ sources: [SourceConfig]) -> String {
        sources.prefix(20).map { "`\($0.name.shortened)`" }.joined(separator: ", ")
    }

    private static let declaration = "declare one under `sources`: `outbox: { type: outbox, path: .state/outbox.db }`"
}

extension SendPlanner {
    /// Times that undo each other.
    private func checkTimes(of send: SendConfig) {
        let (debounce, name) = (send.fields.debounce, send.name.shortened)
        guard send.isSound, let most = send.fields.maxDelay, let place = send.fieldPlaces.value(ofSend: .maxDelay) else { return }
        if debounce == .zero {
            decoder.report(
                .pointlessLimit, "`max_delay` of `\(name)` has no effect: without `debounce` a send does not wait", at: place,
                help: "add `debounce`, or remove `max_delay`")
        } else if most <= debounce {
            decoder.report(
                .pointlessLimit, "`debounce` of `\(name)` has no effect: `max_delay` is over first",
                at: send.fieldPlaces.value(ofSend: .debounce) ?? place,
                help: "make it shorter than \(most.spelling), or `max_delay` longer",
                related: [Diagnostic.Related("the longest delay", at: place.range)])
        }
    }

    /// A condition on a value that nobody has seen.
    private func checkCondition(of send: SendConfig) {
        let changes = send.fields.changes.changes
        let reason: String
        switch send.fields.condition {
        case .none: return
        case .pointer where !changes.isEmpty && changes.allSatisfy { $0.operation == .refresh }:
            reason = "no change of it has an item"
        default:
            guard changes.isEmpty else { return }
            reason = "without `changes` no value has been seen"
        }
        guard let place = send.fieldPlaces.value(ofSend: .ifMatch) else { return }
        decoder.report(
            .pointlessLimit, "`if_match` of `\(send.name.shortened)` has no effect: \(reason)", at: place,
            help: "add to `changes` what the send does to a value, or remove `if_match`")
    }

    /// What was changed by others meanwhile is in no whole item.
    private func checkConflict(of send: SendConfig) {
        guard send.fields.onConflict == .refetch, let place = send.fieldPlaces.value(ofSend: .onConflict),
            let change = send.fields.changes.changes.first(where: { $0.operation == .upsert || $0.operation == .replace })
        else { return }
        let whole = change.operation == .upsert ? "item" : "value"
        decoder.report(
            .overwritingRefetch,
            "`refetch` sends the whole \(whole) again, which overwrites what others have changed in it meanwhile", at: place,
            help: "write `on_conflict: fail`, or send only what changes, with `op: patch`",
            related: change.fieldPlaces.value("op").map {
                [Diagnostic.Related("`\(change.operation.rawValue)` has the whole \(whole)", at: $0.range)]
            } ?? [])
    }
}

extension FieldDecoder {
    /// Reports the uses of parameters that `send` does not declare.
    ///
    /// - Parameter source: the source in whose fields they stand; nil for those of the send itself.
    func checkUses(_ uses: [ParameterUse], in send: SendConfig, through source: SourceConfig? = nil) {
        guard send.hasAllParameters else { return }
        let declared = send.fields.parameters.parameters.map(\.name)
        let related = source.map { _ in [Diagnostic.Related("the send that names this source in `to`", at: send.place.range)] } ?? []
        for use in uses where !declared.contains(use.parameter) && !problems.isFull {
            if source == nil, ["key", "pipeline"].contains(use.parameter) {
                report(
                    .undeclaredParameter, "`{\(use.parameter)}` stands in templates of sources, and not in sends", at: use.place,
                    help: "name parameters of the send `\(send.name.shortened)`, or write a text")
                continue
            }
            reportUndeclared(
                use, of: "send `\(send.name.shortened)`", declaring: declared, besides: source == nil ? [] : ["key", "pipeline"],
                related: related)
        }
    }
}
