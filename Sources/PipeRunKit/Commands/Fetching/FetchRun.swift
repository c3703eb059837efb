internal import ArgumentParser
internal import Pipeline
import PipelineComposing
internal import PipelineConfig
internal import PipelineJSON
internal import PipelineServer

/// The fetches of one `fetch` command, and what they print.
struct FetchRun: Sendable {
    let key: Key
    let pipeline: DataPipeline
    let pipelines: Pipelines
    let policy: FetchPolicy
    /// The priority of the fetch; nil for the pipeline's own.
    let priority: Priority?
    let timeout: Duration?
    let count: Int
    let following: [String]
    /// The place of the value that is printed; nil for all of it.
    let selection: JSONPointer?
    /// Indicates whether an answer that lacks something is a failure.
    let isStrict: Bool
    let output: FetchOutput
    let showsTrace: Bool
    let unwritten: UnwrittenReport
    let answer: PrintedAnswer
    /// The process that gets what runs in the background; nil if this one waits for it.
    let background: BackgroundFetch?
    let swaps: SourceSwaps
    /// Indicates whether the sources are asked in an order of the caller, and not in the file's.
    var isOrdered = false
    /// The recorder of fetches; nil if they are not recorded.
    var recorder: FetchRecorder?
    /// Prints problems of the file that showed only now.
    var showProblems: @Sendable ([Diagnostic]) -> Void = { _ in }

    /// Fetches as often as asked; gives the exit code of the worst outcome, nil if all went well.
    func run() async throws -> ExitCode? {
        if background != nil { for pipeline in involved { pipeline.holdRefreshes() } }
        var worst: ExitCode?
        for number in 1...count {
            let outcome = try await fetch()
            worst = worse(worst, outcome)
            if output == .raw, let problem = try await printPayload(of: outcome) { worst = worst ?? problem }
            if output == .raw, number == count, outcome.isValue { answer.note(worst) }
            if number < count {
                try await unwritten.settle(outcome)
                try await report(outcome, writes: outcome.writes, isRefreshing: false)
            } else {
                // What is printed last is final: nothing is on its way any more, unless a cache hangs.
                let isRefreshing = try await leaveOrFinishRefreshes()
                try await unwritten.flush(pipelines)
                try await report(outcome, writes: unwritten.final(outcome.writes), isRefreshing: isRefreshing)
            }
        }
        return worst
    }

    /// Fetches once, and records it.
    private func fetch() async throws -> Outcome {
        guard let recorder else { return try await fetchShowingProgress() }
        let begun = recorder.now
        let outcome = try await fetchShowingProgress()
        recorder.note(outcome, policy: policy, begun: begun)
        return outcome
    }

    /// The pipeline and those that its values may be made from: their refreshes run in the background, too.
    private var involved: [DataPipeline] { [pipeline] + pipelines.all.filter { $0 !== pipeline } }

    /// Fetches once; a terminal shows how much of a long download has come.
    private func fetchShowingProgress() async throws -> Outcome {
        guard following.isEmpty else {
            return try await pipeline.fetch(key, following: following, policy: policy, priority: priority, timeout: timeout)
        }
        guard Console.error.isTerminal else {
            return try await pipeline.fetch(key, policy: policy, priority: priority, timeout: timeout)
        }
        let line = ProgressLine()
        defer { line.erase() }
        return try await pipeline.fetch(key, policy: policy, priority: priority, timeout: timeout) { line.show($0) }
    }

    /// Leaves what runs in the background to another process, or waits for it. Whether it goes on.
    private func leaveOrFinishRefreshes() async throws -> Bool {
        guard involved.contains(where: \.hasBackgroundWork) else { return false }
        if let background, background.start() { return true }
        for pipeline in involved { pipeline.startHeldRefreshes() }
        try await finishRefreshes()
        return false
    }

    /// Waits for the refreshes in the background, no longer than a fetch may take, and not when the task is cancelled.
    private func finishRefreshes() async throws {
        let clock = PipelineClock.system
        // Leaving the wait cancels no refresh. Refreshes have time limits of their own, and are cancelled when the pipelines are shut down.
        try await clock.race(until: timeout.map { clock.now + $0 }, late: {}) { [involved] in
            for pipeline in involved { await pipeline.finishRefreshes() }
        }
        // Without a limit, a wait that is cancelled ends as if the refreshes had.
        try Task.checkCancellation()
    }

    /// Prints the value, or what is at the place that was asked for. Gives the exit code where nothing is there.
    private func printPayload(of outcome: Outcome) async throws -> ExitCode? {
        guard case .value(let entry) = outcome.result, let payload = entry.payload else { return nil }
        switch selected(in: payload) {
        case .bytes(let bytes):
            try await print(bytes)
            if bytes.last != UInt8(ascii: "\n"), Console.output.isTerminal || count > 1 { try await print([UInt8(ascii: "\n")]) }
            return nil
        case .nothing(let pointer):
            say("`\(key)` has nothing at `\(pointer)`")
            return ExitStatus.notFound
        case .problem(let pointer, let message):
            say("`\(key)` at `\(pointer)`: \(message)")
            return ExitStatus.no
        }
    }

