/// A value of a configuration as it holds: aliases and merges expanded, variables replaced, secrets masked.
package struct EffectiveValue: Sendable {
    /// What it is.
    package indirect enum Content: Sendable {
        case scalar(Scalar)
        case list([EffectiveValue])
        case mapping([Member])
    }

    /// A single value, as the text of a YAML scalar: a `$` is written `$$`.
    package struct Scalar: Sendable, Hashable {
        /// The text.
        package let text: String
        /// Whether it loses its meaning in quotes: a number, a bool, nothing, an empty list.
        package let mustBePlain: Bool
    }

    /// One key with its value.
    package struct Member: Sendable {
        /// The key.
        package let key: String
        /// The value.
        package let value: EffectiveValue
    }

    /// What it is.
    package let content: Content
    /// Where it came from; for a list or a mapping, where it stands.
    package let origins: [ValueOrigin]

    init(_ content: Content, from origins: [ValueOrigin]) {
        self.content = content
        self.origins = origins
    }
}

extension EffectiveValue {
    /// The value of `key`; nil when this is no mapping, or has none.
    package subscript(key: String) -> EffectiveValue? {
        guard case .mapping(let members) = content else { return nil }
        return members.last { $0.key == key }?.value
    }

    /// The text of a single value.
    package var text: String? {
        if case .scalar(let scalar) = content { scalar.text } else { nil }
    }
}
