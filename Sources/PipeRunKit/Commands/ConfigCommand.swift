internal import ArgumentParser
internal import PipelineConfig
internal import PipelineReports
internal import PipelineYAML

struct ConfigCommand: Command {
    static let configuration = CommandConfiguration(
        subcommand: "config", abstract: "Prints the configuration as it holds, each value with where it came from.",
        discussion:
            "Aliases and merges are expanded, variables replaced, defaults named, secrets masked. Opens nothing but the files that it names."
    )

    @OptionGroup var config: ConfigOptions

    func perform() async throws {
        let file = try ConfigPaths.file(at: config.config)
        let report = try ConfigOptions.report(of: file)
        let effective = EffectiveConfig(report, folder: file.folder, plugins: PipeRun.plugins, environment: .process)
        Console.output.write(ConfigYAML(file: file.name).text(effective))
    }
}