    /// Prints bytes, which a reader may hold up. Throws when the task is cancelled meanwhile: what waits is to be written then.
    private func print(_ bytes: [UInt8]) async throws {
        if await !Console.output.stream(bytes) { try Task.checkCancellation() }
    }

    /// The bytes at the place that was asked for, or the reason why there are none.
    private enum Selected {
        case bytes([UInt8])
        case nothing(JSONPointer)
        case problem(JSONPointer, message: String)
    }

    private func selected(in payload: [UInt8]) -> Selected {
        guard let selection else { return .bytes(payload) }
        do throws(JSONScanner.Problem) {
            guard let place = try JSONScanner.place(of: selection, in: payload) else { return .nothing(selection) }
            return .bytes(Array(payload[place.range]))
        } catch {
            return .problem(selection, message: error.message)
        }
    }

    /// - Parameter writes: those of the outcome, as they are printed.
    private func report(_ outcome: Outcome, writes: [WriteRecord], isRefreshing: Bool) async throws {
        let redactor = pipelines.redactor
        if output == .envelope {
            let isCombined = pipeline.spec.combine != nil || !following.isEmpty
            let format = pipeline.spec.policy.format
            let envelope = Envelope(outcome, writes: writes, format: format, isCombined: isCombined, redactor: redactor)
            try await print(Array((envelope.line + "\n").utf8))
        }
        if showsTrace {
            let printer = TracePrinter(hasColour: Console.error.hasColour, redactor: redactor)
            let text = Console.shown(printer.text(outcome, writes: writes, isRefreshing: isRefreshing).withLongWordsCut)
            if await !Console.error.stream(text) { try Task.checkCancellation() }
        }
        unwritten.note(outcome.writes)
        switch outcome.result {
        case .failed(let error):
            say("\(error)")
            showProblems(outcome.lacks)
        case .notFound:
            let words = whyNoOrigin(outcome) ?? " not found" + whyNoCache(outcome)
            say("`\(key)`" + words + whyNoFile(outcome) + outcome.whyNoPart(of: pipeline.spec, policy), help: helpForCaches(outcome))
            reportFailedWrites(of: outcome)
        case .value:
            for line in outcome.lackLines { say(line) }
            for note in absentLinks(of: outcome) { say("note: " + note) }
            reportOffline(outcome)
            reportFailedWrites(of: outcome)
        }
    }

    /// Says something to people, with secrets masked and long words cut, such as a key.
    private func say(_ message: String, help: String? = nil) {
        Console.say(pipelines.redactor.redacted(message).withLongWordsCut, help: help)
    }

    /// The links that were to be followed and whose place leads nowhere in the value.
    private func absentLinks(of outcome: Outcome) -> [String] {
        let absent = outcome.links.filter { $0.pipeline == nil && $0.path.names.count == 1 }.compactMap(\.path.names.first)
        return pipeline.spec.links.filter { absent.contains($0.name) }.compactMap { pipeline.noteOfAbsence(of: $0, in: outcome) }
    }

    /// The reason why an order that asks caches alone gave no answer; nil for another order.
    private func whyNoOrigin(_ outcome: Outcome) -> String? {
        let tiers = pipeline.spec.tiers
        guard isOrdered, policy != .cacheOnly, outcome.source == nil, !tiers.contains(where: \.source.isOrigin) else { return nil }
        return " not in \(tiers.map { "`\($0.name)`" }.joined(separator: ", ")); the order asks no origin" + expiredCopies(of: outcome)
    }

    /// Says how old a copy is that no origin was asked about.
    private func reportOffline(_ outcome: Outcome) {
        guard policy == .offline, !showsTrace, output == .raw, let age = outcome.age, let source = outcome.source else { return }
        Console.say("offline: the copy in `\(source)` is \(TracePrinter.words(age)) old")
    }

    /// The reason for an answer without origins: the caches have no fresh copy.
    private func whyNoCache(_ outcome: Outcome) -> String {
        guard policy == .cacheOnly else { return "" }
        return " in the caches, and origins were not asked" + expiredCopies(of: outcome)
    }

    private func expiredCopies(of outcome: Outcome) -> String {
        let expired = outcome.attempts.filter { $0.outcome == .expired }.map { "the copy in `\($0.source)` \($0.reason ?? "expired")" }
        return expired.isEmpty ? "" : "; " + expired.joined(separator: ", ")
    }

    /// A file that is not there is most often one that was meant to be.
    private func whyNoFile(_ outcome: Outcome) -> String {
        let missing = outcome.attempts.filter { $0.outcome == .miss || $0.outcome == .notFound }.compactMap { attempt in
            swaps.file(for: key, of: attempt.source).map { "no file `\($0)`, which stands in for `\(attempt.source)`" }
        }
        return missing.isEmpty ? "" : ": " + missing.joined(separator: ", ")
    }

    private func helpForCaches(_ outcome: Outcome) -> String? {
        policy == .cacheOnly && outcome.source == nil ? "leave out `--policy cache-only` to ask the origins" : nil
    }

