private import Foundation
internal import ArgumentParser
internal import Pipeline

struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Writes a commented starter file. Never overwrites one.")

    @Argument(help: ArgumentHelp("Types of sources, from the first to ask to the last.", valueName: "a,b,c"))
    var types = "memory,file,http"

    @Option(name: [.short, .long], help: "The file to write.", completion: .file())
    var config = "pipeline.yaml"

    func run() async throws {
        let plugins = try types.split(separator: ",").map { type in
            guard let plugin = PipeRun.plugins.first(where: { $0.name == type }) else {
                let names = PipeRun.plugins.map(\.name)
                throw Usage.failure(
                    "unknown source type `\(type)`", help: NearestName.help(for: String(type), among: names, noun: "types"))
            }
            return plugin
        }
        guard !plugins.isEmpty else { throw Usage.failure("name at least one type of source", help: nil) }
        do {
            try Data(StarterFile.text(plugins).utf8).write(to: URL(filePath: config), options: .withoutOverwriting)
        } catch CocoaError.fileWriteFileExists {
            Console.error.writeLine("pipe-run: `\(config)` exists already and stays as it is\nhelp: `-c FILE` writes another")
            throw ExitStatus.no
        } catch {
            Console.error.writeLine("pipe-run: cannot write `\(config)`: \(error.localizedDescription)")
            throw ExitStatus.no
        }
        Console.error.writeLine("wrote \(config); `pipe-run validate -c \(config)` checks it, `pipe-run fetch friends -c \(config)` uses it")
    }
}
