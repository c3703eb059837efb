internal import Pipeline

/// The fields of sources as they hold, for comparing: by the name of the source, each with its path (`headers.Accept`).
enum SourceFields {
    /// What begins the names of these fields, so that no policy of a tier is taken for one.
    static let prefix = "source."

    static func of(_ config: EffectiveConfig) -> [String: [GraphPolicy]] {
        guard case .mapping(let sources)? = config.root["sources"]?.content else { return [:] }
        return Dictionary(sources.map { ($0.key, fields(of: $0.value, path: "")) }) { first, _ in first }
    }

    private static func fields(of value: EffectiveValue, path: String) -> [GraphPolicy] {
        switch value.content {
        case .scalar(let scalar): [GraphPolicy(prefix + path, scalar.text)]
        case .list(let elements):
            [GraphPolicy(prefix + path, "[" + elements.compactMap(\.text).joined(separator: ", ") + "]")]
        case .mapping(let members):
            // What the source is shows in its title.
            members.filter { !path.isEmpty || $0.key != "type" }.flatMap {
                fields(of: $0.value, path: path.isEmpty ? $0.key : "\(path).\($0.key)")
            }
        }
    }
}
