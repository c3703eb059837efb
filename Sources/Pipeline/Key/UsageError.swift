/// A call that does not fit the pipelines: a name that is not known, an argument too many or too few.
///
/// New cases may come: switch with a `default`.
public enum UsageError: Error, Sendable, Hashable {
    case unknownPipeline(String, known: [String])
    case undeclaredParameter(String, pipeline: String, known: [String])
    /// Parameters without a default that have no value, in the order of the file.
    case missingParameters([String], pipeline: String)
    case unknownSource(String, known: [String])
    case repeatedSource(String)
    /// A source that asks with a parameter that the pipeline does not have, as the source writes it; nil if that is a part of a secret.
    case unfitSource(String, needs: String?, pipeline: String)
    case emptyOrder
    /// Two pipelines of the same name.
    case repeatedPipeline(String)
    case repeatedParameter(String, pipeline: String)
    /// A write-back from a source that is not a tier of the pipeline, or to one that is not a cache of it.
    case unknownTarget(String, pipeline: String, known: [String])
    /// Two sources under one name.
    case ambiguousSource(String)
    /// A link that the pipeline does not have.
    case unknownLink(String, pipeline: String, known: [String])
    /// A path of more links than are followed.
    case longPath(String, most: Int)
    /// The reason why a pipeline cannot be made from others.
    case composite(String, pipeline: String)
    /// What a module above adds to the pipelines, such as a kind of send, by its name and with the reason why it cannot be used.
    case unfitAddition(String, String)
    /// A feed of a source that reports no changes.
    case notAChangeSource(String, pipeline: String)
}

extension UsageError: CustomStringConvertible {
    /// The problem, and below it the nearest name or the list.
    public var description: String {
        guard let help else { return message }
        return message + "\nhelp: " + help
    }

    /// The problem in words: lower case, no full stop.
    package var message: String {
        switch self {
        case .unknownPipeline("", _): "no pipeline is named"
        case .unknownPipeline(let name, _): "unknown pipeline `\(name.shortened)`"
        case .undeclaredParameter(let name, let pipeline, _): "the pipeline `\(pipeline)` has no parameter `\(name.shortened)`"
        case .missingParameters(let names, let pipeline):
            "the pipeline `\(pipeline)` needs the parameter\(names.count == 1 ? "" : "s") \(Self.listed(names))"
        case .unknownSource(let name, _): "unknown source `\(name.shortened)` in the order"
        case .repeatedSource(let name): "the order names `\(name.shortened)` twice"
        case .unfitSource(let name, let need, let pipeline):
            "the source `\(name.shortened)` needs \(need.map { "`\($0.shortened)`" } ?? "what stands in braces there"), which is not a parameter of `\(pipeline)`"
        case .emptyOrder: "the order names no source"
        case .repeatedPipeline(let name): "two pipelines are called `\(name.shortened)`"
        case .repeatedParameter(let name, let pipeline): "the pipeline `\(pipeline)` declares the parameter `\(name.shortened)` twice"
        case .unknownTarget(let name, let pipeline, _): "the pipeline `\(pipeline)` writes back to `\(name.shortened)`, which it cannot"
        case .ambiguousSource(let name): "two sources are called `\(name.shortened)`"
        case .unknownLink(let name, let pipeline, _): "the pipeline `\(pipeline)` has no link `\(name.shortened)`"
        case .longPath(let path, let most): "the path `\(path.shortened)` has more than \(most) links"
        case .composite(let problem, let pipeline): "the pipeline `\(pipeline)` cannot be combined: \(problem)"
        case .unfitAddition(let name, let problem): "`\(name.shortened)` cannot be used: \(problem)"
        case .notAChangeSource(let name, let pipeline): "`\(name.shortened)` tells the pipeline `\(pipeline)` of no changes"
        }
    }

    private static func listed(_ names: [String]) -> String {
        let quoted = names.map { "`\($0.shortened)`" }
        return quoted.count < 2 ? quoted.joined() : quoted.dropLast().joined(separator: ", ") + " and " + (quoted.last ?? "")
    }

    /// The nearest name, else the known ones; nil when there is nothing to add.
    package var help: String? {
        switch self {
        case .unknownPipeline(let name, let known): NearestName.help(for: name, among: known, noun: "pipelines")
        case .undeclaredParameter(let name, let pipeline, let known):
            NearestName.help(for: name, among: known, noun: "parameters") ?? "`\(pipeline)` takes no parameters"
        case .missingParameters(let names, let pipeline):
            "give \(names.count == 1 ? "it" : "them") as in `pipe-run fetch \(pipeline) \(names.map { "\($0)=VALUE" }.joined(separator: " "))`"
        case .unknownSource(let name, let known): NearestName.help(for: name, among: known, noun: "sources")
        case .unknownTarget(let name, _, let known): NearestName.help(for: name, among: known, noun: "tiers")
        case .unknownLink(let name, let pipeline, let known):
            NearestName.help(for: name, among: known, noun: "links") ?? "`\(pipeline)` has no links"
        case .repeatedSource, .unfitSource, .unfitAddition, .longPath, .composite, .emptyOrder, .repeatedPipeline, .repeatedParameter,
            .ambiguousSource,
            .notAChangeSource:
            nil
        }
    }
}

extension UsageError {
    /// The positions of the names of `order` among those that are `known`; each must be there, once.
    package static func checked(_ order: [String], known: [String]) throws(UsageError) -> [Int] {
        let positions = Dictionary(known.enumerated().map { (ExactName($1), $0) }) { first, _ in first }
        var indexes: [Int] = []
        var taken: Set<Int> = []
        for name in order {
            guard let index = positions[ExactName(name)] else { throw .unknownSource(name, known: known) }
            guard taken.insert(index).inserted else { throw .repeatedSource(name) }
            indexes.append(index)
        }
        guard !indexes.isEmpty else { throw .emptyOrder }
        return indexes
    }
}
