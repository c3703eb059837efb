internal import ArgumentParser
public import PipelineConfig

/// The command line as a library: a runner of your own is its plugins and one call.
///
/// ```swift
/// await PipeRun.main(plugins: [.memory, .file, .http, .mine])
/// ```
public enum PipeRun {
    /// The plugins of this process, for the commands. A task-local, since the argument parser makes the commands and takes no values for them.
    @TaskLocal static var plugins: [SourcePlugin] = []

    /// Reads the arguments of the process, runs the command, and exits with its code.
    @MainActor
    public static func main(plugins: [SourcePlugin]) async {
        await $plugins.withValue(plugins) {
            Console.prepare()
            DescriptorLimit.raise()
            do {
                try await RootCommand.run(ProcessArguments.read())
            } catch {
                let status = RootCommand.exitCode(for: error)
                guard status.isSuccess else {
                    guard Console.format == .json else { RootCommand.exit(withError: error) }
                    let message = RootCommand.message(for: error)
                    if !message.isEmpty { Console.say(message) }
                    RootCommand.exit(withError: status)
                }
                // Help and version, which ArgumentParser itself would print without noticing that a disk is full.
                let text = RootCommand.fullMessage(for: error)
                if !text.isEmpty { Console.output.show(text + "\n") }
            }
            if Console.hasLostOutput { RootCommand.exit(withError: ExitStatus.no) }
        }
    }
}
