internal import ArgumentParser
private import Foundation
internal import Pipeline
internal import PipelineConfig
internal import PipelineReports
internal import PipelineSending
internal import PipelineYAML

/// The file that a command works with.
struct ConfigOptions: ParsableArguments {
    /// The variable that names the file where no option does.
    static let variable = "PIPE_RUN_CONFIG"

    /// The file that the variable names; nil if it is not set, or empty.
    static var namedByVariable: String? {
        ConfigEnvironment.process.variable(variable).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The file that is used where no option names one.
    static var unnamed: String { namedByVariable ?? "pipeline.yaml" }

    @Option(
        name: [.customShort("c", allowingJoined: true), .customLong("config")],
        help: ArgumentHelp(
            "The configuration file; `-` for standard input. Default: $PIPE_RUN_CONFIG, else pipeline.yaml.", valueName: "config"),
        completion: .file(extensions: ["yaml", "yml"]))
    var given: String?

    /// The path of the file; `-` for standard input.
    var config: String { given ?? Self.unnamed }

    /// The file's report. With errors in it, prints them and exits with 2.
    func report(level: ValidationLevel = .env) throws -> ConfigReport {
        try Self.report(of: ConfigPaths.file(at: config), level: level)
    }

    /// The report of `file`. With errors in it that are not tolerated, prints them and exits with 2.
    ///
    /// - Parameter mayLack: whether a variable or a file that this source needs may be missing: the source then fails when it is asked.
    static func report(
        of file: ConfigFile, environment: ConfigEnvironment = .process, level: ValidationLevel = .env,
        mayLack: (_ source: String) -> Bool = { _ in false },
        tolerating isTolerated: (Diagnostic, ConfigReport) -> Bool = { _, _ in false }
    ) throws -> ConfigReport {
        let report = file.report(plugins: Program.plugins, environment: environment, level: level).allowingLacks(of: mayLack)
        try check(report, of: file, tolerating: isTolerated)
        return report
    }

    /// Prints the errors in `report` that are not tolerated, and exits with 2 if there are any.
    static func check(
        _ report: ConfigReport, of file: ConfigFile, tolerating isTolerated: (Diagnostic, ConfigReport) -> Bool = { _, _ in false }
    ) throws {
        Console.mask(by: report.redactor)
        let errors = report.diagnostics.filter { $0.severity == .error && !isTolerated($0, report) }
        guard !errors.isEmpty else { return }
        Console.show(errors, in: file.lines, hiding: report.secretRanges)
        throw ExitStatus.badConfiguration
    }

    /// The report for a drawing, which can be made although variables are not set. With other errors, prints them and exits with 2.
    func drawableReport(upTo level: ValidationLevel) throws -> ConfigReport {
        try Self.drawableReport(of: ConfigPaths.file(at: config), upTo: level)
    }

    static func drawableReport(of file: ConfigFile, upTo level: ValidationLevel) throws -> ConfigReport {
        try report(of: file, level: max(level, .graph), tolerating: { diagnostic, _ in diagnostic.code.level > .graph })
    }

    /// The pipelines of the file, built, with the observers that are made for them. An outbox that cannot be opened is told of.
    ///
    /// - Parameters:
    ///   - mayLack: whether a variable or a file that this source needs may be missing.
    ///   - swaps: sources that others take the place of.
    func pipelines(
        mayLack: (_ source: String) -> Bool = { _ in false }, swapping swaps: SourceSwaps = .none,
        observing observers: (ConfigReport) -> [PipelineEvent.Observer] = { _ in [] }
    ) throws -> Pipelines {
        let report = try Self.report(of: ConfigPaths.file(at: config), mayLack: mayLack)
        return try Self.pipelines(of: report, swapping: swaps) { observers($0) + [OutboxWarning.observer] }
    }

    /// The pipelines of `report`, built in the same way; of `part` alone if it is given. What reads them delivers no sends.
    static func pipelines(
        of report: ConfigReport, only part: Plan? = nil, swapping swaps: SourceSwaps,
        observing observers: (ConfigReport) -> [PipelineEvent.Observer] = { _ in [] }
    ) throws -> Pipelines {
        do {
            let pipelines = try SwapOptions.checking { try Pipelines(report, only: part, swapping: swaps, observers: observers(report)) }
            pipelines.waitWithDelivery()
            return pipelines
        } catch let error as ExitCode {
            throw error
        } catch {
            Console.say(error, masking: report.redactor)
            throw ExitStatus.badConfiguration
        }
    }
}

/// The files that a command looks at one after the other.
struct PathOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp("Files or folders; the configuration file unless given.", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml"]))
    var paths: [String] = []

    @OptionGroup var config: ConfigOptions

    /// The paths that are given, or else the path of the file.
    var all: [String] { paths.isEmpty ? [config.config] : paths }
}

/// The configurations that a path stands for.
enum ConfigPaths {
    /// A path, and the files that it stands for and none before it.
    struct Group {
        let path: String
        let files: [ConfigFile]
        /// Indicates whether the path is a folder without files of YAML.
        let isEmpty: Bool
        /// Indicates whether the files were found in a folder, and none is named itself.
        let isFolder: Bool
    }

