internal import ArgumentParser
private import CProgram
internal import Pipeline
internal import PipelineConfig
internal import PipelineReports
internal import PipelineSimulation
internal import PipelineYAML

struct RootCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: Program.name,
        abstract: "Loads data through declared tiers.",
        usage: "pipe-run <subcommand>",
        discussion: """
            A YAML file says which sources to ask, in which order, which caches store the answer, and how long each copy stays fresh.

            Exit codes: 0 success; 1 failure, or the answer no; 2 unusable configuration; 3 not found; 64 wrong usage; 129, 130 and 143 \
            ended by SIGHUP, SIGINT and SIGTERM.

            `-c` may stand before or after the subcommand. `pipe-run help tiers.retry` explains a field of the file.

            `--version --verbose` also names the commit and the libraries that are linked in.

            `--color always`, `never` or `auto` may stand anywhere. Without it, NO_COLOR and FORCE_COLOR decide, and whether a terminal reads.
            """,
        version: Program.version,
        subcommands: commands)

    private static let commands: [any Command.Type] =
        [
            FetchCommand.self, LinksCommand.self, WatchCommand.self, SendCommand.self, OutboxCommand.self, PutCommand.self,
            TestCommand.self, SimulateCommand.self,
            ValidateCommand.self,
            FormatCommand.self,
            GraphCommand.self,
            ExplainCommand.self,
            ConfigCommand.self,
            SourcesCommand.self, ExplainCodeCommand.self, SchemaCommand.self, InitCommand.self, ListCommand.self, RemoveCommand.self,
            ClearCommand.self,
            ServeCommand.self, ReadyCommand.self, NetworkCommand.self, CompareCommand.self, CompletionsCommand.self,
        ]

    @OptionGroup var config: ConfigOptions

    /// Parses and runs the command that `arguments` ask for. Throws what ends the process otherwise than well.
    static func run(_ arguments: [String]) async throws {
        if arguments == [BackgroundFetch.word] { return try await BackgroundFetch.perform() }
        if arguments == [BackgroundSending.word] { return try await BackgroundSending.perform() }
        let words = try withoutColour(arguments)
        let arguments = withConfigMoved(words == ["version"] ? ["--version"] : words)
        if Set(words) == ["--version", "--verbose"] || words == ["version", "--verbose"] {
            return Console.output.show(VersionText.verbose)
        }
        Console.format = logFormat(in: arguments)
        if let topic = fieldTopic(of: arguments) { return try explain(topic) }
        if let command = try command(for: arguments) { return try await command.perform() }
        let parsed = try parsed(arguments)
        if let command = parsed as? any Command { return try await command.perform() }
        try printHelp(parsed)
    }

    /// The command that `arguments` ask for. A parameter that is written like an option is told how it is given.
    private static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
        do {
            return try parseAsRoot(arguments)
        } catch {
            let words = message(for: error)
            guard let word = arguments.first, words.contains("nknown option"),
                let option = arguments.first(where: { $0.hasPrefix("--") && words.contains("option '\($0.prefix { $0 != "=" })") })
            else { throw error }
            let parts = option.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            // An option that is one letter away is meant; ArgumentParser takes more for near.
            let meant = words.split(separator: "Did you mean '--").dropFirst().first.map { String($0.prefix { $0 != "'" }) }
            guard meant.map({ NearestName.find(parts[0], among: [$0]) == nil }) ?? true else { throw error }
            // The option that ArgumentParser does not know of.
            if NearestName.find(parts[0], among: ["color"]) != nil {
                throw Usage.failure("unknown option `--\(parts[0])`", help: "did you mean `--color`?")
            }
            guard takingParameters.contains(word), parts[0].allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }) else { throw error }
            let next = arguments.firstIndex(of: option).flatMap { arguments.indices.contains($0 + 1) ? arguments[$0 + 1] : nil }
            let value = parts.count > 1 ? parts[1] : next.flatMap { $0.hasPrefix("-") ? nil : $0 } ?? "VALUE"
            throw Usage.failure("unknown option `--\(parts[0])`", help: "a parameter is given as `\("\(parts[0])=\(value)".asShellWord)`")
        }
    }

    /// The commands that take `parameter=value`.
    private static let takingParameters = ["fetch", "links", "watch", "send", "put", "remove", "simulate", "compare"]

    /// The topic that `help` is asked for, if that is no command.
    private static func fieldTopic(of arguments: [String]) -> String? {
        guard arguments.count == 2, arguments[0] == "help", !arguments[1].hasPrefix("-"), arguments[1] != "help" else { return nil }
        return commandNames.contains(arguments[1]) ? nil : arguments[1]
    }

    private static func explain(_ topic: String) throws {
        let reference = FieldReference(Program.plugins)
        guard let text = reference.text(about: topic) else {
            let known = commandNames + reference.shortPaths
            let help = NearestName.help(for: topic, among: known, noun: "fields") ?? ""
            throw Usage.failure(
                "`\(topic)` is neither a command nor a field",
                help: help.hasPrefix("known")
                    ? "`pipe-run help` lists the commands, `pipe-run help pipelines` the fields of a pipeline" : help)
        }
        Console.output.show(text)
    }

    static var commandNames: [String] { commands.compactMap { $0.configuration.commandName } }

    /// The arguments with the `-c FILE` that stands before the subcommand behind it; without it where that command reads no file. One that
    /// comes later counts more.
    private static func withConfigMoved(_ arguments: [String]) -> [String] {
        var rest = arguments[...]
        var path: String?
        while let word = rest.first {
            if word.hasPrefix("--config=") {
                path = String(word.dropFirst("--config=".count))
                rest = rest.dropFirst()
            } else if word.hasPrefix("-c"), word.count > 2 {
                path = String(word.dropFirst(word.hasPrefix("-c=") ? 3 : 2))
                rest = rest.dropFirst()
            } else if word == "-c" || word == "--config", rest.count > 1 {
                path = rest.dropFirst().first
                rest = rest.dropFirst(2)
            } else {
                break
            }
        }
        guard let path, let word = rest.first else { return arguments }
        let type = commands.first { $0.configuration.commandName == word }
        return [word] + (type?.takesConfig == true ? ["--config=\(path)"] : []) + rest.dropFirst()
    }

    /// The arguments without `--color WHEN`, which is obeyed.
    private static func withoutColour(_ arguments: [String]) throws -> [String] {
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        var kept: [String] = []
        var rest = arguments[..<end]
        while let word = rest.popFirst() {
            guard word == "--color" || word.hasPrefix("--color=") else {
                kept.append(word)
                continue
            }
            let given = word == "--color" ? rest.popFirst() : String(word.dropFirst("--color=".count))
            guard let colour = given.flatMap(Console.Colour.init) else {
                throw Usage.failure(
                    given.map { "`\($0)` is not allowed for `--color`" } ?? "`--color` needs a value",
                    help: NearestName.help(for: given ?? "", among: Console.Colour.allCases.map(\.rawValue), noun: "values"))
            }
            Console.colour = colour
        }
        return kept + arguments[end...]
    }

    /// The format in which `serve` writes its log, known before its other arguments are read: what is wrong with them is a line of it.
    private static func logFormat(in arguments: [String]) -> LogFormat {
        guard arguments.first == ServeCommand.configuration.commandName else { return .text }
        let option = "--log-format"
        let given = zip(arguments, arguments.dropFirst() + [""]).compactMap { word, next in
            word == option ? next : word.hasPrefix(option + "=") ? String(word.dropFirst(option.count + 1)) : nil
        }
        return given.last.flatMap(LogFormat.init) ?? .text
    }

    /// Prints the usage of `command`; for the root itself and ArgumentParser's own commands, the usage of the program.
    private static func printHelp(_ command: any ParsableCommand) throws {
        var command = command
        try command.run()
    }

    /// The command that `arguments` name first; nil for what only the root has the words for: wrong usage, or a request for help.
    ///
    /// It is parsed without the others: what ArgumentParser looks up in all commands, by reflection, takes longer than many a fetch.
    private static func command(for arguments: [String]) throws -> (any Command)? {
        guard let word = arguments.first, !word.hasPrefix("-"), word != "help" else { return nil }
        guard let type = commands.first(where: { $0.configuration.commandName == word }) else {
            throw Usage.failure("unknown command `\(word)`", help: NearestName.help(for: word, among: commandNames, noun: "commands"))
        }
        /// A cast to the type itself compares two words; one to a protocol searches all conformances of the program.
        func parsed<One: Command>(as type: One.Type) -> One? { (try? type.parseAsRoot(Array(arguments.dropFirst()))) as? One }
        return parsed(as: type)
    }
}

/// The text that `--version --verbose` prints.
enum VersionText {
    static var verbose: String {
        let origin = String(cString: pipe_run_origin()).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        func said(_ line: Int, or other: String = "unknown") -> String {
            origin.indices.contains(line) && !origin[line].isEmpty ? origin[line] : other
        }
        let libraries = [.libyaml] + Program.plugins.compactMap(\.library) + [.zlib, .xz, .zstd]
        let lines =
            [("pipe-run", Program.version), ("commit", said(0)), ("Swift", said(1, or: swift))]
            + libraries.map { ($0.name, $0.version) } + [("BoringSSL", said(2))]
        let width = lines.map(\.0.count).max() ?? 0
        return lines.map { $0 + String(repeating: " ", count: width + 2 - $0.count) + $1 + "\n" }.joined()
    }

    /// The version of Swift, as far as a program knows it by itself.
    private static var swift: String {
        #if compiler(>=6.4)
        "6.4 or newer"
        #elseif compiler(>=6.3)
        "6.3"
        #else
        "6.2"
        #endif
    }
}
