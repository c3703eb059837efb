import Pipeline
import PipelineLive
public import PipelineJSON

/// A part of a composite: the value of another pipeline.
///
/// A part without a value fails the composite, unless it is optional or has a default.
public struct PartSpec: Sendable, ExpressibleByStringLiteral {
    /// The name of the pipeline.
    public var pipeline: String
    /// The arguments of the part. A parameter that is not here takes the one of the same name that the composite has, or its own default.
    package var arguments: [String: PartArgument]
    /// The place in the value that is used.
    package var select: JSONPointer
    /// The links that are followed in it, each a path of names: `comments.author`.
    package var follow: [LinkPath]
    /// Indicates whether it is left out if it fails or has no value.
    public var isOptional: Bool
    /// The JSON text that takes its place when it has no value; nil for none.
    public var defaultValue: [UInt8]?
    /// The time it has; nil for the time of the composite.
    public var timeout: Duration?

    /// A part that is the value of `pipeline`.
    ///
    /// - Parameters:
    ///   - arguments: its arguments. A parameter that is not here takes the one of the same name that the composite has, or its own default.
    ///   - select: the place in the value that is used.
    ///   - follow: the links that are followed in it, each a path of names: `comments.author`.
    ///   - isOptional: whether to leave the part out when it fails or has no value.
    ///   - defaultValue: JSON text to use when the part fails or has no value; nil for none.
    ///   - timeout: the time it has; nil for the time of the composite.
    public init(
        _ pipeline: String, with arguments: [String: PartArgument] = [:], select: JSONPointer = .whole, follow: [String] = [],
        optional isOptional: Bool = false, default defaultValue: String? = nil, timeout: Duration? = nil
    ) {
        self.pipeline = pipeline
        self.arguments = arguments
        self.select = select
        self.follow = follow.map(LinkPath.init)
        self.isOptional = isOptional
        self.defaultValue = defaultValue.map { Array($0.utf8) }
        self.timeout = timeout
    }

    /// The value of the pipeline of this name.
    public init(stringLiteral pipeline: String) {
        self.init(pipeline)
    }

    /// Whether the whole fails without it.
    var isRequired: Bool { !isOptional && defaultValue == nil }
}

/// An argument of a part or of the target of a link.
public struct PartArgument: Sendable, Hashable, ExpressibleByStringLiteral {
    /// A piece of a text.
    package enum Segment: Sendable, Hashable {
        case text(String)
        /// The value of a parameter of the composite, or of the pipeline that has the link.
        case parameter(String)
    }

    package enum Value: Sendable, Hashable {
        case text([Segment])
        /// A place in the value of another part of the object.
        case part(String, at: JSONPointer)
        /// A place in the value that holds the reference.
        case holder(at: JSONPointer)
    }

    package let value: Value

    package init(_ value: Value) { self.value = value }

    /// A text with `{parameter}` for values of parameters.
    public init(stringLiteral text: String) {
        self.init(text: text)
    }

    /// A text with `{parameter}` for values of parameters.
    public init(text: String) {
        var segments: [Segment] = []
        var rest = text[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            if open > rest.startIndex { segments.append(.text(String(rest[..<open]))) }
            segments.append(.parameter(String(rest[rest.index(after: open)..<close])))
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { segments.append(.text(String(rest))) }
        self.init(.text(segments))
    }

    /// The value at `place` in the value of another part of the same object, which is fetched first: a string, or a number as it is
    /// written.
    public static func from(_ part: String, at place: JSONPointer) -> PartArgument { PartArgument(.part(part, at: place)) }

    /// The value at `place` in the value that holds the reference of a link: a string, or a number as it is written.
    public static func at(_ place: JSONPointer) -> PartArgument { PartArgument(.holder(at: place)) }

    /// The parameters of the composite that it takes.
    package var parameters: [String] {
        guard case .text(let segments) = value else { return [] }
        return segments.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
    }

    /// The part it waits for.
    package var neededPart: String? {
        if case .part(let name, _) = value { name } else { nil }
    }

    /// The text with the values of these parameters; nil for one that is taken from a value, and where a parameter is missing.
    func text(_ parameters: [Parameter]) -> String? {
        guard case .text(let segments) = value else { return nil }
        var text = ""
        for segment in segments {
            switch segment {
            case .text(let part): text += part
            case .parameter(let name):
                guard let parameter = parameters.first(where: { $0.name.hasSameBytes(as: name) }) else { return nil }
                text += parameter.value
            }
        }
        return text
    }
}
