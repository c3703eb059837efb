package import Pipeline
import PipelineSending

/// Sources that others take the place of for a run: flat files, or failures.
package struct SourceSwaps: Sendable {
    private struct Swap {
        let source: String
        let standIn: String
        /// Whether it is a database, which a cache begins with, and not a value.
        let isDatabase: Bool

        /// Whether it stands for a failure and not for a file.
        var isWord: Bool { SourceSwaps.words.contains(standIn) }
    }

    /// The place of the cache of a name. A cache without a place of its own, as one in memory, stays as it is.
    package typealias Placing = @Sendable (_ source: String) throws -> CachePlace

    /// What stands for a failure.
    private static let words = ["error", "not_found", "hangs"]

    private let swaps: [Swap]
    /// The pipeline that asks other sources for this run, and these; nil where all ask those of the file.
    private var order: (pipeline: String, sources: [String])?
    /// Where each cache keeps its copies for this run; nil where all use the places that the file names.
    private(set) var place: Placing?
    private let plugins: [SourcePlugin]
    private let environment: ConfigEnvironment

    /// No swap.
    package static let none = SourceSwaps(swaps: [], plugins: [], environment: ConfigEnvironment([:]))

    private init(swaps: [Swap], plugins: [SourcePlugin], environment: ConfigEnvironment) {
        (self.swaps, self.plugins, self.environment) = (swaps, plugins, environment)
    }

    /// Reads `api=friends.json`, `api=error`, `api=not_found` and `api=hangs`.
    ///
    /// - Parameter isDatabase: whether a file is a database: a cache begins with a copy of it.
    package init(
        _ words: [String], plugins: [SourcePlugin], environment: ConfigEnvironment, isDatabase: (String) -> Bool = { _ in false }
    ) throws(SwapError) {
        var swaps: [Swap] = []
        for word in words {
            guard let equals = word.firstIndex(of: "="), equals > word.startIndex, word.index(after: equals) < word.endIndex else {
                throw SwapError(
                    message: "`\(word)` is not of the form `source=file`", help: "as in `--swap api=friends.json`, or `--swap api=error`")
            }
            let source = String(word[..<equals])
            guard !swaps.contains(where: { $0.source.hasSameBytes(as: source) }) else {
                throw SwapError(message: "the source `\(source.shortened)` is swapped twice", help: nil)
            }
            let standIn = String(word[word.index(after: equals)...])
            swaps.append(Swap(source: source, standIn: standIn, isDatabase: isDatabase(standIn)))
        }
        self.init(swaps: swaps, plugins: plugins, environment: environment)
    }

    /// These swaps, with these sources in `pipeline` for this run; nil for the sources of the file.
    package func asking(_ order: [String]?, in pipeline: String) -> SourceSwaps {
        var swaps = self
        swaps.order = order.map { (pipeline: pipeline, sources: $0) }
        return swaps
    }

    /// These swaps, with caches at other places.
    package func placing(_ place: Placing?) -> SourceSwaps {
        var swaps = self
        swaps.place = place
        return swaps
    }

    /// Indicates whether there is none.
    package var isEmpty: Bool { swaps.isEmpty }

    /// Whether another takes the place of `source`.
    package func replaces(_ source: String) -> Bool { swaps.contains { $0.source.hasSameBytes(as: source) } }

    /// The sources that others take the place of.
    package var replaced: Set<String> { Set(swaps.filter { !$0.isDatabase }.map(\.source)) }

    /// The databases that caches begin with a copy of, by the names of the sources.
    package var databases: [String: String] {
        Dictionary(swaps.filter(\.isDatabase).map { ($0.source, $0.standIn) }) { first, _ in first }
    }

    /// Paths among the stand-ins that name one file for all keys.
    package var files: [String] { swaps.filter { !$0.isWord && !$0.standIn.contains("{") }.map(\.standIn) }

    /// The advice for a file that is missing.
    package static func help(forMissing file: String) -> String {
        NearestName.find(file, among: words).map { "did you mean `\($0)`?" } ?? "its path is relative to the current folder"
    }

    /// The file that stands in for `source` at `key`; nil if it is the same for each key, or no file.
    package func file(for key: Key, of source: String) -> String? {
        swaps.first { $0.source.hasSameBytes(as: source) && !$0.isWord && $0.standIn.contains("{") }.map { swap in
            let template = Template(InterpolatedText(pieces: [.literal(swap.standIn, offset: 0)]))
            return PathTemplate(template: template, base: "").filled(for: key)
        }
    }

    /// The sources of `report` that others take the place of, by these swaps or because something is missing that they need. Order and
    /// policies go by what the plan says of them.
    func sources(in report: ConfigReport, clock: PipelineClock) throws -> [ExactName: SourceSpec] {
        let plan = report.plan
        var specs = report.lackingSources(clock: clock)
        for swap in swaps {
            let config = try source(of: swap, in: plan)
            let isCache = config.isWritable == true
            if isCache, swap.isDatabase {
                guard config.type == "sqlite" else {
                    throw SwapError(
                        message: "`\(swap.source.shortened)` cannot begin with a database: it is no cache of the type sqlite",
                        help: "swap it for a file with a value")
                }
                continue
            }
            let standIn = StandInSource(answer: try answer(for: swap, in: plan, clock), isCache: isCache, clock: clock)
            specs[ExactName(config.name)] = SourceSpec(
                config.name, standIn, cache: isCache ? standIn : nil, capabilities: config.capabilities ?? [])
        }
        return specs
    }

    private func source(of swap: Swap, in plan: Plan) throws(SwapError) -> SourceConfig {
        guard let config = plan.sources.first(where: { $0.name.hasSameBytes(as: swap.source) }) else {
            let known = plan.sources.filter(\.mayHoldValues).map(\.name)
            throw SwapError(
                message: "unknown source `\(swap.source.shortened)` in `--swap`",
                help: NearestName.help(for: swap.source, among: known, noun: "sources"))
        }
        guard config.mayHoldValues else {
            throw SwapError(
                message: "`\(config.name)` \(config.otherPurpose) and is never asked, so nothing can take its place", help: nil)
        }
        return config
    }

    private func answer(for swap: Swap, in plan: Plan, _ clock: PipelineClock) throws -> StandInSource.Answer {
        switch swap.standIn {
        case "error": .failure(SourceError("swapped for `error`"))
        case "not_found": .notFound
        case "hangs": .hangs
        default: .source(try file(for: swap, in: plan, clock))
        }
    }

    /// An origin of flat files, as a file would declare it, with the parameters of the pipelines that ask it and of the sends to it.
    private func file(for swap: Swap, in plan: Plan, _ clock: PipelineClock) throws -> any Source {
        let sends = plan.sends.filter { $0.target.name.hasSameBytes(as: swap.source) }
        var asking = plan.pipelines.filter { asks(swap.source, in: $0) }
        // Of another order only the one pipeline is fetched, and those that it is made from or links to.
        if let order, let ordered = asking.first(where: { $0.name.hasSameBytes(as: order.pipeline) }) {
            asking = [ordered] + plan.made(of: [ordered]).filter { asks(swap.source, in: $0) }
        }
        if asking.isEmpty, sends.isEmpty { asking = plan.pipelines }
        let callers = asking.map { ($0.name, $0.parameters) } + sends.map { ($0.name, $0.parameters) }
        let report = ConfigReport(
            of: Self.document(swap, for: callers), file: "--swap", plugins: plugins, environment: environment, level: .graph)
        if let error = report.diagnostics.first(where: { $0.severity == .error }) {
            throw SwapError(message: "`\(swap.standIn.shortened)` in `--swap` cannot be used: \(error.message)", help: error.help)
        }
        let context = SourceContext(name: swap.source, clock: clock)
        guard let source = try report.plan.sources.first?.making?(context).source else {
            throw SwapError(message: "`\(swap.standIn.shortened)` in `--swap` cannot be used", help: nil)
        }
        return source
    }

    private func asks(_ source: String, in pipeline: PipelinePlan) -> Bool {
        let other = order.flatMap { $0.pipeline.hasSameBytes(as: pipeline.name) ? $0.sources : nil }
        return (other ?? pipeline.tiers.map(\.source.name)).contains { $0.hasSameBytes(as: source) }
    }

    private static func document(_ swap: Swap, for callers: [(name: String, parameters: [ParameterConfig])]) -> ConfigNode {
        let source = mapping([
            // A `$` is one: a shell has put its variables in already.
            ("type", text("file")), ("path", text(swap.standIn.replacing("$", with: "$$"))),
            ("read_only", ConfigNode(.scalar(ConfigNode.Scalar(text: "true", isPlain: true)), at: .beginning)),
        ])
        return mapping([
            ("sources", mapping([(swap.source, source)])),
            (
                "pipelines",
                mapping(
                    callers.map { caller in
                        let parameters = caller.parameters.map { text($0.name) }
                        let tiers = ConfigNode(.sequence([text(swap.source)]), at: .beginning)
                        return (
                            caller.name, mapping([("parameters", ConfigNode(.sequence(parameters), at: .beginning)), ("tiers", tiers)])
                        )
                    })
            ),
        ])
    }

    private static func mapping(_ members: [(String, ConfigNode)]) -> ConfigNode {
        ConfigNode(.mapping(members.map { ConfigNode.Member(key: $0, keyRange: .beginning, value: $1) }), at: .beginning)
    }

    private static func text(_ text: String) -> ConfigNode {
        ConfigNode(.scalar(ConfigNode.Scalar(text: text, isPlain: false)), at: .beginning)
    }
}

