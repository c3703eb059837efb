internal import ArgumentParser
internal import Pipeline
internal import PipelineConfig
internal import PipelineReports
internal import PipelineSimulation
internal import PipelineYAML

/// One `simulate` command: its trace, its variants, and what it prints.
struct SimulateRun: Sendable {
    /// How many seeds an objective is judged by.
    private static let seeds = 5 as UInt64

    private struct Planned: Sendable {
        let name: String
        /// The file without the edits of the variation, and with them.
        let original: ConfigFile
        let file: ConfigFile
        let plan: PipelinePlan
        let model: SimulationModel
        let size: Int?

        let field: String
        let redactor: Redactor

        func variant(seed: UInt64) -> Variant { Variant(name, SimulatedPipeline(plan, model: model, seed: seed), size: size, of: field) }
    }

    private let name: String
    private let trace: Trace
    private let warmUp: Double
    private let seed: UInt64
    private let format: SimulateFormat
    private let objective: Objective?
    private let planned: [Planned]

    init(_ command: SimulateCommand) throws {
        (name, seed, format) = (command.name, command.seed, command.format)
        warmUp = try Self.warmUp(command.warmup)
        do {
            objective = try command.objective.map { try Objective($0) }
        } catch let problem as Objective.Problem {
            throw Usage.failure(problem.message, help: "write as in `--objective \"p99 <= 50ms; min cost\"`")
        }
        let variations = try command.vary.map { text in
            guard let variation = Variation(text) else {
                throw Usage.failure(
                    "`\(text)` is no variation",
                    help: "write as in `--vary memory.ttl=10s,1m` or `--vary memory.max_entries=1000..100000x2`")
            }
            return variation
        }
        let files = try (command.configs.isEmpty ? [ConfigOptions.unnamed] : command.configs).map { try ConfigPaths.file(at: $0) }
        var planned: [Planned] = []
        for file in files {
            let model = try Self.model(command, for: file)
            let edited = try Self.edited(file, by: variations, of: command.name)
            for (words, changed, size) in edited {
                let report = try ConfigOptions.report(of: changed)
                let plan = try Usage.checking(["simulate", command.name]) { try report.plan.pipeline(command.name) }
                let orders = try command.order.isEmpty ? [nil] : command.order.map { try SourceOrder.names(in: $0) }
                for order in orders {
                    let asked = try Usage.checking(["simulate", command.name]) {
                        try order.map { try plan.asking($0, from: report.plan.sources) } ?? plan
                    }
                    let base = files.count > 1 ? [file.name] : []
                    let parts = base + (order.map { [$0.joined(separator: ",")] } ?? []) + words
                    let own = parts.isEmpty ? asked.tiers.map(\.source.name).joined(separator: ",") : parts.joined(separator: " ")
                    planned.append(
                        Planned(
                            name: own, original: file, file: changed, plan: asked, model: model, size: size,
                            field: variations.first?.field ?? "", redactor: report.redactor))
                }
            }
        }
        self.planned = planned
        guard let first = planned.first else { throw ExitStatus.usage }
        trace = try command.trace.read(
            for: PipelineSpec(
                first.plan.name, parameters: first.plan.parameters.map { ParameterSpec($0.name, default: $0.defaultValue) }, tiers: []))
        var said: Set<String> = []
        for warning in planned.flatMap({ $0.model.warnings(for: trace.duration) }) where said.insert(warning).inserted {
            Console.say("warning: " + warning)
        }
        if trace.requests.isEmpty { Console.say("the trace has no requests") }
    }

    private static func warmUp(_ text: String) throws -> Double {
        guard let ratio = try? Quantity.ratio(text), ratio.value >= 0, ratio.value < 1 else {
            throw Usage.failure("`\(text)` is no part of the requests", help: "write as in `--warmup 10%`")
        }
        return ratio.value
    }

