internal import ArgumentParser
internal import Pipeline

/// What `fetch` prints.
enum FetchOutput: String, CaseIterable, ExpressibleByArgument {
    case raw
    case envelope
}

/// One of the words of a type of the core, on the command line.
struct Choice<Value: RawRepresentable & CaseIterable>: ExpressibleByArgument where Value.RawValue == String {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }

    init?(argument: String) {
        guard let value = Value(rawValue: argument) else { return nil }
        self.value = value
    }

    var defaultValueDescription: String { value.rawValue }

    static var allValueStrings: [String] { Value.allCases.map(\.rawValue) }
}

/// A duration on the command line, as in the file: `500ms`, `2s`.
enum DurationArgument {
    static func duration(_ argument: String) throws -> Duration {
        guard let duration = try? Quantity.duration(argument), duration > .zero else {
            throw ValidationError("`\(argument)` is no time to wait; write it as `500ms` or `2s`")
        }
        return duration
    }
}
