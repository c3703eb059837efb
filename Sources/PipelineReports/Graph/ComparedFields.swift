package import PipelineConfig

/// The fields of a configuration as they hold, for comparing: each with its path (`headers.Accept`).
package struct ComparedFields {
    /// The beginning of the names of the fields of sources, so that no policy of a tier is taken for one.
    static let prefix = "source."

    /// The fields of the sources, by name.
    let sources: [String: [GraphPolicy]]
    /// The fields of the pipelines that the drawing does not show anyway, by name.
    let pipelines: [String: [GraphPolicy]]
    /// The fields of the tiers that the drawing does not show anyway, and the members of those that it shows, by the names of the pipeline
    /// and the source.
    let tiers: [String: [String: [GraphPolicy]]]

    package init() {
        (sources, pipelines, tiers) = ([:], [:], [:])
    }

    package init(_ config: EffectiveConfig) {
        sources = Self.members(of: config.root["sources"]).mapValues { Self.fields(of: $0, prefix: Self.prefix, besides: ["type"]) }
        let pipelines = Self.members(of: config.root["pipelines"])
        let shown = Set(PipelineField.allCases.filter { $0 != .combine && $0 != .links }.map(\.rawValue))
        self.pipelines = pipelines.mapValues { Self.fields(of: $0, besides: shown) }
        tiers = pipelines.mapValues { pipeline in
            guard case .list(let tiers)? = pipeline["tiers"]?.content else { return [:] }
            let named = tiers.compactMap { tier in tier["source"]?.text.map { ($0, tier) } }
            return Dictionary(named) { first, _ in first }.mapValues { tier in
                let single = TierConfig.policyNames.filter { tier[$0]?.isMapping != true }
                return Self.fields(of: tier, besides: Set(single + ["source"]))
            }
        }
    }

    private static func members(of value: EffectiveValue?) -> [String: EffectiveValue] {
        guard case .mapping(let members)? = value?.content else { return [:] }
        return Dictionary(members.map { ($0.key, $0.value) }) { first, _ in first }
    }

    private static func fields(of value: EffectiveValue, prefix: String = "", besides shown: Set<String>) -> [GraphPolicy] {
        guard case .mapping(let members) = value.content else { return [] }
        return members.filter { !shown.contains($0.key) }.flatMap { fields(of: $0.value, path: prefix + $0.key) }
    }

    private static func fields(of value: EffectiveValue, path: String) -> [GraphPolicy] {
        if case .mapping(let members) = value.content, !members.isEmpty {
            return members.flatMap { fields(of: $0.value, path: "\(path).\($0.key)") }
        }
        if value.isMapping { return [] }
        var field = GraphPolicy(path, value.flow)
        field.identities = value.identities
        field.origins = value.references
        return [field]
    }
}

extension EffectiveValue {
    fileprivate var isMapping: Bool { if case .mapping = content { true } else { false } }

    /// The value on one line.
    fileprivate var flow: String {
        switch content {
        case .scalar(let scalar): scalar.text
        case .list(let elements): "[" + elements.map(\.flow).joined(separator: ", ") + "]"
        case .mapping(let members): "{" + members.map { "\($0.key): \($0.value.flow)" }.joined(separator: ", ") + "}"
        }
    }

    /// The numbers that tell it from others, also where its text is masked.
    fileprivate var identities: [UInt64] {
        switch content {
        case .scalar: [identity]
        case .list(let elements): elements.flatMap(\.identities)
        case .mapping(let members): members.flatMap(\.value.identities)
        }
    }

    /// The variables and files that it comes from; nil for a secret.
    fileprivate var references: [String]? {
        switch content {
        case .scalar:
            origins.contains(.secret)
                ? nil
                : origins.compactMap { origin in
                    switch origin {
                    case .variable(let name), .unsetVariable(let name): "${\(name)}"
                    case .file(let path): "${file:\(path)}"
                    case .place, .byDefault, .kept, .secret: nil
                    }
                }
        case .list(let elements): Self.all(elements.map(\.references))
        case .mapping(let members): Self.all(members.map(\.value.references))
        }
    }

    private static func all(_ references: [[String]?]) -> [String]? {
        references.contains { $0 == nil } ? nil : references.flatMap { $0 ?? [] }
    }
}
