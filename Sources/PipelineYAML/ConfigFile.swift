public import Pipeline
public import PipelineConfig

/// The text of a configuration, read and not yet understood.
public struct ConfigFile: Sendable {
    /// The file as the user named it; `<stdin>` for standard input.
    public let name: String
    /// The folder that relative paths start from; empty for the working directory.
    public let folder: String
    /// The bytes as they are.
    public let text: [UInt8]
    /// The lines of the text, for those who show places.
    public let lines: SourceLines
    /// The reason why it could not be read; nil if it could.
    let problem: Diagnostic?

    /// The configuration `text`, as if it had been read from `name` in `folder`.
    public init(text: [UInt8], name: String, folder: String = "") {
        self.name = name
        self.folder = folder
        self.text = text
        lines = SourceLines(text)
        problem = nil
    }

    /// Reads the file at `path`. What goes wrong is a diagnostic of ``report(plugins:environment:level:limits:)``.
    public init(path: String, limits: ConfigLimits = ConfigLimits()) {
        self.init(path: path, namedBy: nil, limits: limits)
    }

    /// - Parameter variable: the variable of the environment that the path is from.
    package init(path: String, namedBy variable: String?, limits: ConfigLimits = ConfigLimits()) {
        name = path
        folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? ""
        switch FileReader.read(path, limit: limits.bytes) {
        case .success(let bytes):
            text = bytes
            problem = nil
        case .failure(.tooLarge):
            text = []
            problem = Diagnostic(
                .overLimit, "`\(path)` is larger than \(Size(bytes: limits.bytes).written ?? "")", file: path, range: .beginning,
                help: "a configuration is a text that people read")
        case .failure(.failed(let reason)):
            text = []
            problem = Diagnostic(
                .unreadable, "cannot read `\(path)`: \(reason)", file: path, range: .beginning,
                help: (variable.map { "the variable `\($0)` names it; " } ?? "") + Self.help(forUnreadable: reason, path))
        }
        lines = SourceLines(text)
    }

    private static func help(forUnreadable reason: String, _ path: String) -> String {
        switch reason {
        case "no such file" where path.hasSuffix(".test.yaml") || path.hasSuffix(".test.yml"):
            "`pipe-run init --tests` writes a first test file"
        case "no such file": "`pipe-run init` writes a starter file; `-c FILE` names another"
        case "it is a folder": "name a file in it"
        case "permission denied": "make it readable to this user; `-c FILE` names another"
        default: "`-c FILE` names another"
        }
    }

    /// Understands the text: everything from the YAML to the plan, and every problem on the way. Creates and opens nothing.
    public func report(
        plugins: [SourcePlugin], environment: ConfigEnvironment = .process, level: ValidationLevel = .env,
        limits: ConfigLimits = ConfigLimits()
    ) -> ConfigReport {
        let (root, syntax, comments) = document(limits: limits)
        // What a syntax error keeps from the tree is shown all the same, where the error is.
        let written = syntax.isEmpty || !isReadable ? [] : WrittenCredential.find(inLines: lines.count) { lines[$0] }
        return ConfigReport(
            of: root, syntax: syntax, comments: comments, written: written, file: name, folder: folder, plugins: plugins,
            environment: environment, level: level)
    }

    /// The document as it is written, nothing in it understood; nil if there is none.
    package var root: ConfigNode? { document(limits: ConfigLimits()).0 }

    /// The document, and the lines that are not to be touched; nil if there is no document.
    func layout() -> (root: ConfigNode, scalars: [ScalarLines])? {
        guard problem == nil, text.count <= ConfigLimits().bytes, lines.firstInvalid == nil else { return nil }
        var composer = YAMLComposer(text, lines: lines, file: name, limits: ConfigLimits())
        guard let root = composer.compose(), composer.diagnostics.isEmpty else { return nil }
        return (root, composer.scalarLines)
    }

    /// Indicates whether there is a text that can be looked at.
    package var isReadable: Bool { problem == nil && text.count <= ConfigLimits().bytes && lines.firstInvalid == nil }

    /// Indicates whether it is YAML of another program: it has neither `sources` nor `pipelines`.
    package var isForeign: Bool {
        guard isReadable else { return false }
        let names = ["sources", "pipelines"]
        if names.allSatisfy({ lines.numbers(ofLinesWith: $0).isEmpty }) { return true }
        return root.map { root in !root.target.members.contains { names.contains($0.key) } } ?? false
    }

    /// This file with another text.
    package func with(_ text: [UInt8]) -> ConfigFile {
        ConfigFile(text: text, name: name, folder: folder)
    }

    /// The document as it is written, the problems of its syntax, and the comments that are written for this program.
    package func document(limits: ConfigLimits = ConfigLimits()) -> (ConfigNode?, [Diagnostic], [ConfigComment]) {
        if let problem { return (nil, [problem], []) }
        if text.count > limits.bytes {
            return (
                nil,
                [
                    Diagnostic(
                        .overLimit, "the text is larger than \(Size(bytes: limits.bytes).written ?? "")", file: name, range: .beginning,
                        help: "a configuration is a text that people read")
                ], []
            )
        }
        if let position = lines.firstInvalid {
            return (
                nil,
                [
                    Diagnostic(
                        .unreadable, "the text is not UTF-8", file: name, range: TextRange(position, position),
                        help: "save the file as UTF-8")
                ], []
            )
        }
        var composer = YAMLComposer(text, lines: lines, file: name, limits: limits)
        let root = composer.compose()
        return (root, composer.diagnostics, YAMLComments.find(in: lines, outside: composer.texts))
    }
}

extension Pipelines {
    /// Reads the configuration at `path` and builds its pipelines.
    ///
    /// Throws ``ConfigError`` with every problem when the file cannot be used. Nothing is opened before the first fetch.
    public convenience init(
        contentsOf path: String, plugins: [SourcePlugin], environment: ConfigEnvironment = .process, clock: PipelineClock = .system
    ) throws {
        try self.init(ConfigFile(path: path).report(plugins: plugins, environment: environment), clock: clock)
    }
}
