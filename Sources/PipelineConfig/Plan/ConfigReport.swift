public import Pipeline

/// The result of reading a configuration: the plan as far as it is sound, and every problem.
public struct ConfigReport: Sendable {
    /// The plan; to be built only when no diagnostic is an error.
    public let plan: Plan
    /// All problems in reading order, each once.
    public private(set) var diagnostics: [Diagnostic]
    /// The lacks of sources whose variables and files have no value, by the names of the sources. A lack fails its source when the source
    /// is asked.
    package private(set) var lacking: [String: Diagnostic] = [:]
    /// Texts that must not show anywhere.
    public let secrets: Set<String>
    /// The places of secrets in the text.
    public let secretRanges: [TextRange]
    /// The file as the user named it.
    public let file: String
    /// The document that was read; nil when there is none.
    package let document: ConfigNode?
    private let plugins: [SourcePlugin]

    /// Reads the document `root`: decodes it, plans it, collects every problem up to `level`.
    ///
    /// Nothing is created, written, resolved or connected: `environment` is asked for the variables and files that are named, and
    /// no more.
    ///
    /// - Parameters:
    ///   - root: the document; nil when there is none.
    ///   - syntax: the problems that were found while the text was read. With an error among them nothing else is looked at.
    ///   - comments: the comments that are written for this program.
    ///   - file: the file as the user named it.
    ///   - folder: the folder that relative paths start from; empty for the working directory.
    public init(
        of root: ConfigNode?, syntax: [Diagnostic] = [], comments: [ConfigComment] = [], file: String, folder: String = "",
        plugins: [SourcePlugin],
        environment: ConfigEnvironment, level: ValidationLevel = .env
    ) {
        self.init(
            of: root, syntax: syntax, comments: comments, written: [], file: file, folder: folder, plugins: plugins,
            environment: environment, level: level)
    }

    /// Makes the report on a text of which not all is in the document.
    ///
    /// - Parameter written: the credentials in its lines.
    package init(
        of root: ConfigNode?, syntax: [Diagnostic], comments: [ConfigComment], written: [WrittenCredential], file: String, folder: String,
        plugins: [SourcePlugin], environment: ConfigEnvironment, level: ValidationLevel
    ) {
        let decoder = FieldDecoder(file: file, folder: folder, environment: environment)
        // A duplicate key, a key or a tag of the wrong kind leave a document to look at; a syntax error does not.
        let isReadable = !syntax.contains { $0.severity == .error && $0.code.level == .syntax && $0.code != .duplicateKey }
        var ofPlan = 0
        if isReadable, level > .syntax {
            let config = RunnerConfig.decode(root, plugins: plugins, with: decoder)
            let count = decoder.problems.diagnostics.count
            plan = Planner.plan(config, with: decoder)
            ofPlan = decoder.problems.diagnostics.count - count
        } else {
            plan = Plan(sources: [], pipelines: [])
        }
        // With a source or a pipeline left out that is declared twice, what the others say of each other means nothing.
        let found = syntax + decoder.problems.diagnostics.dropLast(root?.declaresTwice(syntax) == true ? ofPlan : 0)
        // A file without a problem has no field that was not read.
        if !found.isEmpty, let root { decoder.secrets.keepWritten(in: root, sections: RunnerConfig.sections) }
        for credential in written { decoder.secrets.keepWritten(credential) }
        secrets = decoder.secrets.texts
        let reported = (isReadable ? AllowComments(comments, file: file).applied(to: found) : found).filter { $0.code.level <= level }
        diagnostics = reported.withoutSecrets(secrets, of: root, comments: comments, plugins: plugins).inReadingOrder()
        secretRanges = decoder.secrets.ranges.sorted { ($0.start, $0.end) < ($1.start, $1.end) }
        self.file = file
        document = isReadable ? root : nil
        self.plugins = plugins
    }

    /// This report, in which a variable or a file without a value is a problem of the sources that need it, and of nothing else, when one
    /// is asked.
    ///
    /// - Parameter isAllowed: whether a source may lack something.
    package func allowingLacks(of isAllowed: (_ source: String) -> Bool = { _ in true }) -> ConfigReport {
        guard diagnostics.contains(where: \.isOfMissingValue) else { return self }
        let parts = ConfigParts(document)
        var report = self
        report.diagnostics = diagnostics.filter { diagnostic in
            guard diagnostic.isOfMissingValue else { return true }
            let parts = parts.parts(of: diagnostic)
            let sources = parts.compactMap { if case .source(let name) = $0 { name } else { nil } }
            guard !sources.isEmpty, sources.count == parts.count, sources.allSatisfy(isAllowed) else { return true }
            for source in sources where report.lacking[source] == nil { report.lacking[source] = diagnostic }
            return false
        }
        return report
    }

