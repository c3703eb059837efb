internal import ArgumentParser
internal import Pipeline
internal import PipelineConfig
internal import PipelineReports

struct SourcesCommand: Command {
    static let configuration = CommandConfiguration(
        subcommand: "sources", abstract: "Lists the types of sources, or the fields of one.")

    static let takesConfig = false

    @Argument(help: "A type of source.", completion: Suggestions.sourceType) var type: String?

    func perform() async throws {
        guard let type else {
            let width = Program.plugins.map(\.name.count).max() ?? 0
            for plugin in Program.plugins {
                let padding = String(repeating: " ", count: width - plugin.name.count + 2)
                let note = plugin.capabilities.contains(.emitsChanges) ? " It emits changes." : ""
                Console.output.writeLine(plugin.name + padding + plugin.summary + note)
            }
            return
        }
        guard let plugin = Program.plugins.first(where: { $0.name == type }) else {
            let names = Program.plugins.map(\.name)
            throw Usage.failure("unknown source type `\(type)`", help: NearestName.help(for: type, among: names, noun: "types"))
        }
        Console.output.show(PluginPrinter.text(plugin))
    }
}
