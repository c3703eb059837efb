internal import Pipeline

/// The whole of a configuration as it holds, defaults included.
package struct EffectiveConfig: Sendable {
    /// `version`, `sources` and `pipelines`.
    package let root: EffectiveValue

    /// What `report` was read from. Meant for reports without errors; what could not be read is left out.
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
        ] as [(String, (ConfigNode.Member) -> EffectiveValue)] {
            guard let section = document?.members.last(where: { $0.key == key }) else { continue }
            let values = section.value.members.map { EffectiveValue.Member(key: $0.key, value: read($0)) }
            members.append(.init(key: key, value: EffectiveValue(.mapping(values), from: [.place(section.value.target.range, uses: [])])))
        }
        root = EffectiveValue(.mapping(members), from: [])
    }
}
