internal import Pipeline
import PipelineComposing
internal import PipelineConfig

/// The rules for one test.
struct ScenarioChecker {
    let test: Scenario
    let document: ScenarioDocument
    let plan: Plan
    let pipeline: PipelinePlan
    let decoder: FieldDecoder
    let orderNames: [String]
    private let sources: [ExactName: SourceConfig]
    private let sourceNames: [String]
    /// The pipelines that this one is made from.
    private let parts: [PipelinePlan]
    /// Indicates whether the test scripts a source that there is not, which is reported: that may be meant for one that seems to have no
    /// script.
    let scriptsUnknownSource: Bool

    init(_ test: Scenario, of pipeline: PipelinePlan, in rules: ScenarioRules) {
        let sources = rules.sources
        (self.test, self.pipeline, self.sources) = (test, pipeline, sources)
        (document, plan, decoder, orderNames) = (rules.document, rules.plan, rules.decoder, rules.orderNames)
        sourceNames = rules.holding + pipeline.tiers.map(\.source).filter(\.isComposite).map(\.name)
        parts = pipeline.combine == nil && pipeline.links.isEmpty ? [] : plan.made(of: [pipeline])
        let set = test.steps.lazy.flatMap { step in if case .set(let scripts) = step.action { scripts.names } else { [String]() } }
        scriptsUnknownSource = test.given.names.contains { sources[ExactName($0)] == nil } || set.contains { sources[ExactName($0)] == nil }
    }

    private var scriptable: [String] { plan.sources.map(\.name) }

    func check() {
        checkScripts(test.given)
        var scripted = Set(test.given.names)
        var reported: Set<String> = []
        var started: Set<String> = []
        var open: [String: TextRange] = [:]
        var sent: [String: TextRange] = [:]
        for step in test.steps {
            check(step, started: &started)
            checkNames(of: step, &open)
            checkSends(of: step, &sent)
            switch step.action {
            case .set(let scripts): scripted.formUnion(scripts.names)
            case .fetch(let fetch): checkOrigins(fetch, at: step, scripted, &reported)
            case .start(let start): checkOrigins(start.fetch, at: step, scripted, &reported)
            case .send(let send): checkTarget(of: send, at: step, scripted, &reported)
            default: break
            }
        }
        let orders: [String?] = test.orders.isEmpty ? [nil] : test.orders.map(\.value)
        let areKnown = test.orders.allSatisfy { orderNames.contains($0.value) }
        if test.isSound, areKnown, !test.steps.contains(where: { $0.expectsSomething(in: orders, of: orderNames) }) {
            decoder.report(
                .pointlessTest, "the test `\(test.name.value.shortened)` expects nothing, so that it cannot fail", range: test.name.range,
                help: "say what a fetch gives, as in `fetch: { from: memory }`, or what a source holds with `expect`")
        }
    }

    private func check(_ step: ScenarioStep, started: inout Set<String>) {
        switch step.action {
        case .fetch(let fetch): check(fetch, at: step)
        case .send(let send): check(send, at: step)
        case .put(let put): checkArguments(put.arguments, at: step)
        case .remove(let arguments): checkArguments(arguments, at: step)
        case .set(let scripts): checkScripts(scripts)
        case .start(let start):
            check(start.fetch, at: step)
            started.insert(start.name.value)
        case .finish(let finishes):
            for finish in finishes.members {
                checkStarted(finish.name, at: finish.range, started)
                check(finish.value)
            }
        case .cancel(let names): for name in names { checkStarted(name.value, at: name.range, started) }
        case .expect(let expectations): for member in expectations.members { check(member) }
        case .message(let messages):
            for member in messages.members {
                checkFeed(member.name, at: member.range)
                guard let arguments = member.value.arguments, let fed = ([pipeline] + parts).first(fedBy: member.name) else { continue }
                checkArguments(arguments, of: fed, at: step)
            }
        case .disconnect(let names), .reconnect(let names): for name in names { checkFeed(name.value, at: name.range) }
        case .restart(let ending), .flush(let ending): for source in ending.unwritten { checkSource(source.value, at: source.range) }
        case .wait, .clear, .kill, .wall, .retry, .drop: break
        }
    }

