internal import ArgumentParser
internal import Pipeline
import PipelineComposing
internal import PipelineConfig
internal import PipelineScenarios
internal import PipelineServer
internal import PipelineSimulation
internal import PipelineYAML

/// The words that a shell offers while a name of the file, or of a plugin, is being typed.
enum Suggestions {
    /// The pipelines of the file.
    static let pipelines = CompletionKind.custom(pipelineNames)
    /// The parameters of the pipeline that was named, each with its `=`.
    static let parameters = CompletionKind.custom(parameterNames)
    /// The sends of the file.
    static let sends = CompletionKind.custom(sendNames)
    /// The sends of the file, and the word for all of them.
    static let allowedSends = CompletionKind.custom { [SendAllowance.all] + sendNames($0, $1, $2) }
    /// The parameters of the send that was named, each with its `=`.
    static let sendParameters = CompletionKind.custom(sendParameterNames)
    /// The outboxes of the file.
    static let outboxes = CompletionKind.custom(outboxNames)
    /// A list of sources of the file, with commas.
    static let order = CompletionKind.custom(orders)
    /// A source of the file with its `=`.
    static let swap = CompletionKind.custom(swapNames)
    /// A field that can be varied, with its `=`.
    static let field = CompletionKind.custom(fieldNames)
    /// A source that a simulation has a window for, with the `@` of its beginning.
    static let window = CompletionKind.custom(windowNames)
    /// A tag of the tests beside the file.
    static let tag = CompletionKind.custom(tags)
    /// An expression for the name of a test beside the file.
    static let testName = CompletionKind.custom(testNames)
    /// A link of the pipeline that the words name, or a path of links.
    static let link = CompletionKind.custom(linkPaths)
    /// A type of source.
    static let sourceType = CompletionKind.custom(sourceTypes)
    /// A list of types of sources, with commas.
    static let sourceTypeList = CompletionKind.custom(sourceTypeLists)
    /// The code of a diagnostic.
    static let code = CompletionKind.list(DiagnosticCode.allCases.map(\.rawValue))
    /// The code of a warning or a note.
    static let warning = CompletionKind.list(DiagnosticCode.allCases.filter { $0.severity != .error }.map(\.rawValue))

    @Sendable private static func pipelineNames(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
        plan(of: CommandWords(words: words, index: index))?.pipelines.map(\.name).filter(isTypeable) ?? []
    }

    @Sendable private static func parameterNames(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
        let words = CommandWords(words: words, index: index)
        guard !words.isInValue, let plan = plan(of: words), let name = words.first(of: plan.pipelines.map(\.name)),
            let pipeline = try? plan.pipeline(name)
        else { return [] }
        return unassigned(pipeline.parameters, in: words)
    }

    /// The parameters that have no value yet, each with its `=`.
    private static func unassigned(_ parameters: [ParameterConfig], in words: CommandWords) -> [String] {
        let assigned = words.assigned
        return parameters.map(\.name).filter { !assigned.contains($0) }.map { $0 + "=" }
    }

    @Sendable private static func sendNames(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
        plan(of: CommandWords(words: words, index: index))?.sends.map(\.name).filter(isTypeable) ?? []
    }

    @Sendable private static func sendParameterNames(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
        let words = CommandWords(words: words, index: index)
        guard !words.isInValue, let sends = plan(of: words)?.sends, let name = words.first(of: sends.map(\.name)),
            let send = sends.first(where: { $0.name == name })
        else { return [] }
        return unassigned(send.parameters, in: words)
    }

    @Sendable private static func outboxNames(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
        plan(of: CommandWords(words: words, index: index))?.sources.filter(\.keepsSends).map(\.name).filter(isTypeable) ?? []
    }

    @Sendable private static func orders(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
        NameList(typed: prefix).completed(with: askedSources(CommandWords(words: words, index: index)))
    }

    @Sendable private static func swapNames(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
        let words = CommandWords(words: words, index: index)
        return words.isInValue ? [] : askedSources(words).map { $0 + "=" }
    }

    @Sendable private static func fieldNames(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
        let words = CommandWords(words: words, index: index)
        guard !words.isInValue, let plan = namedPlan(words) else { return [] }
        let ofTiers = plan.tiers.map(\.source).filter { isTypeable($0.name) }.flatMap { source in
            let ofSource = source.isWritable == true ? source.fieldNames.filter { $0.hasPrefix("max_") } : []
            let ofTier = TierField.allCases.filter { source.isWritable == true || !$0.isOfCopies }.map(\.rawValue)
            return (ofTier + ofSource).map { "\(source.name).\($0)" }
        }
        return (ofTiers + windows).map { $0 + "=" }
    }