    /// What takes the place of the sources that lack something.
    func lackingSources(clock: PipelineClock) -> [ExactName: SourceSpec] {
        var specs: [ExactName: SourceSpec] = [:]
        for config in plan.sources where config.tellsOfChanges != true {
            guard let diagnostic = lacking[config.name] else { continue }
            let isCache = config.isWritable == true
            let error = SourceError(diagnostic.message, kind: .unasked, help: diagnostic.help, cause: ConfigError([diagnostic]))
            let standIn = StandInSource(answer: .failure(error), isCache: isCache, clock: clock)
            let source: any Source = config.keepsSends ? StandInOutbox(error: error) : standIn
            specs[ExactName(config.name)] = SourceSpec(
                config.name, source, cache: isCache ? standIn : nil, capabilities: config.capabilities ?? [])
        }
        return specs
    }

    /// Masks the secrets in what is said of the configuration; the names in it stay readable, and the words that can be written.
    public var redactor: Redactor { Redactor(masking: secretMask.redacted) }

    /// The mask that tells quotes in messages from the words around them.
    var secretMask: SecretMask {
        SecretMask(secrets, sparing: secrets.isEmpty ? [] : PlainWords.words(of: document, plugins: plugins))
    }
}

extension Diagnostic {
    /// Whether a variable or a file has no value.
    fileprivate var isOfMissingValue: Bool { severity == .error && code.level == .env }
}

extension [Diagnostic] {
    /// The diagnostics without `secrets` in what they quote of `document`.
    fileprivate func withoutSecrets(_ secrets: Set<String>, of document: ConfigNode?, comments: [ConfigComment], plugins: [SourcePlugin])
        -> [Diagnostic]
    {
        guard !secrets.isEmpty, !isEmpty else { return self }
        let redactor = SecretMask(secrets, sparing: PlainWords.words(of: document, plugins: plugins))
        let quotesEnd = document?.hasBacktick == false && !comments.contains { $0.text.hasByte(UInt8(ascii: "`")) }
        // Where a text that may be quoted has a backtick in it, it is unknown where the quote ends.
        let mask = quotesEnd ? redactor.redactedInQuotes : redactor.redacted
        return map { $0.redacted(mask, strictly: redactor.redacted) }
    }
}

extension ConfigNode {
    /// Whether a text in it has a backtick.
    fileprivate var hasBacktick: Bool {
        switch content {
        case .scalar(let scalar): scalar.text.hasByte(UInt8(ascii: "`"))
        case .sequence(let elements): elements.contains(where: \.hasBacktick)
        case .mapping(let members): members.contains { $0.key.hasByte(UInt8(ascii: "`")) || $0.value.hasBacktick }
        // What it stands for is checked where it is written.
        case .alias: false
        }
    }
}

extension ConfigNode {
    /// Whether one of `problems` is that a section, a source or a pipeline is declared a second time.
    fileprivate func declaresTwice(_ problems: [Diagnostic]) -> Bool {
        let repeated = Set(problems.lazy.filter { $0.code == .duplicateKey }.flatMap(\.related).compactMap(\.range))
        if repeated.isEmpty { return false }
        let sections = target.members
        return (sections + sections.flatMap { $0.value.target.members }).contains { repeated.contains($0.keyRange) }
    }
}

/// A configuration that cannot be used, with every problem that was found.
public struct ConfigError: Error, Sendable, CustomStringConvertible {
    /// All problems in reading order, warnings among them.
    public let diagnostics: [Diagnostic]

    /// An error made of `diagnostics`.
    public init(_ diagnostics: [Diagnostic]) {
        self.diagnostics = diagnostics
    }

    /// One line for each problem: its place, code and message.
    public var description: String {
        diagnostics.map {
            "\($0.file):\($0.range.start.line):\($0.range.start.column): \($0.severity.rawValue)[\($0.code.rawValue)]: \($0.message)"
        }.joined(separator: "\n")
    }
}
