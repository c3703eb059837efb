/// Makes the keys of one pipeline from the arguments of a fetch.
struct KeyMaker: Sendable {
    private let pipeline: String
    private let parameters: [ParameterSpec]

    init(_ spec: PipelineSpec) {
        pipeline = spec.name
        parameters = spec.parameters
    }

    /// The key of a fetch with these arguments; defaults stand in for those that are missing.
    func key(_ arguments: [String: String]) throws(UsageError) -> Key {
        let known = parameters.map(\.name)
        for name in arguments.keys.sorted() where !known.contains(where: { $0.utf8.elementsEqual(name.utf8) }) {
            throw .undeclaredParameter(name, pipeline: pipeline, known: known)
        }
        var values: [Parameter] = []
        var missing: [String] = []
        for parameter in parameters {
            if let value = arguments[parameter.name] ?? parameter.defaultValue {
                values.append(Parameter(name: parameter.name, value: value))
            } else {
                missing.append(parameter.name)
            }
        }
        guard missing.isEmpty else { throw .missingParameters(missing, pipeline: pipeline) }
        return Key(pipeline: pipeline, parameters: values)
    }
}
