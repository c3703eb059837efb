internal import ArgumentParser
internal import Pipeline
internal import PipelineConfig
internal import PipelineSending

struct OutboxCommand: Command {
    static let configuration = CommandConfiguration(
        subcommand: "outbox",
        abstract: "Lists the sends that wait, and repeats, drops or delivers them.",
        discussion: """
            `list` has each send that is not done and each that has failed, with its state, age, tries, the reason and its id; \
            `--state sent` has those that are sent. With ids it has those, whatever their state.

            `retry` puts sends that are held or have failed back at their place. `drop` gives sends up: of one that was tried, the origin \
            may have made the change. Both take ids, or `--all` with a `--state`.

            `flush` delivers until nothing waits, or until `--for` is over, and prints what each send comes to.

            Exits with 1 when there is no send of an id, when one cannot be repeated or dropped, and when `flush` leaves sends that wait.
            """)

    @OptionGroup var config: ConfigOptions
    @Argument(help: "What to do: list, retry, drop or flush.") var action: OutboxAction
    @Argument(help: ArgumentHelp("The ids of sends.", valueName: "id")) var ids: [String] = []

    @Option(help: "Only the sends of this outbox.", completion: Suggestions.outboxes)
    var outbox: String?

    @Option(help: "Only sends in this state.")
    var state: Choice<SendState>?

    @Flag(help: "Sends in every state; with retry and drop, every send in the `--state`.")
    var all = false

    @Flag(help: "List the payloads, too.")
    var payload = false

    @Option(
        name: .customLong("for"), help: ArgumentHelp("Deliver for at most this long, such as 30s. Default: 1m.", valueName: "duration"),
        transform: DurationArgument.duration)
    var limit: Duration?

    @Option(help: "The output format.")
    var output = ListFormat.text

    func validate() throws {
        switch action {
        case .list:
            guard !all || state == nil else { throw ValidationError("--all lists every state; leave out --state") }
            guard ids.isEmpty || !all && state == nil else {
                throw ValidationError("ids are listed in whatever state; leave out --all and --state")
            }
        case .retry, .drop:
            guard ids.isEmpty == all, all == (state != nil) else {
                throw ValidationError("\(action.rawValue) takes ids, or --all with --state, as in `--all --state failed`")
            }
        case .flush:
            guard ids.isEmpty, !all, state == nil else {
                throw ValidationError("flush delivers every send; leave out ids, --all and --state")
            }
        }
        guard !payload || action == .list && output == .json else { throw ValidationError("--payload takes list and --output json") }
        guard limit == nil || action == .flush else { throw ValidationError("--for takes flush") }
    }

    func perform() async throws {
        let printed = PrintedSends(format: output, hasPayloads: payload)
        let isFlush = action == .flush
        let chosen = try ChosenOutboxes(config, named: outbox) { if isFlush { printed.take($0) } }
        guard !chosen.names.isEmpty else {
            Console.say(outbox.map { "no send uses the outbox `\($0)`" } ?? "the file declares no `sends`")
            if ids.isEmpty { return }
            throw ExitStatus.no
        }
        let run = OutboxRun(outboxes: chosen, printed: printed)
        let ending = await Interruption.watching { try await perform(run) }
        await UnwrittenReport().shutDown(chosen.pipelines)
        switch ending {
        case .finished(let status):
            if run.leavesSends { BackgroundSending.leave(chosen.names, of: chosen.pipelines, config: config.config) }
            if let status { throw status }
        case .interrupted(let status): throw status
        }
    }

    /// Gives the exit code, nil if all went well.
    private func perform(_ run: OutboxRun) async throws -> ExitCode? {
        switch action {
        case .list:
            let states = state.map { [$0.value] } ?? (all || !ids.isEmpty ? Set(SendState.allCases) : SendState.listed)
            return await run.list(states, only: ids)
        case .retry, .drop:
            guard let state else { return await run.change(ids, by: action) }
            return await run.change(allIn: state.value, by: action)
        case .flush: return try await run.flush(within: limit ?? .seconds(60))
        }
    }
}

/// What `outbox` does.
enum OutboxAction: String, CaseIterable, ExpressibleByArgument {
    case list
    case retry
    case drop
    case flush
}

/// The outboxes of a file that a command is about, with the pipelines that their sends change.
struct ChosenOutboxes: Sendable {
    /// The names, in the order of the file; those that no send uses are not among them.
    let names: [String]
    let pipelines: Pipelines
    let news: SendNews

    /// Exits with 64 for an outbox that the file does not declare.
    ///
    /// - Parameters:
    ///   - outbox: the name of the only one; nil for all.
    ///   - tell: called with each state that a send gets.
    init(_ config: ConfigOptions, named outbox: String?, telling tell: @escaping @Sendable (SendStatus) -> Void = { _ in }) throws {
        let report = try ConfigOptions.report(of: ConfigPaths.file(at: config.config), mayLack: { _ in true })
        let declared = report.plan.sources.filter(\.keepsSends).map(\.name)
        if let outbox, !declared.contains(where: { $0.hasSameBytes(as: outbox) }) {
            throw Usage.failure(
                "unknown outbox `\(outbox.shortened)`",
                help: NearestName.help(for: outbox, among: declared, noun: "outboxes") ?? "the file declares no outbox")
        }
        let sends = report.plan.sends.filter { send in outbox.map { send.outbox.name.hasSameBytes(as: $0) } ?? true }
        names = declared.filter { name in sends.contains { $0.outbox.name == name } }
        let part = outbox == nil ? nil : sends.first.map { report.plan.part(forSend: $0.name) }
        let news = SendNews(tell)
        pipelines = try ConfigOptions.pipelines(of: report, only: part, swapping: .none) { _ in [news.take] }
        self.news = news
    }
}