    /// The files at `paths`, each once, also where several paths lead to it.
    ///
    /// - Parameter followingLinks: whether a link to a file is that file. It is one of its own to those that read it: its relative paths
    ///   start elsewhere.
    static func groups(at paths: [String], followingLinks: Bool = false) throws -> [Group] {
        var seen: Set<String> = []
        return try paths.compactMap { path in
            let isNew = path != "-" || seen.insert(path).inserted
            let files = isNew ? try files(at: path) : []
            let new = files.filter { path == "-" || seen.insert(absolute($0.name, followingLink: followingLinks)).inserted }
            let isEmpty = isNew && files.isEmpty
            return new.isEmpty && !isEmpty
                ? nil : Group(path: path, files: new, isEmpty: isEmpty, isFolder: path != "-" && isFolder(path))
        }
    }

    /// The absolute path, one for all spellings of a path. Links to folders on the way are followed.
    static func absolute(_ path: String, followingLink: Bool = false) -> String {
        let url = URL(filePath: path).standardizedFileURL
        if followingLink { return url.resolvingSymlinksInPath().path }
        return url.deletingLastPathComponent().resolvingSymlinksInPath().path + "/" + url.lastPathComponent
    }

    /// The file at `path`; standard input for `-`.
    static func file(at path: String) throws -> ConfigFile {
        guard path == "-" else {
            return ConfigFile(path: path, namedBy: path == ConfigOptions.namedByVariable ? ConfigOptions.variable : nil)
        }
        return ConfigFile(text: try StandardInput.read(limit: ConfigLimits().bytes + 1), name: "<stdin>")
    }

    /// The file at `path`; those below it when it is a folder, none when it holds none; standard input for `-`.
    private static func files(at path: String) throws -> [ConfigFile] {
        guard path != "-", isFolder(path) else { return [try file(at: path)] }
        let root = path.hasSuffix("/") ? path : path + "/"
        // A link to a folder is that folder; links below it are not followed.
        let folder = URL(filePath: root).resolvingSymlinksInPath().path
        let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return names.sorted().filter(isConfiguration).map { root + $0 }.filter { !isFolder($0) }.map { ConfigFile(path: $0) }
    }

    private static func isConfiguration(_ name: String) -> Bool {
        (name.hasSuffix(".yaml") || name.hasSuffix(".yml")) && !name.split(separator: "/").contains { $0.hasPrefix(".") }
    }

    /// Indicates whether there is a file at `path`.
    static func isFile(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) && !isFolder(path) }

    /// Indicates whether there is anything at `path`.
    static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }
}
