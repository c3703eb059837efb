internal import ArgumentParser

/// The files that a command looks at one after the other.
struct PathOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp("Files or folders; ./pipeline.yaml unless given.", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml"]))
    var paths: [String] = []

    @Option(
        name: [.short, .long], help: "The configuration file, when none is given as an argument.",
        completion: .file(extensions: ["yaml", "yml"]))
    var config = "pipeline.yaml"

    /// The paths that are given, or that of the file.
    var all: [String] { paths.isEmpty ? [config] : paths }
}
