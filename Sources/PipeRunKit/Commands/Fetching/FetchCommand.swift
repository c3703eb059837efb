internal import ArgumentParser
internal import Pipeline
import PipelineComposing
internal import PipelineConfig
internal import PipelineJSON
internal import PipelineServer
internal import PipelineYAML
internal import Synchronization

struct FetchCommand: Command {
    static let configuration = CommandConfiguration(
        subcommand: "fetch",
        abstract: "Fetches a value and prints it.",
        discussion: """
            Prints the payload's bytes and nothing else; a final newline is added on a terminal.

            With `--follow`, the targets of links stand beside their references. When the value is incomplete because a part or a link failed, \
            standard error has a line for each; with `--strict` the exit code is then 1. With `--select`, 3 means that there is nothing at the place.

            A background refresh continues in another process, so that the command returns at once. With `--wait`, with `--repeat`, and \
            when the configuration comes from standard input or a pipe, the command waits instead.
            """)

    @OptionGroup var config: ConfigOptions
    @OptionGroup var pipeline: PipelineArguments
    @OptionGroup var swap: SwapOptions

    @Option(help: ArgumentHelp("Ask these sources in this order instead.", valueName: "a,b,c"), completion: Suggestions.order)
    var order: String?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Follow this link, such as author or comments.author; may be repeated.", valueName: "link"),
        completion: Suggestions.link)
    var follow: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Print only the JSON at this place of the value, byte for byte, such as /author/name.", valueName: "pointer"),
        transform: PointerArgument.pointer)
    var select: JSONPointer?

    @Flag(help: "Exit with 1 when the value is incomplete because a part or a link failed.")
    var strict = false

    @Option(help: "What the fetch may read and write.")
    var policy = Choice(FetchPolicy.default)

    @Option(help: PriorityHelp.text)
    var priority: Choice<PriorityWord>?

    @Option(
        help: ArgumentHelp("The longest time for each fetch, such as 500ms or 2s.", valueName: "duration"),
        transform: DurationArgument.duration)
    var timeout: Duration?

    @Option(name: .customLong("repeat"), parsing: .unconditional, help: ArgumentHelp("How many times to fetch.", valueName: "number"))
    var count = 1

    @Flag(help: "Show what each tier did, on standard error.")
    var trace = false

    @Flag(help: "Wait for a background refresh instead of leaving it to another process.")
    var wait = false

    @Option(
        help: ArgumentHelp("Append a line for each fetch to this file, which `simulate` and `compare` read.", valueName: "file"),
        completion: .file())
    var record: String?

    @Option(help: "What to print: raw (the payload), or envelope (one line of JSON).")
    var output = Choice(FetchOutput.raw)

    func validate() throws {
        guard count >= 1 else { throw ValidationError("--repeat takes a number of at least 1") }
        guard select == nil || output.value == .raw else {
            throw ValidationError("--select prints a part of the value alone; leave out --output")
        }
    }

    func perform() async throws {
        let swapped = try SwappedRun(swap)
        let swaps = swapped.swaps
        let file = try ConfigPaths.file(at: config.config)
        let report = try ConfigOptions.report(of: file, mayLack: { _ in true })
        // Other threads trap the signals meanwhile. Nothing from here to `watching` may block: no signal would end it.
        async let signals = Interruption.signals()
        let names = try order.map { try SourceOrder.names(in: $0) }
        let pipelines = try ConfigOptions.pipelines(
            of: report, only: report.plan.part(for: pipeline.name, asking: names ?? []), swapping: swaps.asking(names, in: pipeline.name)
        ) { _ in [OutboxWarning.observer] + (swapped.observer.map { [$0] } ?? []) }
        let (selected, key) = try Usage.checking(pipeline.call("fetch", config)) { () throws -> (DataPipeline, Key) in
            let selected =
                try names.map { names in
                    try pipelines.pipeline(
                        of: report.plan.pipeline(pipeline.name), asking: names, from: report.plan.sources, swapping: swaps)
                } ?? pipelines.pipeline(named: pipeline.name)
            try selected.check(follow)
            if let select, selected.spec.policy.format != .json {
                throw Usage.failure(
                    "`\(select)` is a place in JSON, and the format of `\(pipeline.name)` is \(selected.spec.policy.format.rawValue)",
                    help: nil)
            }
            return (selected, try selected.key(pipeline.arguments()))
        }
        let unwritten = UnwrittenReport()
        let answer = PrintedAnswer()
        // Copies at a temporary place are none that another process could refresh.
        let isOneShot = count == 1 && !wait && swapped.caches == nil
        let background =
            isOneShot
            ? BackgroundFetch(
                key: key, specs: [selected.spec] + pipelines.all.map(\.spec), config: config.config, order: order, policy: policy.value,
                follow: follow, swaps: swap.arguments)
            : nil
        let fetches = FetchRun(
            key: key, pipeline: selected, pipelines: pipelines, policy: policy.value,
            priority: priority?.value.priority, timeout: timeout, count: count, following: follow, selection: select, isStrict: strict,
            output: output.value, showsTrace: trace, unwritten: unwritten, answer: answer, background: background, swaps: swaps,
            isOrdered: order != nil, recorder: recorder(masking: pipelines)
        ) { Console.show($0, in: file.lines, hiding: report.secretRanges) }
        let ending = await Interruption.watching(signals) { try await fetches.run() }
        await fetches.recorder?.finish()
        await swapped.end(pipelines) { await unwritten.shutDown(pipelines) }
        switch ending {
        case .finished(let status): if let status { throw status }
        case .interrupted(let status):
            let status = answer.exitCode ?? status
            if !status.isSuccess { throw status }
        }
    }

    /// The recorder of the fetches; nil without `--record`. A file that cannot be written is said, and the fetch goes on.
    private func recorder(masking pipelines: Pipelines) -> FetchRecorder? {
        guard let record else { return nil }
        do throws(RecordFile.Problem) {
            return try FetchRecorder(path: record, limit: .mebibytes(1024), isAnonymous: false, masking: { pipelines }) { Console.say($0) }
        } catch {
            Console.say("warning: " + error.message)
            return nil
        }
    }
}

/// A part of the outcome that `fetch` can print.
enum FetchOutput: String, CaseIterable {
    case raw
    case envelope
}

/// Indicates whether the last answer of a `fetch` is printed: a signal that comes after it, while caches are written, takes nothing from
/// it.
final class PrintedAnswer: Sendable {
    private let status = Mutex<Int32?>(nil)

    /// The exit code that belongs to the answer; nil before it is printed.
    var exitCode: ExitCode? { status.withLock { $0 }.map { ExitCode($0) } }

    /// Notes that the answer is printed; `worst` is the code of the worst outcome, nil if all went well.
    func note(_ worst: ExitCode?) {
        status.withLock { $0 = worst?.rawValue ?? 0 }
    }
}
