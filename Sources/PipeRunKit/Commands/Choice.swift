internal import ArgumentParser

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

    static var allValueStrings: [String] { Value.allCases.map { $0.rawValue } }

    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}