/// A swap that does not fit the configuration: wrong usage.
package struct SwapError: Error, CustomStringConvertible {
    /// The problem in words: lower case, no full stop.
    package let message: String
    /// The advice; nil if nothing can be said.
    package let help: String?

    package init(message: String, help: String?) {
        self.message = message
        self.help = help
    }

    /// The message, and the help below it.
    package var description: String { message + (help.map { "\nhelp: \($0)" } ?? "") }
}

/// What takes the place of a source for a run: it answers in one way, whatever the key, and keeps nothing.
struct StandInSource: WritableSource {
    /// How it answers.
    enum Answer: Sendable {
        /// As this source does.
        case source(any Source)
        /// With this failure.
        case failure(SourceError)
        /// There is no value.
        case notFound
        /// Not at all.
        case hangs
    }

    let answer: Answer
    /// Whether it stands for a cache, which is not sure that there is no value.
    let isCache: Bool
    let clock: PipelineClock

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? {
        try await fail()
        guard case .source(let source) = answer else { return isCache ? nil : .notFound(created: clock.now) }
        return try await source.read(key, ReadContext(deadline: context.deadline))
    }

    func write(_ entry: Entry, for key: Key) async throws {
        try await fail()
        throw SourceError("swapped for this run", kind: .notKept)
    }

