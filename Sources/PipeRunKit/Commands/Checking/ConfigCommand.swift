internal import ArgumentParser
internal import PipelineConfig
internal import PipelineReports
internal import PipelineYAML

struct ConfigCommand: Command {
    static let configuration = CommandConfiguration(
        subcommand: "config", abstract: "Prints the effective configuration, with the origin of each value.",
        discussion:
            "Expands aliases and merges, replaces variables, adds defaults and masks secrets. Reads only the files that the configuration names, and opens no source."
    )

    @OptionGroup var config: ConfigOptions

    func perform() async throws {
        let file = try ConfigPaths.file(at: config.config)
        let report = try ConfigOptions.report(of: file, mayLack: { _ in true })
        let effective = EffectiveConfig(report, folder: file.folder, plugins: Program.plugins, environment: .process)
        Console.output.write(ConfigYAML(file: file.name).text(effective))
    }
}
