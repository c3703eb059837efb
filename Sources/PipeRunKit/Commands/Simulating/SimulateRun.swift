internal import ArgumentParser
internal import Pipeline
import PipelineComposing
internal import PipelineConfig
internal import PipelineReports
internal import PipelineSimulation
internal import PipelineYAML
private import Synchronization

/// One `simulate` command: its trace, its variants, and what it prints.
struct SimulateRun: Sendable {
    /// The number of seeds an objective is judged by.
    private static let seeds = 5 as UInt64

    private let name: String
    private let simulation: Simulation
    private let trace: Trace
    private let seed: UInt64
    private let format: SimulateFormat
    private let objective: Objective?
    private let planned: [SimulatedVariant]

    init(_ command: SimulateCommand) throws {
        (name, seed, format) = (command.pipeline.name, command.seed, command.format)
        let warmUp = try Self.warmUp(command.warmup)
        objective = try Self.judging { try command.objective.map { try Objective($0) } }
        planned = try SimulatedVariant.all(of: command)
        guard let first = planned.first else { throw ExitStatus.usage }
        let variants = planned.map { [seed] in $0.variant(seed: seed) }
        try Self.judging(failing: ExitStatus.no) { [objective] in try objective?.check(variants) }
        let parameters = first.plan.parameters.map { ParameterSpec($0.name, default: $0.defaultValue) }
        trace = try command.trace.read(
            for: PipelineSpec(first.plan.name, parameters: parameters, tiers: []),
            with: Usage.checking(command.call) { try command.pipeline.arguments(of: first.plan) })
        simulation = Simulation(trace, warmUp: warmUp)
        var said: Set<String> = []
        for warning in planned.flatMap({ $0.model.warnings(for: trace.duration) }) where said.insert(warning).inserted {
            Console.say("warning: " + warning)
        }
        for warning in PointlessWindows(planned).warnings(for: command) { Console.say("warning: " + warning) }
        if planned.contains(where: { $0.plan.tiers.contains { $0.source.isComposite } }) {
            Console.say("`\(CompositeSpec.placeName)` is played as one origin: its parts are not simulated")
        }
    }

    private static func warmUp(_ text: String) throws -> Double {
        guard let ratio = try? Quantity.ratio(text), ratio.value >= 0, ratio.value < 1 else {
            throw Usage.failure("`\(text)` is no part of the requests", help: "write as in `--warmup 10%`")
        }
        return ratio.value
    }

    /// Runs `body`; says what is wrong with an objective.
    private static func judging<Value>(failing status: ExitCode = ExitStatus.usage, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let problem as Objective.Problem {
            let help = status == ExitStatus.usage ? "write as in `--objective \"p99 <= 50ms; min cost\"`" : nil
            Console.say(problem.message, help: problem.help ?? help)
            throw status
        }
    }

    /// Plays all variants, one after the other. Throws `CancellationError` when it is interrupted; what has been played until then is noted.
    func play(noting state: SimulateProgress) async throws {
        for (number, planned) in planned.enumerated() {
            var results: [Simulation.Played] = []
            // An interrupted variant is noted, too.
            defer { state.add(results) }
            try await play(planned, "\(number + 1) of \(self.planned.count): \(planned.name)", state.line, into: &results)
        }
    }

    /// Plays one variant with all seeds.
    private func play(
        _ planned: SimulatedVariant, _ words: String, _ line: StatusLine, into results: inout [Simulation.Played]
    ) async throws {
        let count = objective == nil ? 1 : Self.seeds
        for offset in 0..<count {
            do {
                results.append(
                    try await simulation.result(of: planned.variant(seed: seed &+ offset)) { part in
                        line.show("\(words) \(Int(100 * (Double(offset) + part) / Double(count)))%")
                    })
            } catch let difference as Simulation.Difference {
                line.erase()
                Console.say(
                    difference.description, help: "this is a defect of pipe-run: please report it with the configuration and the model")
                throw ExitStatus.no
            }
            // What was played to its end is complete, also when a signal came with its last request.
            if results.last?.isPartial == true { throw CancellationError() }
        }
    }