    func remove(_ key: Key) async throws { try await fail() }

    func clear(pipeline: String) async throws { try await fail() }

    func contents(of pipeline: String, limit: Int) async throws -> CacheContents? {
        try await fail()
        return nil
    }

    /// Throws, or hangs, where that is the answer.
    private func fail() async throws {
        switch answer {
        case .failure(let error): throw error
        // Until the task is cancelled.
        case .hangs: try await Race<Void>().value()
        case .source, .notFound: break
        }
    }
}

extension StandInSource: SendingSource {
    /// What it answers is that of a status 200; nothing is sent.
    func send(_ send: OutgoingSend, _ context: ReadContext) async throws -> SendAnswer {
        try await fail()
        guard case .source(let source) = answer, let entry = try await source.read(send.key, ReadContext(deadline: context.deadline)),
            let payload = entry.payload
        else { return SendAnswer(status: 404) }
        return SendAnswer(status: 200, body: payload, etag: entry.etag)
    }

    var repetition: SendRepetition { .always }
}

/// What takes the place of an outbox that lacks something: it keeps nothing, and says why.
final class StandInOutbox: OutboxSource {
    private let error: SourceError

    init(error: SourceError) { self.error = error }

    var bounds: OutboxBounds { OutboxBounds() }
    var holder: String { "" }

    func open() async throws -> OutboxNews { throw error }
    func takeIn(_ rows: [SendRow], lanes: [[String]]) async throws -> [TakenIn] { throw error }
    func write(_ rows: [SendRow]) async throws { throw error }
    func news(since mark: Int64) async throws -> OutboxNews { throw error }
    func row(_ id: String) async throws -> SendRow? { throw error }
    func rows(_ states: Set<SendState>, most: Int) async throws -> [SendRow] { throw error }
    func lease(_ holder: String, until end: Timestamp) async throws -> Bool { throw error }
    func release(_ holder: String) async {}
    func hasEnded(_ holder: String) async -> Bool { false }
    func forgetOld(at now: Timestamp) async throws { throw error }
    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? { nil }
}
