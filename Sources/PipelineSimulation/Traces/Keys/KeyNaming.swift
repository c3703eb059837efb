internal import Pipeline

/// Makes the keys of one pipeline from those that a trace has.
struct KeyNaming {
    /// What a key of the trace is.
    private enum Meaning {
        /// The value of a parameter.
        case value(of: String)
        /// The text of a key.
        case text
        /// The target of a request over HTTP.
        case target(PathPattern, isExact: Bool)
    }

    private let pipeline: PipelineSpec
    private let meaning: Meaning

    /// Throws where keys of the format cannot become keys of the pipeline.
    init(_ pipeline: PipelineSpec, _ rules: TraceRules, format: TraceFormat) throws(TraceError) {
        self.pipeline = pipeline
        let declared = pipeline.parameters.map(\.name)
        let required = Set(pipeline.parameters.filter { $0.defaultValue == nil }.map(\.name))
        switch format {
        case .pipeRun: meaning = .text
        case .clf, .combined:
            let pattern = rules.map ?? PathPattern(pipeline: pipeline.name, parameters: declared)
            for name in pattern.parameters { try Self.check(name, declared, pipeline.name) }
            if let missing = required.subtracting(pattern.parameters).min() {
                throw TraceError("`--map` does not name the parameter `\(missing)` of `\(pipeline.name)`")
            }
            meaning = .target(pattern, isExact: rules.map == nil)
        default:
            let name = try Self.parameter(of: pipeline, rules.parameter)
            if let missing = required.subtracting([name]).min() {
                throw TraceError("`\(pipeline.name)` also needs the parameter `\(missing)`, for which the trace has no value")
            }
            meaning = .value(of: name)
        }
    }

    /// The parameter that a key fills.
    private static func parameter(of pipeline: PipelineSpec, _ chosen: String?) throws(TraceError) -> String {
        let declared = pipeline.parameters.map(\.name)
        if let chosen {
            try check(chosen, declared, pipeline.name)
            return chosen
        }
        guard let first = declared.first else {
            throw TraceError("`\(pipeline.name)` takes no parameter that the keys of the trace could fill")
        }
        guard declared.count == 1 else {
            let names = declared.joined(separator: "`, `")
            throw TraceError(
                "`\(pipeline.name)` takes several parameters: `\(names)`", help: "say which one the keys fill: `--key \(first)`")
        }
        return first
    }

    private static func check(_ name: String, _ declared: [String], _ pipeline: String) throws(TraceError) {
        guard !declared.contains(name) else { return }
        throw TraceError(
            "`\(pipeline)` has no parameter `\(name)`", help: NearestName.help(for: name, among: declared, noun: "parameters"))
    }

    /// The key that `text` stands for; nil for one of another pipeline.
    func key(_ text: String) -> Key? {
        switch meaning {
        case .value(let name): key([name: text])
        case .text:
            Key(text: text).flatMap { key in
                let isOurs = key.pipeline == pipeline.name && Set(key.parameters.map(\.name)) == Set(pipeline.parameters.map(\.name))
                return isOurs ? key : nil
            }
        case .target(let pattern, let isExact): pattern.arguments(in: text, isExact: isExact).flatMap(key)
        }
    }

    /// The key with these arguments, and defaults for the others; nil where one is missing.
    private func key(_ arguments: [String: String]) -> Key? {
        var parameters: [Parameter] = []
        for parameter in pipeline.parameters {
            guard let value = arguments[parameter.name] ?? parameter.defaultValue else { return nil }
            parameters.append(Parameter(name: parameter.name, value: value))
        }
        return Key(pipeline: pipeline.name, parameters: parameters)
    }
}