    /// The files that come of all values of all variations, in their order.
    private static func edited(
        _ file: ConfigFile, by variations: [Variation], of pipeline: String
    ) throws -> [(words: [String], file: ConfigFile, size: Int?)] {
        var files: [(words: [String], file: ConfigFile, size: Int?)] = [([], file, nil)]
        guard !variations.isEmpty else { return files }
        let plan = try ConfigOptions.report(of: file).plan
        _ = try Usage.checking(["simulate", pipeline]) { try plan.pipeline(pipeline) }
        guard variations.reduce(1, { min($0 * $1.values.count, 1 << 20) }) <= Variation.mostValues else {
            throw Usage.failure("the variations make more than \(Variation.mostValues) variants", help: "give fewer values")
        }
        for variation in variations {
            files = try files.flatMap { words, file, _ in
                try variation.values.map { value in
                    do {
                        let changed = try ConfigEdit.setting(variation.field, to: value, in: file, pipeline: pipeline, plan: plan)
                        return (words + ["\(variation.field)=\(value)"], changed, variations.count == 1 ? Int(value) : nil)
                    } catch let problem as ConfigEdit.Problem {
                        throw Usage.failure(problem.description, help: problem.help)
                    }
                }
            }
        }
        return files
    }

    private static func model(_ command: SimulateCommand, for file: ConfigFile) throws -> SimulationModel {
        let report = try ConfigOptions.report(of: file)
        let known = report.plan.sources.map(\.name)
        var model = SimulationModel()
        let path = command.model ?? SimulationModel.path(besides: file.name)
        if command.model != nil || ConfigPaths.isFile(path) {
            let modelFile = ConfigFile(path: path)
            let (read, diagnostics) = SimulationModel.read(modelFile, known: known)
            if !diagnostics.isEmpty {
                let printer = DiagnosticPrinter(lines: modelFile.lines, secretRanges: [], hasColour: Console.error.hasColour)
                Console.error.write(diagnostics.map(printer.text).joined(separator: "\n"))
            }
            guard let read else { throw ExitStatus.no }
            model = read
        }
        for (option, texts) in [("down", command.down), ("slow", command.slow)] {
            for text in texts {
                guard let argument = WindowArgument(text) else {
                    throw Usage.failure(
                        "`\(text)` is no window", help: "write as in `--\(option) api@10m+\(option == "down" ? "10m" : "5mx10")`")
                }
                guard known.contains(argument.source) else {
                    throw Usage.failure(
                        "undefined source `\(argument.source)`", help: NearestName.help(for: argument.source, among: known, noun: "sources")
                    )
                }
                var source = model.sources[argument.source] ?? SourceModel()
                if option == "down" { source.down.append(argument.window) } else { source.slow.append(argument.window) }
                model.sources[argument.source] = source
            }
        }
        return model
    }

    /// Plays all variants, one after the other. Throws `CancellationError` when it is interrupted.
    func play(noting state: SimulateProgress) async throws {
        let simulation = Simulation(trace, warmUp: warmUp)
        let count = objective == nil ? 1 : Self.seeds
        for (number, planned) in planned.enumerated() {
            var results: [Simulation.Result] = []
            for offset in 0..<count {
                let words = "\(number + 1) of \(self.planned.count): \(planned.name)"
                do {
                    results.append(
                        try await simulation.result(of: planned.variant(seed: seed &+ offset)) { part in
                            state.line.show("\(words) \(Int(100 * (Double(offset) + part) / Double(count)))%")
                        })
                } catch let difference as Simulation.Difference {
                    state.line.erase()
                    Console.say(
                        difference.description, help: "this is a defect of pipe-run: please report it with the configuration and the model")
                    throw ExitStatus.no
                }
            }
            state.add(results)
        }
    }

    /// Prints what has been played; gives the exit code of an objective that no variant meets.
    func print(_ results: [Simulation.Result], seeds: [[VariantCounts]]) throws -> ExitCode? {
        let report = SimulationReport(pipeline: name, trace: trace, results)
        switch format {
        case .text: Console.output.write(report.text)
        case .json: Console.output.write(report.json)
        case .csv: Console.output.write(report.csv)
        case .svg: Console.output.write(SimulationChart(report).svg)
        }
        guard let objective, let choice = objective.choice(among: seeds) else { return nil }
        let text = objective.text(choice, names: results.map(\.variant.name), counts: results.map(\.counts)) { index in
            let planned = planned[index]
            guard planned.file.text != planned.original.text else { return nil }
            return planned.redactor.redacted(ConfigEdit.difference(from: planned.original, to: planned.file))
        }
        (format == .text ? Console.output : .error).write(text)
        return choice.isMet ? nil : ExitStatus.no
    }
}