    /// The fields of a pipeline that a simulation goes by.
    private static let windows = ["stale_while_revalidate", "stale_if_error", "not_found_ttl", "refresh_ahead", "deadline"]

    @Sendable private static func windowNames(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
        namedPlan(CommandWords(words: words, index: index))?.tiers.map(\.source).filter { !$0.isComposite && isTypeable($0.name) }
            .map { $0.name + "@" } ?? []
    }

    /// The pipeline that the words name.
    private static func namedPlan(_ words: CommandWords) -> PipelinePlan? {
        guard let plan = plan(of: words), let name = words.first(of: plan.pipelines.map(\.name)) else { return nil }
        return try? plan.pipeline(name)
    }

    @Sendable private static func linkPaths(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
        let words = CommandWords(words: words, index: index)
        guard let plan = plan(of: words), let name = words.first(of: plan.pipelines.map(\.name)), var pipeline = try? plan.pipeline(name)
        else { return [] }
        let path = prefix.split(separator: ".", omittingEmptySubsequences: false).dropLast()
        for name in path {
            guard let link = pipeline.links.first(where: { $0.spec.name == name }), let next = try? plan.pipeline(link.spec.pipeline) else {
                return []
            }
            pipeline = next
        }
        return pipeline.links.map(\.spec.name).filter(isTypeable).map { (path + [$0[...]]).joined(separator: ".") }
    }

    /// The sources that can be asked.
    private static func askedSources(_ words: CommandWords) -> [String] {
        plan(of: words)?.sources.filter(\.mayHoldValues).map(\.name).filter(isTypeable) ?? []
    }

    @Sendable private static func sourceTypes(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
        Program.plugins.map(\.name)
    }

    @Sendable private static func sourceTypeLists(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
        NameList(typed: prefix).completed(with: Program.plugins.map(\.name))
    }

    @Sendable private static func tags(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
        let tags = tests(beside: CommandWords(words: words, index: index)).compactMap { $0.target.member("tags")?.target }.flatMap {
            tags -> [String] in
            if case .sequence(let words) = tags.content { return words.compactMap(\.scalarText) }
            return [tags.scalarText].compactMap(\.self)
        }
        return Set(tags).filter(isTypeable).sorted()
    }

    /// The names of tests for a shell: a name is several words, which it would want quotes for, so that whatever is no letter and no digit
    /// becomes a dot, which matches it.
    @Sendable private static func testNames(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
        let names = tests(beside: CommandWords(words: words, index: index)).compactMap { $0.target.member("name")?.target.scalarText }
        return names.map { String($0.map { $0.isLetter || $0.isNumber ? $0 : "." }) }
    }

    /// The tests beside the file at hand.
    private static func tests(beside words: CommandWords) -> [ConfigNode] {
        let root = CompletedFile(ScenarioSuite.testPath(of: words.configPath))?.config.root
        guard case .sequence(let tests)? = root?.target.member("tests")?.target.content else { return [] }
        return tests
    }

    /// The plan of the file at hand; nil, without a word, where there is no sound one. No variable and no further file is looked at.
    private static func plan(of words: CommandWords) -> Plan? {
        guard let file = CompletedFile(words.configPath) else { return nil }
        let report = file.config.report(plugins: Program.plugins, environment: ConfigEnvironment([:]), level: .schema)
        return report.diagnostics.hasErrors ? nil : report.plan
    }

    /// Indicates whether a shell can take the name as one word that needs no quotes, on a line of its own.
    private static func isTypeable(_ name: String) -> Bool {
        !name.isEmpty && !name.hasPrefix("-")
            && name.unicodeScalars.allSatisfy { scalar in
                scalar.value > 0x20 && scalar.value != 0x7F && !"'\"\\`$&|;<>()*?[]{}!#~:,=".unicodeScalars.contains(scalar)
            }
    }
}

extension ConfigNode {
    fileprivate func member(_ key: String) -> ConfigNode? { members.first { $0.key == key }?.value }

    fileprivate var scalarText: String? { if case .scalar(let scalar) = target.content { scalar.text } else { nil } }
}
