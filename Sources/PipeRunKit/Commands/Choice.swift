internal import ArgumentParser

/// One of the words of a type of the core, on the command line.
///
/// The type itself asks nothing of `Value`: for each option with one that did, the runtime would search all conformances of the program.
struct Choice<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}

extension Choice: ExpressibleByArgument where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    init?(argument: String) {
        guard let value = Value(rawValue: argument) else { return nil }
        self.init(value)
    }

    var defaultValueDescription: String { value.rawValue }

    static var allValueStrings: [String] { Value.allCases.map { $0.rawValue } }

    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}
