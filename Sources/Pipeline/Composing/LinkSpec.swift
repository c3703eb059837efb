public import PipelineJSON

/// A reference in the values of a pipeline to a value of another one. Nothing is loaded until a caller follows it.
public struct LinkSpec: Sendable {
    /// The name under which it is followed, and which the followed value has beside the reference.
    public var name: String
    /// Where the reference is: one id, or a list of ids. The path ends in the name of a member.
    public var place: JSONPath
    /// The name of the pipeline that gives the value.
    public var pipeline: String
    /// The parameter that takes the id; nil for the only one of the pipeline without a default.
    public var parameter: String?
    /// The other arguments. They do not pass by themselves.
    public var arguments: [String: PartArgument]
    /// Whether the whole can do without a target that fails.
    public var isOptional: Bool
    /// The JSON text that takes the place of a target without a value; nil for none.
    public var defaultValue: [UInt8]?

    /// The most ids of one link, unless a composite says otherwise.
    public static let mostIDs = 1_000
    /// The most names of one path.
    public static let longestPath = 8

    /// The link called `name`, whose ids are at `place`.
    public init(
        _ name: String, at place: JSONPath, pipeline: String, parameter: String? = nil, with arguments: [String: PartArgument] = [:],
        optional isOptional: Bool = false, default defaultValue: String? = nil
    ) {
        self.name = name
        self.place = place
        self.pipeline = pipeline
        self.parameter = parameter
        self.arguments = arguments
        self.isOptional = isOptional
        self.defaultValue = defaultValue.map { Array($0.utf8) }
    }
}

/// Links that are followed one after the other: `comments.author`.
public struct LinkPath: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The names of the links, first the one of the value at hand.
    public let names: [String]

    /// The path of these names.
    public init(_ names: [String]) { self.names = names }

    /// The path that `text` spells, with a full stop between two names.
    public init(_ text: String) {
        names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }

    /// The path that `text` spells.
    public init(stringLiteral text: String) { self.init(text) }
}

extension LinkPath: CustomStringConvertible {
    /// The names with full stops between them.
    public var description: String { names.joined(separator: ".") }
}
