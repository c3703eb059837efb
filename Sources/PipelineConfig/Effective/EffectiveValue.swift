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
    /// Tells a single value from others where its text is masked: made from what is written, with its variables looked up. It is meant to
    /// be compared, never shown.
    package private(set) var identity: UInt64 = 0
    /// Where it came from; for a list or a mapping, where it stands.
    package let origins: [ValueOrigin]

    init(_ content: Content, from origins: [ValueOrigin]) {
        self.content = content
        self.origins = origins
    }
}

extension EffectiveValue {
    /// The same, told apart from others by these texts (FNV-1a).
    func identified(by texts: [String]) -> EffectiveValue {
        var value = self
        value.identity = texts.flatMap { $0.utf8 + [0xFF] }.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return value
    }

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
