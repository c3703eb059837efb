private import Foundation
internal import ArgumentParser
internal import Pipeline
internal import PipelineConfig
internal import PipelineReports
internal import PipelineScenarios
internal import PipelineYAML

struct InitCommand: Command {
    static let configuration = CommandConfiguration(
        subcommand: "init", abstract: "Writes a commented starter file, or first tests of a configuration. Never overwrites a file.")

    @Argument(
        help: ArgumentHelp("Types of sources, in the order to ask them.", valueName: "a,b,c"),
        completion: Suggestions.sourceTypeList)
    var types = "memory,file,http"

    @Option(
        name: [.customShort("c"), .customLong("config")],
        help: ArgumentHelp("The file to write. Default: $PIPE_RUN_CONFIG, else pipeline.yaml.", valueName: "config"),
        completion: .file())
    var given: String?

    private var config: String { given ?? ConfigOptions.unnamed }

    @Flag(help: "Write a first test file for the configuration, which stays as it is; one that is missing is written before.")
    var tests = false

    func perform() async throws {
        let option = config == ConfigOptions.unnamed ? "" : " -c \(config)"
        if !tests || !FileManager.default.fileExists(atPath: config) {
            let starter = StarterFile(StarterFile.filled(try plugins(), from: Program.plugins))
            try write(starter.text, to: config, help: "`-c FILE` writes another")
            Console.error.writeLine(
                "wrote \(config.printable); `pipe-run validate\(option)` checks it, `pipe-run \(starter.call)\(option)` uses it")
        }
        if tests { try await writeTests(option) }
    }

    private func writeTests(_ option: String) async throws {
        let path = ScenarioSuite.testPath(of: config)
        let file = ConfigFile(path: config)
        let starter = StarterTests(of: file, at: path, plugins: Program.plugins)
        let errors = starter.errors
        guard errors.isEmpty else {
            Console.show(errors, in: file.lines, hiding: starter.secretRanges)
            throw ExitStatus.badConfiguration
        }
        guard let (text, untested) = await starter.text() else {
            Console.say("`\(config)` has no pipeline that asks an origin", help: "docs/testing.md shows how to write a test")
            throw ExitStatus.no
        }
        try write(text, to: path, help: "remove it, or add tests to it")
        Console.error.writeLine("wrote \(path.printable); `pipe-run test\(option)` runs it")
        guard !untested.isEmpty else { return }
        let names = untested.map { "`\($0)`" }.joined(separator: ", ")
        Console.say("none of the usual tests fits \(names)", help: "docs/testing.md shows how to write one")
    }

    private func write(_ text: String, to path: String, help: String) throws {
        do throws(NewFile.Problem) {
            try NewFile.write(text, to: path)
        } catch .exists {
            Console.say("`\(path)` already exists and is left unchanged", help: help)
            throw ExitStatus.no
        } catch .failed(let reason) {
            Console.say("cannot write `\(path)`: \(reason)")
            throw ExitStatus.no
        }
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
                throw Usage.failure("`\(types)` has an empty name", help: "put one comma between two types: `pipe-run init memory,http`")
            }
            guard let plugin = Program.plugins.first(where: { $0.name == type }) else {
                let names = Program.plugins.map(\.name)
                throw Usage.failure(
                    "unknown source type `\(type)`", help: NearestName.help(for: type, among: names, noun: "types"))
            }
            return plugin
        }
    }
}