    /// Reports a fetch that is started under the name of one that has not been finished.
    private func checkNames(of step: ScenarioStep, _ open: inout [String: TextRange]) {
        switch step.action {
        case .start(let start):
            guard let first = open.updateValue(start.name.range, forKey: start.name.value) else { return }
            decoder.report(
                .repeatedTest, "two fetches are called `\(start.name.value.shortened)`", range: start.name.range,
                help: "give one of them another name", related: [Diagnostic.Related("the first is here", at: first)])
        case .finish(let finishes): for finish in finishes.members { open[finish.name] = nil }
        case .kill, .restart: open = [:]
        default: break
        }
    }

    private func checkStarted(_ name: String, at range: TextRange, _ started: Set<String>) {
        guard !started.contains(name) else { return }
        reportUnknown("fetch", name, at: range, among: started.sorted(), plural: "fetches that were started")
    }
}

extension ScenarioChecker {
    private func check(_ fetch: FetchStep, at step: ScenarioStep) {
        checkArguments(fetch.arguments, at: step)
        for source in fetch.order?.value ?? [] { checkSource(source.value, at: source.range) }
        check(fetch.expected)
    }

    private func check(_ expected: FetchExpectation) {
        checkOrders(expected)
        for list in expected.parts?.values(of: orderNames) ?? [] { checkEndings(list.value) }
        for list in expected.sends?.values(of: orderNames) ?? [] { checkSends(list.value) }
        for source in expected.source?.values(of: orderNames) ?? [] { checkSource(source.value, at: source.range) }
        for list in expected.tiers?.values(of: orderNames) ?? [] { check(list.value, among: Attempt.Outcome.allCases.map(\.rawValue)) }
        for list in expected.writes?.values(of: orderNames) ?? [] { check(list.value, among: WriteRecord.Outcome.allCases.map(\.rawValue)) }
        if pipeline.policy.format == .json {
            for value in expected.value?.values(of: orderNames) ?? [] { checkJSON(value) }
        }
    }

    private func checkJSON(_ value: Placed<ScenarioText>) {
        guard PayloadFormat.json.problem(of: value.value.bytes) != nil else { return }
        let word = value.value.isPlain && OriginAnswer.words.contains(value.value.text) ? value.value.text : nil
        decoder.report(
            .notAllowed, "`\(value.value.text.shortened)` is not JSON, which every value of the pipeline `\(pipeline.name.shortened)` is",
            range: value.range,
            help: word == "not_found"
                ? "write `not_found: true`" : word == "error" ? "write `error: true`" : "quote text within JSON: `'\"text\"'`")
    }

    private func checkEndings(_ words: [Placed<TraceWord>]) {
        let known = PartOutcome.Ending.allCases.filter { $0 != .value }.map(\.rawValue)
        for word in words where !known.contains(word.value.outcome) {
            reportUnknown("outcome", word.value.outcome, at: word.range, written: word.outcomeRange, among: known)
        }
    }

    private func check(_ words: [Placed<TraceWord>], among outcomes: [String]) {
        for word in words {
            checkSource(word.value.source, at: word.range, written: word.sourceRange)
            guard !outcomes.contains(word.value.outcome) else { continue }
            reportUnknown("outcome", word.value.outcome, at: word.range, written: word.outcomeRange, among: outcomes)
        }
    }

    private func check(_ member: NamedValues<SourceExpectation>.Member) {
        checkSource(member.name, at: member.range)
        let expected = member.value
        checkOrders(expected)
        for held in expected.holds?.values(of: orderNames) ?? [] { checkKeys(held.value, at: held.range) }
        for list in expected.sends?.values(of: orderNames) ?? [] { checkSends(list.value) }
        guard let source = source(member.name), let problem = problem(of: expected, in: source) else { return }
        decoder.report(.notAllowed, "`\(member.name.shortened)` \(problem.words)", range: member.range, help: problem.help)
    }

