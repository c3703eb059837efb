internal import Pipeline

/// Makes the keys of one pipeline from those that a trace has.
struct KeyNaming {
    /// The meaning of a key of the trace.
    private enum Meaning {
        /// The value of a parameter.
        case value(of: String)
        /// The text of a key of this pipeline.
        case text(of: String)
        /// The target of a request over HTTP.
        case target(PathPattern, isExact: Bool)
    }

    private let pipeline: PipelineSpec
    private let meaning: Meaning
    /// Values of parameters that the keys of the trace do not have.
    private let arguments: [String: String]

    /// Throws where keys of the format cannot become keys of the pipeline.
    init(_ pipeline: PipelineSpec, _ rules: TraceRules, format: TraceFormat) throws(TraceError) {
        self.pipeline = pipeline
        arguments = rules.arguments
        let declared = pipeline.parameters.map(\.name)
        let required = Set(pipeline.parameters.filter { $0.defaultValue == nil }.map(\.name)).subtracting(arguments.keys)
        switch format {
        case .pipeRun: meaning = .text(of: rules.pipeline ?? pipeline.name)
        case .clf, .combined:
            guard rules.pipeline == nil || rules.map == nil else {
                throw TraceError("`--map` says which paths are requests", help: "leave out `--from`")
            }
            let pattern = rules.map ?? PathPattern(pipeline: rules.pipeline ?? pipeline.name, parameters: declared)
            for name in pattern.parameters { try Self.check(name, declared, pipeline.name) }
            if let missing = required.subtracting(pattern.parameters).min() {
                throw TraceError(
                    "`--map` does not name the parameter `\(missing)` of `\(pipeline.name)`", help: "give it as in `\(missing)=VALUE`")
            }
            meaning = .target(pattern, isExact: rules.map == nil)
        default:
            guard rules.pipeline == nil else {
                throw TraceError("a trace of the format `\(format.rawValue)` names no pipelines", help: "leave out `--from`")
            }
            let name = try Self.parameter(of: pipeline, rules, format)
            if let missing = required.subtracting([name]).min() {
                throw TraceError("`\(pipeline.name)` also needs the parameter `\(missing)`, for which the trace has no value")
            }
            meaning = .value(of: name)
        }
    }

    /// The parameter that a key fills.
    private static func parameter(of pipeline: PipelineSpec, _ rules: TraceRules, _ format: TraceFormat) throws(TraceError) -> String {
        let declared = pipeline.parameters.map(\.name)
        if let chosen = rules.parameter {
            try check(chosen, declared, pipeline.name)
            guard rules.arguments[chosen] == nil else {
                throw TraceError(
                    "the parameter `\(chosen)` has one value for all keys, and `--key` fills it", help: "leave out one of them")
            }
            return chosen
        }
        let open = declared.filter { rules.arguments[$0] == nil }
        guard let first = open.first else {
            if let filled = declared.first {
                throw TraceError(
                    "no parameter of `\(pipeline.name)` is left that the keys of the trace could fill", help: "leave out `\(filled)=`")
            }
            // Of a file that is no trace at all, that is the reason.
            throw TraceError(
                "`\(pipeline.name)` takes no parameter that the keys of the trace could fill",
                help: rules.format == nil
                    ? "the file is read as a trace of the format `\(format.rawValue)`; `--trace-format` names another" : nil)
        }
        guard open.count == 1 else {
            let names = open.joined(separator: "`, `")
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
        case .text(let name): Key(text: text).flatMap { $0.pipeline.hasSameBytes(as: name) ? renamed($0) : nil }
        case .target(let pattern, let isExact): pattern.arguments(in: text, isExact: isExact).flatMap(key)
        }
    }

    /// The pipeline that `text` is a key of, where that is another one.
    func stranger(_ text: String) -> String? {
        guard case .text(let name) = meaning, let other = Key(text: text)?.pipeline, !other.hasSameBytes(as: name) else { return nil }
        return other
    }

    /// `key` as one of the pipeline; nil if it has other parameters. The only value fills the only parameter, whatever another pipeline
    /// calls it.
    private func renamed(_ key: Key) -> Key? {
        var own = Dictionary(key.parameters.map { ($0.name, $0.value) }) { first, _ in first }
        let open = pipeline.parameters.map(\.name).filter { arguments[$0] == nil }
        let isOther = !key.pipeline.hasSameBytes(as: pipeline.name)
        if isOther, let value = own.values.first, own.count == 1, open.count == 1 { own = [open[0]: value] }
        let all = arguments.merging(own) { $1 }
        return Set(all.keys) == Set(pipeline.parameters.map(\.name)) ? self.key(all) : nil
    }

    /// The key with these arguments, and defaults for the others; nil if one is missing.
    private func key(_ arguments: [String: String]) -> Key? {
        var parameters: [Parameter] = []
        for parameter in pipeline.parameters {
            guard let value = arguments[parameter.name] ?? self.arguments[parameter.name] ?? parameter.defaultValue else { return nil }
            parameters.append(Parameter(name: parameter.name, value: value))
        }
        return Key(pipeline: pipeline.name, parameters: parameters)
    }
}
