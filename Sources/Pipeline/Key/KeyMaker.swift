/// Makes the keys of one pipeline from the arguments of a fetch.
struct KeyMaker: Sendable {
    /// One parameter, with what its key has of it, encoded.
    private struct Place: Sendable {
        let name: String
        let encodedDefault: String?
        /// The text between its value and the next one.
        let after: String
    }

    private let pipeline: String
    private let parameters: [ParameterSpec]
    /// The text up to the first value.
    private let start: String
    /// Sorted by the bytes of their names, as the text has them.
    private let places: [Place]

    init(_ spec: PipelineSpec) {
        pipeline = spec.name
        parameters = spec.parameters
        let sorted = spec.parameters.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        let prefixes = sorted.map { Key.prefix(ofValueOf: $0.name) }
        start = PercentEncoding.fileName.encoded(spec.name) + (prefixes.first ?? "")
        places = zip(sorted, prefixes.dropFirst() + [""]).map { parameter, after in
            Place(name: parameter.name, encodedDefault: parameter.defaultValue.map(PercentEncoding.fileName.encoded), after: after)
        }
    }

    /// The key of a fetch with these arguments; defaults stand in for those that are missing.
    func key(_ arguments: [String: String]) throws(UsageError) -> Key {
        var text = start
        var given = 0
        for index in places.indices {
            if let value = Self.value(of: places[index].name, in: arguments) {
                given += 1
                text += PercentEncoding.fileName.encoded(value)
            } else if let value = places[index].encodedDefault {
                text += value
            } else {
                throw problem(of: arguments)
            }
            if index + 1 < places.endIndex { text += places[index].after }
        }
        guard given == arguments.count else { throw problem(of: arguments) }
        return Key(pipeline: pipeline, encoded: text)
    }

    /// The value of the argument with this very name, byte for byte.
    private static func value(of name: String, in arguments: [String: String]) -> String? {
        // Of a single argument no hash is needed. A dictionary also finds a name that is only equivalent in Unicode.
        guard let index = arguments.count == 1 ? arguments.startIndex : arguments.index(forKey: name) else { return nil }
        let (given, value) = arguments[index]
        return given.hasSameBytes(as: name) ? value : nil
    }

    /// Why there is no key: the first name that is not declared, else the parameters that have no value.
    private func problem(of arguments: [String: String]) -> UsageError {
        let known = parameters.map(\.name)
        let declared = Set(known.map { ExactName($0) })
        if let name = arguments.keys.sorted().first(where: { !declared.contains(ExactName($0)) }) {
            return .undeclaredParameter(name, pipeline: pipeline, known: known)
        }
        let given = Set(arguments.keys.map { ExactName($0) })
        let missing = parameters.filter { $0.defaultValue == nil && !given.contains(ExactName($0.name)) }
        return .missingParameters(missing.map(\.name), pipeline: pipeline)
    }
}
