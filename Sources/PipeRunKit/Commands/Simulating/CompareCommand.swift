internal import ArgumentParser
internal import Pipeline
internal import PipelineConfig
internal import PipelineReports
internal import PipelineSimulation

struct CompareCommand: Command {
    static let configuration = CommandConfiguration(
        subcommand: "compare",
        abstract: "Measures orders of a pipeline against each other, with the real sources.",
        discussion: """
            Each order is a variant of the pipeline in the file; each further `-c` is one, too. All are asked for the same keys, in turns, and \
            the first one also against itself. Caches keep their copies at a temporary place that is removed at the end.

            Exit codes: 0 compared, also in part; 1 a source cannot be reached, or no block is whole; 2 a file cannot be used; 130 \
            interrupted, after printing what is whole.
            """)

    @OptionGroup var pipeline: PipelineArguments

    @Option(
        name: [.customShort("c", allowingJoined: true), .customLong("config")],
        help: ArgumentHelp(
            "The configuration file; each further one is a variant. Default: $PIPE_RUN_CONFIG, else pipeline.yaml.", valueName: "config"),
        completion: .file(extensions: ["yaml", "yml"]))
    var configs: [String] = []

    @OptionGroup var swap: SwapOptions

    @OptionGroup var trace: TraceFileOptions

    @Option(
        help: ArgumentHelp("A variant that asks these sources in this order; may be repeated.", valueName: "a,b,c"),
        completion: Suggestions.order)
    var order: [String] = []

    @Option(help: ArgumentHelp("The keys to ask for: zipf(0.9, 10000), uniform(10000), loop(10000).", valueName: "pattern"))
    var keys: String?

    @Option(
        help: ArgumentHelp("A file of fetches to play in turn, on each line arguments as user=42.", valueName: "file"), completion: .file())
    var fetches: String?

    @Option(help: ArgumentHelp("The parameter that keys fill, where the pipeline has several.", valueName: "parameter"))
    var key: String?

    @Option(
        help: ArgumentHelp(
            "The rate of requests, however long answers take. Default: 50/s; 1000/s for a trace without times.", valueName: "200/s"),
        transform: RateArgument.rate)
    var rate: Double?

    @Option(
        help: ArgumentHelp("Use this many clients instead of a rate; each sends its next request after an answer.", valueName: "number"))
    var clients: Int?

    @Option(
        help: ArgumentHelp("How long each run lasts. Default: 30s.", valueName: "duration"), transform: DurationArgument.duration)
    var duration: Duration?

    @Option(help: ArgumentHelp("How many blocks to run. In each, every variant runs once, in random order.", valueName: "number"))
    var runs = 10

    @Flag(help: "Begin each run with empty caches, and without a warm-up.")
    var cold = false

    @Option(help: ArgumentHelp("Stop after this many requests to origins.", valueName: "number"))
    var maxOriginCalls = 1000

    @Option(help: "The seed of the keys and of the order of runs.")
    var seed: UInt64 = 1

    @Option(help: "The output format: text, json, csv, svg.")
    var format = CompareFormat.text

    func validate() throws {
        if rate != nil, clients != nil { throw ValidationError("--rate and --clients cannot both be given") }
        let given = [("--keys", keys), ("--fetches", fetches), ("--trace", trace.trace)].filter { $0.1 != nil }.map(\.0)
        if given.count > 1 { throw ValidationError("\(given[0]) and \(given[1]) cannot both be given") }
        if let clients, !(1...10_000 ~= clients) { throw ValidationError("--clients takes a number from 1 to 10000") }
        if !(1...1000 ~= runs) { throw ValidationError("--runs takes a number from 1 to 1000") }
        if maxOriginCalls < 0 { throw ValidationError("--max-origin-calls takes a number of at least 0") }
        if swap.inPlace, cold { throw ValidationError("--cold empties caches, and so it needs caches of its own: leave out --in-place") }
        if let keys, KeyPattern(keys) == nil {
            throw ValidationError("`\(keys)` in --keys is not of the form zipf(0.9, 10000), uniform(10000) or loop(10000)")
        }
        if requestsOfRun > Double(Self.mostRequests) {
            throw ValidationError("a run would have more than \(Self.mostRequests) requests: lower --rate or --duration")
        }
    }

    /// The greatest number of requests of a run, whose plan is made before it begins.
    private static let mostRequests = 10_000_000

    private var perSecond: Double { rate ?? 50 }
    private var length: Duration { duration ?? .seconds(30) }
    private var requestsOfRun: Double { perSecond * (length / .seconds(1)) }

