internal import ArgumentParser
internal import Pipeline
internal import PipelineConfig
internal import PipelineJSON

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

/// A format in which `list` and `links` print.
enum ListFormat: String, CaseIterable, ExpressibleByArgument {
    case text
    case json
}

/// A diagnostic code on the command line, in upper or lower case.
enum CodeArgument {
    /// The codes between commas.
    static func codes(_ text: String) throws -> [DiagnosticCode] {
        try text.split(separator: ",", omittingEmptySubsequences: false).map { try code(String($0.filter { !$0.isWhitespace })) }
    }

    static func code(_ text: String) throws -> DiagnosticCode {
        guard let code = DiagnosticCode(named: text) else {
            let names = DiagnosticCode.allCases.map(\.rawValue)
            throw Usage.failure(
                "unknown code `\(text)`", help: NearestName.help(for: text, among: names, noun: "codes"))
        }
        return code
    }
}

/// A duration on the command line, as in the file: `500ms`, `2s`.
enum DurationArgument {
    static func duration(_ argument: String) throws -> Duration {
        guard let duration = try? Quantity.duration(argument) else {
            throw ValidationError("`\(argument)` is not a duration, such as `500ms` or `2s`")
        }
        guard duration > .zero else { throw ValidationError("`\(argument)` is too short: expected more than `0s`") }
        return duration
    }
}

/// A rate on the command line: `200/s`, `12000/m`.
enum RateArgument {
    /// Requests in a second.
    static func rate(_ argument: String) throws -> Double {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
        let seconds: [Substring: Double] = ["s": 1, "m": 60, "h": 3600]
        guard 1...2 ~= parts.count, let count = parts.first.flatMap({ Double($0) }), count.isFinite, count > 0,
            let unit = seconds[parts.count == 2 ? parts[1] : "s"]
        else { throw ValidationError("`\(argument)` is not a rate, such as `200/s` or `12000/m`") }
        return count / unit
    }
}

/// A size on the command line, as in the file: `64MiB`, `1GB`.
enum SizeArgument {
    static func size(_ argument: String) throws -> Size {
        guard let size = try? Quantity.size(argument), size.bytes > 0 else {
            throw ValidationError("`\(argument)` is not a size, such as `64MiB` or `1GB`")
        }
        return size
    }
}

/// A place in a JSON value on the command line.
enum PointerArgument {
    /// The place that `text` names. Throws what is wrong with it.
    static func pointer(_ text: String) throws -> JSONPointer {
        do throws(JSONPath.Problem) {
            return try JSONPointer(parsing: text)
        } catch {
            throw ValidationError("`\(text)` is not a JSON Pointer: \(error.message), as in `/author/name`")
        }
    }
}

/// The meaning of `--priority`, in the help of each command that takes it.
enum PriorityHelp {
    static let text = ArgumentHelp(
        "The priority of the fetch when requests must wait for an origin. Default: the pipeline's own priority.",
        valueName: "priority")
}
