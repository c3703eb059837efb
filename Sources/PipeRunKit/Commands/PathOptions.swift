internal import ArgumentParser

/// The files that a command looks at one after the other.
struct PathOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp("Files or folders; the configuration file unless given.", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml"]))
    var paths: [String] = []

    @OptionGroup var config: ConfigOptions

    /// The paths that are given, or that of the file.
    var all: [String] { paths.isEmpty ? [config.config] : paths }
}
