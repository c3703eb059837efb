internal import ArgumentParser
internal import Pipeline
import PipelineComposing
internal import PipelineConfig
internal import PipelineJSON
internal import PipelineReports

struct LinksCommand: Command {
    static let configuration = CommandConfiguration(
        subcommand: "links",
        abstract: "Lists where the links of a value lead.",
        discussion: """
            Fetches the value, and prints a line for each target: the name of the link, the pipeline, its parameters, and what caches have of \
            it: fresh, stale or none. Targets are not loaded. A reference that leads nowhere has `-` for its parameters and says why: null, \
            absent or invalid, of which standard error says more.

            Exits as `fetch` does where there is no value, and with 1 when a reference cannot be followed.
            """)

    @OptionGroup var config: ConfigOptions
    @OptionGroup var pipeline: PipelineArguments
    @Option(help: "The output format.") var output = ListFormat.text

    func perform() async throws {
        let pipelines = try config.pipelines()
        let (selected, key) = try Usage.checking(pipeline.call("links", config)) {
            let selected = try pipelines.pipeline(named: pipeline.name)
            return (selected, try selected.key(pipeline.arguments()))
        }
        let unwritten = UnwrittenReport()
        let ending = await Interruption.watching {
            let outcome = try await selected.fetch(key)
            unwritten.note(outcome.writes)
            return try await Self.list(outcome, of: selected, among: pipelines, as: output)
        }
        await unwritten.shutDown(pipelines)
        switch ending {
        case .finished(let status): if let status { throw status }
        case .interrupted(let status): throw status
        }
    }

    /// Prints the links; gives the exit code, nil if all went well.
    private static func list(
        _ outcome: Outcome, of selected: DataPipeline, among pipelines: Pipelines, as format: ListFormat
    ) async throws -> ExitCode? {
        let redactor = pipelines.redactor
        switch outcome.result {
        case .failed(let error):
            Console.say(redactor.redacted("\(error)"))
            return ExitStatus.no
        case .notFound:
            Console.say(redactor.redacted("`\(outcome.key)` not found"))
            return ExitStatus.notFound
        case .value: break
        }
        let links = try await FoundLink.all(in: outcome, of: selected, among: pipelines)
        let printer = LinksPrinter(key: outcome.key, redactor: redactor)
        switch format {
        case .text: _ = await Console.output.stream(Console.shown(printer.text(links)))
        case .json: _ = await Console.output.stream(printer.json(links).text + "\n")
        }
        if links.isEmpty { Console.say("`\(selected.spec.name)` has no links") }
        let problems = links.compactMap(\.problem)
        for problem in problems { Console.say(redactor.redacted(problem)) }
        return problems.isEmpty ? nil : ExitStatus.no
    }
}

/// Links of a value, as lines for people or as JSON.
struct LinksPrinter {
    let key: Key
    /// The redactor: a parameter may have a secret for its default.
    let redactor: Redactor

    func text(_ links: [FoundLink]) -> String {
        TextTable.text(
            links.map { link in
                let parameters = link.key.map { key in key.parameters.map { "\($0.name)=\(redactor.redacted($0.value))" } }
                return [link.name, link.pipeline, parameters?.joined(separator: " ") ?? "-", link.state.rawValue].map(\.printable)
            })
    }

    func json(_ links: [FoundLink]) -> JSONText {
        .object([
            ("pipeline", .string(key.pipeline)), ("parameters", parameters(of: key)),
            ("links", .array(links.map(json))),
        ])
    }

    private func json(_ link: FoundLink) -> JSONText {
        .object([
            ("name", .string(link.name)), ("pipeline", .string(link.pipeline)), ("parameters", link.key.map(parameters) ?? .null),
            ("state", .string(link.state.rawValue)), ("error", .optional(link.problem.map(redactor.redacted))),
        ])
    }

    private func parameters(of key: Key) -> JSONText {
        .object(key.parameters.map { ($0.name, .string(redactor.redacted($0.value))) })
    }
}

/// A link of a value, and one target that it leads to.
struct FoundLink: Sendable {
    /// The copy that caches have of a target, or the reason why there is none.
    enum State: String {
        /// A fresh copy, or the knowledge that there is none: following it asks no origin.
        case fresh
        /// An expired copy.
        case stale
        /// No copy.
        case none
        /// The reference is null.
        case null
        /// No reference, or an empty list.
        case absent
        /// The reference cannot be followed.
        case invalid
    }

    let name: String
    let pipeline: String
    /// The target; nil if a reference is null, absent or an empty list, and if it cannot be followed.
    let key: Key?
    let state: State
    /// The reason why the reference cannot be followed.
    var problem: String?

    /// The links of the value of `outcome`, in the order of the file, each target once. No target is loaded: the caches are asked.
    static func all(in outcome: Outcome, of pipeline: DataPipeline, among pipelines: Pipelines) async throws -> [FoundLink] {
        var found: [FoundLink] = []
        for link in pipeline.spec.links {
            let targets: [LinkTarget]
            do {
                targets = try pipeline.targets(of: link, in: outcome)
            } catch {
                targets = [.invalid(error.reason)]
            }
            let keys = targets.compactMap { if case .key(let key) = $0 { key } else { nil } }
            let states = try await states(of: keys, in: pipelines, called: link.pipeline)
            found += targets.map { target in
                switch target {
                case .key(let key): FoundLink(name: link.name, pipeline: link.pipeline, key: key, state: states[key] ?? .none)
                case .null: FoundLink(name: link.name, pipeline: link.pipeline, key: nil, state: .null)
                case .absent: FoundLink(name: link.name, pipeline: link.pipeline, key: nil, state: .absent)
                case .invalid(let reason):
                    FoundLink(name: link.name, pipeline: link.pipeline, key: nil, state: .invalid, problem: reason)
                }
            }
        }
        return found
    }

    private static func states(of keys: [Key], in pipelines: Pipelines, called name: String) async throws -> [Key: State] {
        guard !keys.isEmpty else { return [:] }
        let outcomes = try await pipelines.pipeline(named: name).fetch(many: keys, policy: .cacheOnly)
        return Dictionary(zip(keys, outcomes.map(state))) { first, _ in first }
    }

    private static func state(of outcome: Outcome) -> State {
        switch outcome.result {
        case .value: outcome.isStale ? .stale : .fresh
        case .notFound where outcome.answer != nil: .fresh
        case .notFound, .failed: outcome.hasExpiredCopy ? .stale : .none
        }
    }
}

extension Outcome {
    /// Indicates whether a cache has an expired copy, of the value or of a part that it is made from.
    fileprivate var hasExpiredCopy: Bool {
        attempts.contains { $0.outcome == .expired } || parts.contains { $0.outcome?.hasExpiredCopy ?? false }
    }
}