    /// Prints what has been played; gives the exit code of an objective that no variant meets.
    func print(_ state: SimulateProgress, isInterrupted: Bool) throws -> ExitCode? {
        let results = state.results
        let report = SimulationReport(pipeline: name, trace: trace, results, warmUp: simulation.warmUp, of: planned.count)
        switch format {
        case .text: Console.output.show(report.text)
        case .json: Console.output.write(report.json)
        case .csv: Console.output.write(report.csv)
        case .svg: Console.output.write(SimulationChart(report).svg)
        }
        let seeds = state.seeds
        guard let objective else { return nil }
        let console = format == .text ? Console.output : .error
        guard !isInterrupted else {
            console.write("the objective was not judged: the simulation was interrupted\n")
            return nil
        }
        try Self.judging(failing: ExitStatus.no) { try objective.check(seeds) }
        guard let choice = objective.choice(among: seeds) else { return nil }
        console.show(
            objective.text(choice, names: results.map(\.variant.name), counts: results.map(\.counts)) { [planned] in planned[$0].edit })
        return choice.isMet ? nil : ExitStatus.no
    }
}

/// The variants that have been played, and what a terminal shows meanwhile.
final class SimulateProgress: Sendable {
    private struct State {
        var results: [Simulation.Played] = []
        var seeds: [[VariantCounts]] = []
    }

    let line = StatusLine()
    private let state = Mutex(State())

    /// The results of the first seed.
    var results: [Simulation.Played] { state.withLock(\.results) }
    /// The counts of all seeds of each variant.
    var seeds: [[VariantCounts]] { state.withLock(\.seeds) }

    func add(_ results: [Simulation.Played]) {
        guard let first = results.first else { return }
        state.withLock { state in
            state.results.append(first)
            state.seeds.append(results.map(\.counts))
        }
    }
}

/// The windows on a command line, and the models beside a composite, that change nothing in any variant.
struct PointlessWindows {
    private let variants: [SimulatedVariant]

    init(_ variants: [SimulatedVariant]) { self.variants = variants }

    private var sources: [SourceConfig] { variants.flatMap(\.plan.tiers).map(\.source) }
    private var combines: Bool { sources.contains(where: \.isComposite) }

    func warnings(for command: SimulateCommand) -> [String] {
        let windows = command.down.map { ("--down", $0) } + command.slow.map { ("--slow", $0) }
        let named = windows.compactMap { option, text in WindowArgument(text).map { (call: "`\(option) \(text)`", source: $0.source) } }
        let pointless = named.compactMap { window in
            reason(for: window.source, of: command.pipeline.name).map { "\(window.call) has no effect: \($0)" }
        }
        return pointless + unasked(besides: Set(named.map(\.source)), of: command.pipeline.name)
    }

    /// The reason why a window of the source called `name` changes nothing; nil if it may change something.
    private func reason(for name: String, of pipeline: String) -> String? {
        let asked = sources.filter { $0.name.utf8.elementsEqual(name.utf8) }
        guard let source = asked.first else {
            return "`\(pipeline)` does not ask `\(name)`" + (combines ? " itself, and its parts are not simulated" : "")
        }
        return source.fixedInSimulation
    }

    /// The complaints about models of sources that a composite may ask in its parts. Sources of other pipelines share a model, and are no
    /// mistake.
    private func unasked(besides windows: Set<String>, of pipeline: String) -> [String] {
        guard combines else { return [] }
        let asked = Set(sources.map(\.name)).union(windows)
        let names = Set(variants.flatMap(\.model.sources.keys)).subtracting(asked).sorted()
        guard !names.isEmpty else { return [] }
        let list = names.map { "`\($0)`" }.joined(separator: ", ")
        return ["what the model says of \(list) has no effect: `\(pipeline)` does not ask \(names.count == 1 ? "it" : "them") itself"]
    }
}