    func perform() async throws {
        let variants = try ComparedVariants(of: pipeline.name, orders: order, files: configs, swapping: swap.swaps())
        var caches = swap.inPlace ? nil : TemporaryCaches(of: "compare")
        caches?.databases = variants.swaps.databases
        let calls = OriginCalls(limit: maxOriginCalls)
        let clock = PipelineClock.system
        let subjects = try variants.subjects(in: caches, within: calls, clock: clock, seed: seed)
        guard let itself = subjects.last else { return }
        let (plan, shape, requests) = try plan(of: variants, for: itself)
        let comparison = Comparison(
            subjects.dropLast(), itself: itself, plan: plan, generator: LoadGenerator(shape, duration: length, clock: clock), runs: runs,
            isCold: cold, seed: seed)
        let run = CompareRun(variants: variants, subjects: subjects, comparison: comparison, calls: calls, caches: caches)
        let load = ComparisonReport.Load(shape: shape, duration: length, runs: runs, isCold: cold, seed: seed)
        printPlan(of: variants, try requests.flatMap { try shortage(of: comparison, requests: $0) })
        let (findings, stop, status) = await run.run(runs: runs, limit: maxOriginCalls, seed: seed)
        if let findings {
            let report = ComparisonReport(pipeline: pipeline.name, load: load, findings: findings, stop: stop)
            let text = variants.redacted(text(of: report))
            if format == .text { Console.output.show(text) } else { Console.output.write(text) }
        }
        if let status { throw status }
    }

    /// Prints what the command is about to do.
    private func printPlan(of variants: ComparedVariants, _ shortage: String?) {
        let most = length * (runs * (variants.variants.count + 1) * (cold ? 1 : 2))
        Console.error.writeLine(
            "\(runs) block\(runs == 1 ? "" : "s") of \(variants.variants.count + 1) runs, at most \(most.roundedUp) with warm-ups\n"
                + "the origins are asked at most \(maxOriginCalls) times"
                + (swap.inPlace ? "\nthe caches of the file are used and filled" : "")
                + (shortage.map { "\n" + $0 } ?? ""))
    }

    /// Says that the origins may not be asked often enough for all blocks; nil if they may. Exits with 64 if not even one block can be
    /// complete.
    private func shortage(of comparison: Comparison, requests: Double) throws -> String? {
        let least = comparison.leastCallsOfBlock(requests: requests)
        guard least > maxOriginCalls / runs else { return nil }
        let remedy = "`--max-origin-calls \(comparison.mostCalls(requests: requests))` is enough unless requests are redirected or hedged"
        let whole = maxOriginCalls / least
        guard whole > 0 else {
            throw Usage.failure(
                "no block could be whole: orders without a cache ask the origins for each request, which is \(least) times in a block, and "
                    + "`--max-origin-calls` is \(maxOriginCalls)",
                help: "\(remedy); a smaller `--rate` or `--duration` needs fewer")
        }
        return "the result will be partial: orders without a cache ask the origins \(least) times in a block, so that about \(whole) of "
            + "\(runs) can be whole"
            + (whole < RatioVerdict.leastBlocks ? ", and below \(RatioVerdict.leastBlocks) no difference is told" : "")
            + "; \(remedy)"
    }

    private func text(of report: ComparisonReport) -> String {
        switch format {
        case .text: report.text
        case .json: report.json
        case .csv: report.csv
        case .svg: report.svg
        }
    }

    /// The requests of a run, their arrival, and their number; nil if the clients decide the number.
    private func plan(of variants: ComparedVariants, for subject: Comparison.Subject) throws -> (RequestPlan, LoadShape, Double?) {
        let shape = clients.map { LoadShape.closed(clients: $0) }
        if let trace = try trace.read(for: subject.spec, filling: key, perSecond: rate) {
            guard trace.requests.contains(where: { $0.operation == .fetch }) else {
                Console.say("the trace has no fetch of `\(pipeline.name)`")
                throw ExitStatus.no
            }
            guard RequestPlan.count(of: trace, in: length) <= Double(Self.mostRequests) else {
                throw Usage.failure("a run would have more than \(Self.mostRequests) requests of the trace", help: "lower `--duration`")
            }
            let requests = shape == nil ? RequestPlan.count(of: trace, in: length) : nil
            return (RequestPlan(trace, duration: length), shape ?? .open(rate: trace.isTimed ? nil : rate ?? 1000), requests)
        }
        let parameters = try variants.variants[0].report.plan.pipeline(pipeline.name).parameters.map(\.name)
        let known = ComparedKeys(parameters: parameters, arguments: try pipeline.arguments(), chosen: key, key: subject.key)
        // Clients take what they need, from the start again where that is more.
        let count = clients == nil ? Int(requestsOfRun.rounded(.up)) : 1 << 16
        let plan =
            if let fetches {
                RequestPlan(cycling: try known.fetches(at: fetches), count: count, rate: perSecond)
            } else if let pattern = keys.flatMap({ KeyPattern($0) }) {
                RequestPlan(pattern, keys: try known.keys(of: pattern), count: count, rate: perSecond, seed: seed)
            } else {
                RequestPlan(cycling: [try known.single()], count: count, rate: perSecond)
            }
        return (plan, shape ?? .open(rate: perSecond), clients == nil ? requestsOfRun : nil)
    }
}

/// A format in which `compare` prints what it found.
enum CompareFormat: String, CaseIterable, ExpressibleByArgument {
    case text
    case json
    case csv
    case svg
}