    /// The trace shows them too; without it, a cache that cannot be written would go unnoticed.
    private func reportFailedWrites(of outcome: Outcome) {
        guard !showsTrace, output == .raw else { return }
        for write in outcome.writes where write.outcome == .failed {
            say("warning: not written to `\(write.source)`: \(write.reason ?? "")")
        }
    }

    private func worse(_ worst: ExitCode?, _ outcome: Outcome) -> ExitCode? {
        switch outcome.result {
        case .value: isStrict && !outcome.isComplete ? ExitStatus.no : worst
        case .notFound: worst ?? ExitStatus.notFound
        case .failed: outcome.lacks.isEmpty ? ExitStatus.no : ExitStatus.badConfiguration
        }
    }
}

extension Outcome {
    /// The variables and files that sources which were asked need and do not have.
    fileprivate var lacks: [Diagnostic] {
        let own = attempts.compactMap(\.error).flatMap { (($0 as? SourceError)?.cause as? ConfigError)?.diagnostics ?? [] }
        return own + parts.compactMap(\.outcome).flatMap(\.lacks)
    }

    fileprivate var isValue: Bool {
        if case .value = result { true } else { false }
    }
}

extension [PartOutcome] {
    /// A line for each part that failed and that the answer does without. The targets of a link that failed for one reason share a line, which
    /// counts them.
    var lackLines: [String] {
        var groups: [LackGroup: [PartOutcome]] = [:]
        var order: [LackGroup] = []
        for (number, part) in filter(\.isDegraded).enumerated() {
            let group = LackGroup(part, number)
            if groups[group] == nil { order.append(group) }
            groups[group, default: []].append(part)
        }
        return order.compactMap { groups[$0] }.compactMap { parts in
            parts.first.map { Self.line($0, and: parts.count - 1) }
        }
    }

    private static func line(_ part: PartOutcome, and others: Int) -> String {
        let place = part.at.isEmpty ? "a part from `\(part.pipeline)`" : "`\(part.at)`"
        let reason = part.problem.map { ": \($0.message)" } ?? ""
        if others == 0 { return "incomplete: \(place) \(part.usesDefault ? "is its default" : "is left out")\(reason)" }
        return "incomplete: \(place) and \(others) more \(part.usesDefault ? "are their defaults" : "are left out")\(reason)"
    }
}

extension Outcome {
    /// The places that the answer does without, because of parts that failed: a line for each.
    var lackLines: [String] { parts.lackLines }

    /// The part without a value because of which there is no composite, in words that stand behind those for its absence. Empty if that is
    /// not known.
    ///
    /// - Parameter policy: the policy of the fetch of the composite.
    func whyNoPart(of spec: PipelineSpec, _ policy: FetchPolicy) -> String {
        guard case .notFound = result, let combine = spec.combine, let part = absentPart(of: combine) else { return "" }
        let name = "`\(part.key?.text ?? part.pipeline)`"
        // Where no origin is asked, a part is known not to be there only when a cache has remembered that.
        let isKnown = policy != .cacheOnly || part.outcome?.answer != nil
        if part.at.isEmpty { return ": it is made from \(name), which \(isKnown ? "is not found" : "no cache has")" }
        let words = "its part `\(part.at)`, \(name)"
        return isKnown ? ": \(words), is not found" : ": no cache has \(words)"
    }

    /// The part without a value because of which there is no composite: one that must have a value, one that such a part needs, or the one
    /// that the composite is made of.
    private func absentPart(of combine: CompositeSpec) -> PartOutcome? {
        let specs = combine.partSpecs.map(\.spec)
        // Those of parts within come after them.
        guard parts.count >= specs.count else { return nil }
        func absent(_ index: Int) -> PartOutcome? {
            if parts[index].usesDefault { return nil }
            switch parts[index].ending {
            case .notFound: return parts[index]
            case .skipped: return combine.needs(of: specs[index]).lazy.compactMap(absent).first
            case .value, .failed: return nil
            }
        }
        let required = specs.indices.filter { !specs[$0].isOptional && specs[$0].defaultValue == nil }
        let needed = required + (combine.isMadeOfFirst ? [0] : [])
        return needed.lazy.compactMap(absent).first
    }
}

/// The facts that lines share that become one: the place but for positions in lists, and the reason but for the key.
private struct LackGroup: Hashable {
    private let pipeline: String
    private let place: String
    private let reason: String
    private let usesDefault: Bool
    /// Tells apart parts that have no place of their own.
    private let number: Int

    init(_ part: PartOutcome, _ number: Int) {
        pipeline = part.pipeline
        place = Self.withoutPositions(part.at)
        let message = part.problem?.message ?? ""
        // Of what has no key, the place of its reference.
        reason = part.key.map { message.replacing($0.text, with: "") } ?? Self.withoutPositions(message)
        usesDefault = part.usesDefault
        self.number = part.at.isEmpty ? number : -1
    }

    private static func withoutPositions(_ text: String) -> String {
        let tokens = text.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "`" }
        return tokens.map { Int($0) == nil ? $0 : "*" }.joined(separator: "/")
    }
}
