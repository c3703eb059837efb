/// What reading a configuration came to: the plan as far as it is sound, and every problem.
public struct ConfigReport: Sendable {
    /// The plan; to be built only when no diagnostic is an error.
    public let plan: Plan
    /// All problems in reading order, each once.
    public let diagnostics: [Diagnostic]
    /// Texts that must not show anywhere.
    public let secrets: Set<String>
    /// Where secrets stand in the text.
    public let secretRanges: [TextRange]
    /// The file as the user named it.
    public let file: String
    /// The document that was read; nil when there is none.
    package let document: ConfigNode?

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
        let decoder = FieldDecoder(file: file, folder: folder, environment: environment)
        // A duplicate key, a key or a tag of the wrong kind leave a document to look at; a syntax error does not.
        let isReadable = !syntax.contains { $0.severity == .error && $0.code.level == .syntax && $0.code != .duplicateKey }
        if isReadable, level > .syntax {
            plan = Planner.plan(RunnerConfig.decode(root, plugins: plugins, with: decoder), with: decoder)
        } else {
            plan = Plan(sources: [], pipelines: [])
        }
        secrets = decoder.secrets
        // Messages quote at most 60 characters, which may be the beginning of a secret.
        let redactor = Redactor(secrets.union(secrets.map { String($0.unicodeScalars.prefix(60)) }))
        let found = syntax + decoder.diagnostics
        diagnostics = (isReadable ? AllowComments(comments, file: file).applied(to: found) : found).filter { $0.code.level <= level }
            .map { decoder.secrets.isEmpty ? $0 : $0.redacted(by: redactor) }.inReadingOrder()
        secretRanges = decoder.secretRanges
        self.file = file
        document = isReadable ? root : nil
    }
}
