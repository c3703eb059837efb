/// A call that does not fit the configuration: a name it does not have, an argument too many or too few.
public enum UsageError: Error, Sendable, Hashable {
    case unknownPipeline(String, known: [String])
    case undeclaredParameter(String, pipeline: String, known: [String])
    /// Parameters without a default that have no value, in the order of the file.
    case missingParameters([String], pipeline: String)
    case unknownSource(String, known: [String])
    case repeatedSource(String)
    case emptyOrder
}

extension UsageError: CustomStringConvertible {
    /// What is wrong, and below it the nearest name or the list.
    public var description: String {
        guard let help else { return message }
        return message + "\nhelp: " + help
    }

    /// What is wrong: lower case, no full stop.
    public var message: String {
        switch self {
        case .unknownPipeline(let name, _): "unknown pipeline `\(name.shortened)`"
        case .undeclaredParameter(let name, let pipeline, _): "the pipeline `\(pipeline)` has no parameter `\(name.shortened)`"
        case .missingParameters(let names, let pipeline):
            "the pipeline `\(pipeline)` needs the parameter\(names.count == 1 ? "" : "s") \(Self.listed(names))"
        case .unknownSource(let name, _): "unknown source `\(name.shortened)` in the order"
        case .repeatedSource(let name): "the order names `\(name.shortened)` twice"
        case .emptyOrder: "the order names no source"
        }
    }

    private static func listed(_ names: [String]) -> String {
        let quoted = names.map { "`\($0.shortened)`" }
        return quoted.count < 2 ? quoted.joined() : quoted.dropLast().joined(separator: ", ") + " and " + (quoted.last ?? "")
    }

    /// The nearest name, else the known ones; nil when there is nothing to add.
    public var help: String? {
        switch self {
        case .unknownPipeline(let name, let known): NearestName.help(for: name, among: known, noun: "pipelines")
        case .undeclaredParameter(let name, let pipeline, let known):
            NearestName.help(for: name, among: known, noun: "parameters") ?? "`\(pipeline)` takes no parameters"
        case .missingParameters(let names, let pipeline):
            "give \(names.count == 1 ? "it" : "them") as in `pipe-run fetch \(pipeline) \(names.map { "\($0)=VALUE" }.joined(separator: " "))`"
        case .unknownSource(let name, let known): NearestName.help(for: name, among: known, noun: "sources")
        case .repeatedSource, .emptyOrder: nil
        }
    }
}