    /// What is expected of a source that it cannot have.
    private func problem(of expected: SourceExpectation, in source: SourceConfig) -> (words: String, help: String)? {
        let ofSource = expected.calls != nil || expected.reads != nil || expected.writes != nil || expected.cancelled != nil
        if source.keepsSends {
            let isOther = ofSource || expected.holds != nil || expected.ids != nil || expected.bodies != nil
            return isOther ? ("keeps sends, and is asked for no values", "expect `{ sends: […] }` of it, or `empty`") : nil
        }
        if expected.sends != nil { return ("keeps no sends", "expect `{ calls: 1 }` of it") }
        if expected.ids != nil || expected.bodies != nil, !takesSends(source) {
            return ("takes no sends", "expect `{ calls: 1 }` of it")
        }
        if source.isWritable == false, expected.isEmpty != nil || expected.holds != nil {
            return ("is an origin, which holds no copies", "expect `{ calls: 1 }` of it")
        }
        return nil
    }

    /// Reports a name that no change source of the pipeline has.
    private func checkFeed(_ name: String, at range: TextRange) {
        let known = ([pipeline] + parts).flatMap(\.feeds).map(\.source).filter { !$0.isReal }.map(\.name)
        guard !known.contains(name) else { return }
        if sourceNames.contains(name) {
            decoder.report(
                .notAllowed, "`\(name.shortened)` reports no changes", range: range,
                help: NearestName.help(for: name, among: known, noun: "change sources"))
        } else {
            reportUnknown("change source", name, at: range, among: known)
        }
    }

    /// Reports names of orders that there are not.
    func checkOrders(_ expected: some OrderedExpectation) {
        for order in expected.unknownOrders(of: orderNames) { reportUnknown("order", order.name, at: order.range, among: orderNames) }
    }
}

extension ScenarioChecker {
    private func checkScripts(_ scripts: NamedValues<SourceScript>) {
        for member in scripts.members {
            guard let source = source(member.name) else {
                reportUnknown("source", member.name, at: member.range, among: scriptable)
                continue
            }
            if source.tellsOfChanges == true {
                checkFeedScript(member)
                continue
            }
            if source.keepsSends {
                checkOutboxScript(member)
                continue
            }
            checkSendAnswers(member, of: source)
            switch member.value.content {
            case .answers, .answersByArguments:
                if source.isWritable == true {
                    decoder.report(
                        .notAllowed, "`\(member.name.shortened)` is a cache, which answers what it holds", range: member.value.range,
                        help: "write `{ holds: '…' }`, or `{ down: true }`")
                }
                if case .answersByArguments(let answers) = member.value.content {
                    for answer in answers { checkKey(answer.arguments, of: source) }
                }
            case .cache(let cache): check(cache, of: source, at: member)
            }
        }
    }

    /// Checks the script of a change source, which says only when it is down.
    private func checkFeedScript(_ member: NamedValues<SourceScript>.Member) {
        if let script = member.value.cache, script.down != nil, script.holds == nil, script.takes == nil { return }
        decoder.report(
            .notAllowed, "`\(member.name.shortened)` reports changes, which are the step `message`", range: member.value.range,
            help: "write `{ down: true }`, or `{ down: { from: 0s, for: 20s } }`")
    }

    private func check(_ cache: CacheScript, of source: SourceConfig, at member: NamedValues<SourceScript>.Member) {
        if source.isWritable == false {
            decoder.report(
                .notAllowed, "`\(source.name.shortened)` is an origin, which holds no copies", range: member.value.range,
                help: "write what it answers: `\(source.name.shortened): '…'`, or `{ error: status 500 }`")
        }
        if source.isReal, cache.down != nil || cache.takes != nil {
            decoder.report(
                .notAllowed, "`\(source.name.shortened)` is memory, which always answers at once", range: member.value.range,
                help: "remove `down` and `takes`")
        }
        if let held = cache.holds { checkKeys(held, at: member.value.range) }
    }

    private func checkKeys(_ held: HeldCopies, at range: TextRange) {
        for (arguments, _) in held.copies {
            if let arguments {
                checkKey(arguments)
            } else if let missing = pipeline.missingParameters(besides: []).first {
                decoder.report(
                    .unknownInTest, "the key of this copy needs the parameter `\(missing.shortened)`", range: range,
                    help: "write `{ \(missing.shortened)=…: '…' }`")
            }
        }
    }

