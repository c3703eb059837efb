internal import Pipeline

/// A configuration as it holds, defaults included.
package struct EffectiveConfig: Sendable {
    /// `version`, `sources`, `pipelines` and `sends`.
    package let root: EffectiveValue

    /// Makes the configuration that `report` was read from. The report must have no errors; what could not be read is left out.
    ///
    /// - Parameters:
    ///   - folder: the folder that relative paths of `${file:…}` start from; empty for the working directory.
    ///   - environment: the one that the report was made with.
    package init(_ report: ConfigReport, folder: String, plugins: [SourcePlugin], environment: ConfigEnvironment) {
        let reader = EffectiveReader(
            environment: environment, folder: folder, redactor: Redactor(report.secrets), secretRanges: report.secretRanges)
        let sources = SourceTable(report.plan.sources)
        var members: [EffectiveValue.Member] = []
        let document = report.document
        let version = document?.member("version").map { reader.value($0, of: .int, uses: []) }
        members.append(.init(key: "version", value: version ?? EffectiveReader.byDefault("1", of: .int)))
        for (key, read) in [
            ("sources", { reader.source($0, plugins: plugins) }), ("pipelines", { reader.pipeline($0, sources: sources) }),
            ("sends", { reader.send($0, sources: sources) }),
        ] as [(String, (ConfigNode.Member) -> EffectiveValue)] {
            guard let section = document?.members.last(where: { $0.key == key }) else { continue }
            let values = section.value.members.map { EffectiveValue.Member(key: $0.key, value: read($0)) }
            members.append(.init(key: key, value: EffectiveValue(.mapping(values), from: [.place(section.value.target.range, uses: [])])))
        }
        root = EffectiveValue(.mapping(members), from: [])
    }
}

/// A value of a configuration as it holds: aliases and merges expanded, variables replaced, secrets masked.
package struct EffectiveValue: Sendable {
    /// The content of a value.
    package indirect enum Content: Sendable {
        case scalar(Scalar)
        case list([EffectiveValue])
        case mapping([Member])
    }

    /// A single value, as the text of a YAML scalar: a `$` is written `$$`.
    package struct Scalar: Sendable, Hashable {
        /// The text.
        package let text: String
        /// Indicates whether it loses its meaning in quotes: a number, a bool, nothing, an empty list.
        package let mustBePlain: Bool
    }

    /// One key with its value.
    package struct Member: Sendable {
        /// The key.
        package let key: String
        /// The value.
        package let value: EffectiveValue
    }

    /// The content of the value.
    package let content: Content
    /// Tells a single value from others where its text is masked: made from what is written, with its variables looked up. It is meant to
    /// be compared, never shown.
    package private(set) var identity: UInt64 = 0
    /// The origins of the value; for a list or a mapping, the places where it stands.
    package let origins: [ValueOrigin]

    init(_ content: Content, from origins: [ValueOrigin]) {
        self.content = content
        self.origins = origins
    }
}

extension EffectiveValue {
    /// This value, told apart from others by these texts (FNV-1a).
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

/// The origin of a value of a configuration.
package enum ValueOrigin: Sendable, Hashable {
    /// The value is written in the file, and comes to its place by the aliases and merges at `uses`.
    case place(TextRange, uses: [TextRange])
    /// The file does not mention it.
    case byDefault
    /// From an environment variable.
    case variable(String)
    /// From the default that a reference to this variable names; the variable is not set, or empty.
    case unsetVariable(String)
    /// From the text of a file.
    case file(String)
    /// The reference stays as it was written: put in its place, the value would be read as something else.
    case kept
    /// The value is not shown.
    case secret
}
