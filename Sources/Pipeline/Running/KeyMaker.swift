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
    private let encoding = PercentEncoding.fileName
    private let parameters: [ParameterSpec]
    /// The text up to the first value.
    private let start: String
    /// Sorted by the bytes of their names, as the text has them.
    private let places: [Place]
    /// The name of the parameter, where there is but one.
    private let only: String?
    /// The key of a pipeline without parameters.
    private let constant: Key?

    init(_ pipeline: String, _ parameters: [ParameterSpec]) {
        self.pipeline = pipeline
        self.parameters = parameters
        let sorted = parameters.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        let prefixes = sorted.map { Key.prefix(ofValueOf: $0.name) }
        start = PercentEncoding.fileName.encoded(pipeline) + (prefixes.first ?? "")
        only = sorted.count == 1 ? sorted[0].name : nil
        constant = sorted.isEmpty ? Key(pipeline: pipeline, encoded: start) : nil
        places = zip(sorted, prefixes.dropFirst() + [""]).map { parameter, after in
            Place(name: parameter.name, encodedDefault: parameter.defaultValue.map(PercentEncoding.fileName.encoded), after: after)
        }
    }

    /// What `find` gives for the text of the key and its hash, made on the stack. Nil, and `find` is not called, where the arguments are not
    /// the single one of the pipeline, or its value is long or must be encoded.
    @inline(__always)
    func withText<Found>(of arguments: Arguments, _ find: (Span<UInt8>, _ hash: UInt64) -> Found?) -> Found? {
        guard case .one(let name, let value) = arguments.contents, let only, name.hasSameBytes(as: only) else { return nil }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.roomOnStack) { room in
            let before = start.utf8.count
            let count = before + value.utf8.count
            guard count <= Self.roomOnStack else { return nil }
            start.withBytes { UnsafeMutableRawBufferPointer(room).copyMemory(from: UnsafeRawBufferPointer($0)) }
            guard value.withBytes({ encoding.copy($0, to: room, at: before) }) else { return nil }
            let text = UnsafeBufferPointer(rebasing: room[..<count])
            return find(text.span, KeyHash.hash(of: UnsafeRawBufferPointer(text)))
        }
    }

    private static let roomOnStack = 256

    /// The key of a fetch with these arguments; defaults stand in for those that are missing.
    func key(_ arguments: Arguments) throws(UsageError) -> Key {
        switch arguments.contents {
        case .one(let name, let value):
            guard let only, name.hasSameBytes(as: only) else { return try key([name: value]) }
            return Key(pipeline: pipeline, encoded: start + PercentEncoding.fileName.encoded(value))
        case .dictionary(let arguments): return try key(arguments)
        }
    }

    /// The key of a fetch with these arguments; defaults stand in for those that are missing.
    func key(_ arguments: [String: String]) throws(UsageError) -> Key {
        if let constant, arguments.isEmpty { return constant }
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
