import Pipeline
import PipelineLive
public import PipelineJSON

/// A reference in the values of a pipeline to a value of another one. Nothing is loaded until a caller follows it.
public struct LinkSpec: Sendable {
    /// The name under which it is followed, and which the followed value has beside the reference.
    public var name: String
    /// The place of the reference: one id, or a list of ids. The path ends in the name of a member.
    package var place: JSONPath
    /// The name of the pipeline that gives the value.
    public var pipeline: String
    /// The parameter that takes the id; nil for the only one of the pipeline without a default.
    public var parameter: String?
    /// The other arguments. No parameter is passed automatically.
    package var arguments: [String: PartArgument]
    /// Indicates whether a target that fails is left out.
    public var isOptional: Bool
    /// The JSON text to use for a missing or failed target; nil for none.
    public var defaultValue: [UInt8]?

    /// The most ids of one link, unless a composite says otherwise.
    package static let mostIDs = 1_000
    /// The most names of one path.
    package static let longestPath = 8

    /// The link called `name`, whose ids are at `place`.
    ///
    /// - Parameters:
    ///   - name: the name under which it is followed, and which the followed value has beside the reference.
    ///   - place: where the reference is: one id, or a list of ids. The path ends in the name of a member.
    ///   - pipeline: the name of the pipeline that gives the value.
    ///   - parameter: the parameter that takes the id; nil for the only one of the pipeline without a default.
    ///   - arguments: the other arguments. No parameter is passed automatically.
    ///   - isOptional: whether a target that fails is left out.
    ///   - defaultValue: JSON text to use for a missing or failed target; nil for none. Missing targets of a list are left out.
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
package struct LinkPath: Sendable, Hashable {
    /// The names of the links, first the one of the value at hand.
    package let names: [String]

    /// The path of these names.
    package init(_ names: [String]) { self.names = names }

    /// The path that `text` spells, with a full stop between two names.
    package init(_ text: String) {
        names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }
}

extension LinkPath: CustomStringConvertible {
    /// The names with full stops between them.
    package var description: String { names.joined(separator: ".") }
}
