public import Pipeline

/// A template whose text is secret, such as a header's value. It prints as `***`.
public struct SecretTemplate: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    let template: Template

    /// Whether the template gives one text for every key.
    public var isConstant: Bool { template.uses.isEmpty }

    /// The names of the parameters in it.
    public var parameters: Set<String> { template.parameters }

    /// The text before the first parameter.
    package var prefix: String { template.prefix }

    /// The text for `key`; every value goes through `encoding`, the text of the file does not.
    public func revealed(for key: Key, encoding: (String) -> String = { $0 }) -> String {
        template.filled(for: key, encoding: encoding)
    }

    /// `***`
    public var description: String { "***" }
    /// `***`
    public var debugDescription: String { "***" }
}
