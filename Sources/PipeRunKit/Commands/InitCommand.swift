internal import ArgumentParser
internal import Pipeline

struct InitCommand: Command {
    static let configuration = CommandConfiguration(
        subcommand: "init", abstract: "Writes a commented starter file. Never overwrites one.")

    @Argument(
        help: ArgumentHelp("Types of sources, from the first to ask to the last.", valueName: "a,b,c"),
        completion: Suggestions.sourceTypeList)
    var types = "memory,file,http"

    @Option(name: [.short, .long], help: "The file to write.", completion: .file())
    var config = "pipeline.yaml"

    func perform() async throws {
        let starter = StarterFile(filled(try plugins()))
        do throws(NewFile.Problem) {
            try NewFile.write(starter.text, to: config)
        } catch .exists {
            Console.say("`\(config)` exists already and stays as it is", help: "`-c FILE` writes another")
            throw ExitStatus.no
        } catch .failed(let reason) {
            Console.say("cannot write `\(config)`: \(reason)")
            throw ExitStatus.no
        }
        let option = config == "pipeline.yaml" ? "" : " -c \(config)"
        Console.error.writeLine(
            "wrote \(config.printable); `pipe-run validate\(option)` checks it, `pipe-run \(starter.call)\(option)` uses it")
    }

    /// With an origin after caches that nothing else would fill.
    private func filled(_ plugins: [SourcePlugin]) -> [SourcePlugin] {
        let canBeFilled = plugins.contains { !$0.capabilities.contains(.writes) || StarterSource.canBeReadOnly($0) }
        guard !canBeFilled, let origin = PipeRun.plugins.first(where: { $0.capabilities.contains(.neverMisses) }) else { return plugins }
        return plugins + [origin]
    }

    private func plugins() throws -> [SourcePlugin] {
        guard !types.isEmpty else { throw Usage.failure("name at least one type of source", help: "as in `pipe-run init memory,http`") }
        return try types.split(separator: ",", omittingEmptySubsequences: false).map { type in
            guard !type.isEmpty else {
                throw Usage.failure("`\(types)` has an empty name", help: "one comma between two types: `pipe-run init memory,http`")
            }
            guard let plugin = PipeRun.plugins.first(where: { $0.name == type }) else {
                let names = PipeRun.plugins.map(\.name)
                throw Usage.failure(
                    "unknown source type `\(type)`", help: NearestName.help(for: String(type), among: names, noun: "types"))
            }
            return plugin
        }
    }
}
