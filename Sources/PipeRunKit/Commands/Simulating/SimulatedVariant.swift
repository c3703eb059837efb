internal import Pipeline
internal import PipelineConfig
internal import PipelineReports
internal import PipelineSimulation
internal import PipelineYAML

/// A variant that a `simulate` command names.
struct SimulatedVariant: Sendable {
    /// One of the files, read.
    private struct Base {
        let file: ConfigFile
        let report: ConfigReport
        let model: SimulationModel
        /// The orders that are asked for; nil for the pipeline as it is.
        let orders: [[String]?]
    }

    /// A value for each variation.
    private struct Edit {
        var words: [String] = []
        var file: ConfigFile
        /// The value of the field that is varied, where that is a size.
        var size: Int?
    }

    let name: String
    let plan: PipelinePlan
    let model: SimulationModel
    /// The name without the size.
    private let curve: String
    private let size: Int?
    private let field: String
    /// The change that the variation makes in the file, as `diff -u` shows it; nil if it changes nothing.
    let edit: String?

    /// The variant in a simulation.
    func variant(seed: UInt64) -> Variant {
        Variant(name, SimulatedPipeline(plan, model: model, seed: seed), size: size, of: field, on: curve)
    }

    /// All variants: each order of the first file, or the pipeline as that has it; the pipeline as each further file has it; all of them with
    /// each value of each variation.
    static func all(of command: SimulateCommand) throws -> [SimulatedVariant] {
        let variations = try command.vary.map { text in
            guard let variation = Variation(text) else {
                throw Usage.failure(
                    "`\(text)` is no variation",
                    help: "write as in `--vary memory.ttl=10s,1m` or `--vary memory.max_entries=1000..100000x2`")
            }
            return variation
        }
        var fields: Set<String> = []
        if let twice = variations.first(where: { !fields.insert($0.field).inserted }) {
            let values = variations.filter { $0.field == twice.field }.flatMap(\.values).prefix(4).joined(separator: ",")
            throw Usage.failure(
                "`--vary \(twice.field)` is given twice: a variant has one value of a field",
                help: "give all values at once: `--vary \(twice.field)=\(values)`")
        }
        guard variations.reduce(1, { min($0 * $1.values.count, 1 << 20) }) <= Variation.mostValues else {
            throw Usage.failure("the variations make more than \(Variation.mostValues) variants", help: "give fewer values")
        }
        let orders = try command.order.map { try SourceOrder.names(in: $0) }
        let paths = command.configs.isEmpty ? [ConfigOptions.unnamed] : command.configs
        let all = try paths.enumerated().flatMap { number, path in
            let file = try ConfigPaths.file(at: path)
            let report = try ConfigOptions.report(of: file, mayLack: { _ in true })
            _ = try Usage.checking(command.call) { try report.plan.pipeline(command.pipeline.name) }
            let base = Base(
                file: file, report: report, model: try SimulationModel(of: command, for: file, report),
                orders: number > 0 || orders.isEmpty ? [nil] : orders)
            return try edits(of: base, by: variations, in: command.pipeline.name).flatMap { edit in
                try variants(of: base, edit, varying: variations.first?.field ?? "", command, isOneOfSeveral: paths.count > 1)
            }
        }
        try checkParameters(of: all)
        return all
    }

    /// Checks that all variants have one set of parameters: the requests of one trace do.
    private static func checkParameters(of variants: [SimulatedVariant]) throws {
        func names(_ variant: SimulatedVariant) -> Set<String> { Set(variant.plan.parameters.map(\.name)) }
        guard let first = variants.first, let other = variants.first(where: { names($0) != names(first) }) else { return }
        func words(_ variant: SimulatedVariant) -> String {
            let names = names(variant).sorted().map { "`\($0)`" }
            return names.isEmpty ? "none" : names.joined(separator: ", ")
        }
        throw Usage.failure(
            """
            `\(first.plan.name)` of `\(other.name)` has other parameters (\(words(other))) than that of `\(first.name)` (\(words(first))): \
            one trace cannot be played through both
            """, help: "simulate each file by itself")
    }

