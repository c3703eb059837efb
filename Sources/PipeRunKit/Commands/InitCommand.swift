internal import ArgumentParser
internal import Pipeline
internal import PipelineConfig
internal import PipelineReports

struct InitCommand: Command {
    static let configuration = CommandConfiguration(
        subcommand: "init", abstract: "Writes a commented starter file. Never overwrites one.")

    @Argument(
        help: ArgumentHelp("Types of sources, from the first to ask to the last.", valueName: "a,b,c"),
        completion: Suggestions.sourceTypeList)
    var types = "memory,file,http"

    @Option(
        name: [.customShort("c"), .customLong("config")],
        help: ArgumentHelp("The file to write. Else $PIPE_RUN_CONFIG names it, or it is pipeline.yaml.", valueName: "config"),
        completion: .file())
    var given: String?

    private var config: String { given ?? ConfigOptions.unnamed }

    func perform() async throws {
        let starter = StarterFile(StarterFile.filled(try plugins(), from: PipeRun.plugins))
        do throws(NewFile.Problem) {
            try NewFile.write(starter.text, to: config)
        } catch .exists {
            Console.say("`\(config)` exists already and stays as it is", help: "`-c FILE` writes another")
            throw ExitStatus.no
        } catch .failed(let reason) {
            Console.say("cannot write `\(config)`: \(reason)")
            throw ExitStatus.no
        }
        let option = config == ConfigOptions.unnamed ? "" : " -c \(config)"
        Console.error.writeLine(
            "wrote \(config.printable); `pipe-run validate\(option)` checks it, `pipe-run \(starter.call)\(option)` uses it")
    }

    private func plugins() throws -> [SourcePlugin] {
        guard !types.isEmpty else { throw Usage.failure("name at least one type of source", help: "as in `pipe-run init memory,http`") }
        let chosen = try named()
        let twice = chosen.first { plugin in
            plugin.capabilities.isSuperset(of: [.writes, .answersAtOnce]) && chosen.count { $0.name == plugin.name } > 1
        }
        if let twice {
            throw Usage.failure(
                "`\(twice.name)` stands twice in `\(types)`: both would hold the same copies", help: "name `\(twice.name)` once")
        }
        return chosen
    }

    private func named() throws -> [SourcePlugin] {
        try types.split(separator: ",", omittingEmptySubsequences: false).map { written in
            let type = written.filter { !$0.isWhitespace }
            guard !type.isEmpty else {
                throw Usage.failure("`\(types)` has an empty name", help: "one comma between two types: `pipe-run init memory,http`")
            }
            guard let plugin = PipeRun.plugins.first(where: { $0.name == type }) else {
                let names = PipeRun.plugins.map(\.name)
                throw Usage.failure(
                    "unknown source type `\(type)`", help: NearestName.help(for: type, among: names, noun: "types"))
            }
            return plugin
        }
    }
}
