internal import PipelineConfig
internal import PipelineSimulation

/// What of the windows on a command line, and of a model beside a composite, changes nothing in any variant.
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

    /// Why a window of the source called `name` changes nothing; nil where it may.
    private func reason(for name: String, of pipeline: String) -> String? {
        let asked = sources.filter { $0.name.utf8.elementsEqual(name.utf8) }
        guard let source = asked.first else {
            return "`\(pipeline)` does not ask `\(name)`" + (combines ? " itself, and its parts are not simulated" : "")
        }
        return source.fixedInSimulation
    }

    /// What a model says of sources that a composite may ask in its parts. Those of other pipelines share a model, and are no mistake.
    private func unasked(besides windows: Set<String>, of pipeline: String) -> [String] {
        guard combines else { return [] }
        let asked = Set(sources.map(\.name)).union(windows)
        let names = Set(variants.flatMap(\.model.sources.keys)).subtracting(asked).sorted()
        guard !names.isEmpty else { return [] }
        let list = names.map { "`\($0)`" }.joined(separator: ", ")
        return ["what the model says of \(list) has no effect: `\(pipeline)` does not ask \(names.count == 1 ? "it" : "them") itself"]
    }
}