    private static func variants(
        of base: Base, _ edit: Edit, varying field: String, _ command: SimulateCommand, isOneOfSeveral: Bool
    ) throws -> [SimulatedVariant] {
        let report = edit.words.isEmpty ? base.report : try Self.report(of: edit)
        let plan = try Usage.checking(command.call) { try report.plan.pipeline(command.pipeline.name) }
        return try base.orders.map { order in
            let asked = try Usage.checking(command.call) { try order.map { try plan.asking($0, from: report.plan.sources) } ?? plan }
            let own = order.map { [$0.joined(separator: ",")] } ?? (isOneOfSeveral ? [base.file.name] : [])
            let parts = own + edit.words
            return SimulatedVariant(
                name: parts.isEmpty ? asked.tiers.map(\.source.name).joined(separator: ",") : parts.joined(separator: " "), plan: asked,
                model: base.model, curve: own.joined(separator: " "), size: edit.size, field: field,
                edit: edit.words.isEmpty ? nil : difference(from: base, to: edit.file, report))
        }
    }

    /// The report of a file whose fields have other values. The file was right before: what is wrong is what was asked for.
    private static func report(of edit: Edit) throws -> ConfigReport {
        let report = edit.file.report(plugins: Program.plugins).allowingLacks()
        Console.mask(by: report.redactor)
        guard let problem = report.diagnostics.first(where: { $0.severity == .error }) else { return report }
        throw Usage.failure("`--vary \(edit.words.joined(separator: " "))`: \(problem.message)", help: problem.help)
    }

    private static func difference(from base: Base, to file: ConfigFile, _ report: ConfigReport) -> String? {
        guard file.text != base.file.text else { return nil }
        let diff = UnifiedDiff(old: base.file, new: file, secrets: base.report.secretRanges, newSecrets: report.secretRanges)
        return report.redactor.redacted(diff.text(hasColour: false))
    }

    /// The files that come of all values of all variations, in their order.
    private static func edits(of base: Base, by variations: [Variation], in pipeline: String) throws -> [Edit] {
        try variations.reduce([Edit(file: base.file)]) { edits, variation in
            try edits.flatMap { edit in
                try variation.values.map { value in
                    do {
                        var next = edit
                        next.file = try ConfigEdit.setting(
                            variation.field, to: value, in: edit.file, pipeline: pipeline, plan: base.report.plan)
                        next.words.append("\(variation.field)=\(value)")
                        next.size = variations.count == 1 ? variation.size(of: value) : nil
                        return next
                    } catch let problem as ConfigEdit.Problem {
                        throw Usage.failure(problem.description, help: problem.help)
                    }
                }
            }
        }
    }
}

extension SimulationModel {
    /// The model that a `simulate` command plays `file` with. Prints what is wrong with it.
    fileprivate init(of command: SimulateCommand, for file: ConfigFile, _ report: ConfigReport) throws {
        let known = report.plan.simulatedSources
        self.init()
        let path = command.model ?? SimulationModel.path(besides: file.name)
        if command.model != nil || ConfigPaths.isFile(path) {
            let modelFile = ConfigFile(path: path)
            let (read, diagnostics) = SimulationModel.read(modelFile, known: known, sources: report.plan.sources)
            guard modelFile.isReadable else {
                Console.say(diagnostics.first?.message ?? "cannot read `\(path)`", help: "`--model FILE` names the model")
                throw ExitStatus.badConfiguration
            }
            if !diagnostics.isEmpty { Console.show(diagnostics, in: modelFile.lines, hiding: []) }
            guard let read else { throw ExitStatus.badConfiguration }
            self = read
        }
        for text in command.down { try add(text, known, option: "down", example: "api@10m+10m", to: \.down) }
        for text in command.slow { try add(text, known, option: "slow", example: "api@10m+5mx10", to: \.slow) }
    }

    private mutating func add(
        _ text: String, _ known: [String], option: String, example: String, to windows: WritableKeyPath<SourceModel, [TimeWindow]>
    ) throws {
        guard let argument = WindowArgument(text) else {
            throw Usage.failure("`\(text)` is no window", help: "write as in `--\(option) \(example)`")
        }
        guard known.contains(argument.source) else {
            throw Usage.failure(
                "undefined source `\(argument.source)`", help: NearestName.help(for: argument.source, among: known, noun: "sources"))
        }
        sources[argument.source, default: SourceModel()][keyPath: windows].append(argument.window)
    }
}