    /// - Parameter source: the source that is asked; nil for one that holds copies.
    private func checkKey(_ text: Placed<String>, of source: SourceConfig? = nil) {
        let arguments = ArgumentText(text.value).arguments
        let ofSends = plan.sends.filter { $0.target === source }.flatMap(\.parameters).map(\.name)
        // The sources of its parts are asked, too.
        checkNames(arguments.map(\.name), of: [pipeline] + parts, or: ofSends, at: { _ in text.range })
        // The keys of parts, and sends, have parameters of their own.
        guard pipeline.combine == nil, source.map(takesSends) != true else { return }
        for missing in pipeline.missingParameters(besides: arguments.map(\.name)) {
            decoder.report(
                .unknownInTest, "`\(text.value.shortened)` lacks the parameter `\(missing.shortened)`", range: text.range,
                help: "write `\(text.value.shortened),\(missing.shortened)=…`")
        }
    }

    /// - Parameter other: the pipeline whose key they are of; nil for the tested one.
    private func checkArguments(_ arguments: NamedValues<ScenarioText>, of other: PipelinePlan? = nil, at step: ScenarioStep) {
        let pipeline = other ?? pipeline
        checkNames(arguments.members.map(\.name), of: [pipeline]) { arguments.members[$0].range }
        for missing in pipeline.missingParameters(besides: arguments.members.map(\.name)) {
            decoder.report(
                .unknownInTest, "`\(step.word)` needs the parameter `\(missing.shortened)` of the pipeline `\(pipeline.name.shortened)`",
                range: step.range, help: "add `with: { \(missing.shortened): … }`")
        }
    }

    private func checkNames(_ names: [String], of pipelines: [PipelinePlan], or others: [String] = [], at range: (Int) -> TextRange) {
        let known = Set(pipelines.flatMap { $0.parameters.map(\.name) } + others).sorted()
        for (index, name) in names.enumerated() where !known.contains(name) {
            reportUnknown("parameter", name, at: range(index), among: known)
        }
    }

    /// Reports the origins that the fetch asks and that have no script.
    private func checkOrigins(_ fetch: FetchStep, at step: ScenarioStep, _ scripted: Set<String>, _ reported: inout Set<String>) {
        if fetch.policy == .cacheOnly || fetch.policy == .offline || scriptsUnknownSource { return }
        let named = test.orders.compactMap { document.orders[$0.value]?.map(\.value) }
        let orders = fetch.order.map { [$0.value.map(\.value)] } ?? named
        let asked = orders.isEmpty ? [pipeline.tiers] : orders.compactMap { try? pipeline.asking($0, from: plan.sources).tiers }
        let isWhole = asked.joined().contains { $0.source.isComposite && $0.policy.reads }
        for asked in asked + (isWhole ? parts.map(\.tiers) : []) {
            for tier in asked
            where !tier.source.isComposite && tier.source.isWritable == false && tier.policy.reads && !tier.source.alwaysAnswers {
                checkOrigin(tier.source.name, at: step, scripted, &reported)
            }
        }
    }

    /// Reports an origin that has no script, once.
    func checkOrigin(_ name: String, at step: ScenarioStep, _ scripted: Set<String>, _ reported: inout Set<String>) {
        guard !scripted.contains(name), reported.insert(name).inserted else { return }
        decoder.report(
            .unscriptedOrigin, "`\(step.word)` asks the origin `\(name.shortened)`, and nothing says what it answers",
            range: step.range, help: "add `\(name.shortened): '…'` to `given`, or `\(name.shortened): error`")
    }

    private func source(_ name: String) -> SourceConfig? { sources[ExactName(name)] }

    @discardableResult
    private func checkSource(_ name: String, at range: TextRange, written place: TextRange? = nil) -> Bool {
        if sourceNames.contains(name) { return true }
        reportUnknown("source", name, at: range, written: place, among: sourceNames)
        return false
    }

    func reportUnknown(
        _ noun: String, _ name: String, at range: TextRange, written place: TextRange? = nil, among known: [String], plural: String? = nil
    ) {
        decoder.reportUnknown(.unknownInTest, noun, name, at: range, written: place, among: known, plural: plural)
    }
}

extension [PipelinePlan] {
    /// The first pipeline that the change source called `source` feeds; nil if it feeds none.
    func first(fedBy source: String) -> PipelinePlan? { first { $0.feeds.contains { $0.source.name == source } } }
}

extension PipelinePlan {
    /// The parameters without a default that are not among these.
    fileprivate func missingParameters(besides given: [String]) -> [String] {
        parameters.filter { $0.defaultValue == nil && !given.contains($0.name) }.map(\.name)
    }
}
