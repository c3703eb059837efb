public import Pipeline

/// A template for plain text, such as a request body or a query value. The one who uses it encodes the values.
public struct TextTemplate: Sendable, Hashable {
    let template: Template

    /// Whether the template gives one text for every key.
    public var isConstant: Bool { template.uses.isEmpty }

    /// The names of the parameters in it.
    public var parameters: Set<String> { template.parameters }

    init(template: Template) {
        self.template = template
    }

    /// The template that is written `text`, without variables: for tests and for pipelines written in Swift.
    public init(_ text: String) {
        template = Template(InterpolatedText(pieces: [.literal(text, offset: 0)]), isLenient: true)
    }

    /// The text for `key`; every value goes through `encoding`, the text of the file does not.
    public func filled(for key: Key, encoding: (String) -> String = { $0 }) -> String {
        template.filled(for: key, encoding: encoding)
    }

    /// The parameter that the text begins with; nil where something else stands before it, or there is none.
    package var leadingParameter: String? {
        if case .parameter(let name)? = template.pieces.first { name } else { nil }
    }

    /// The text before the first parameter.
    public var prefix: String { template.prefix }
}
