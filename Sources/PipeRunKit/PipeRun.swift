internal import ArgumentParser
private import CProgram
public import PipelineConfig

/// The command line as a library: a runner of your own is its plugins and one call.
///
/// ```swift
/// await PipeRun.main(plugins: [.memory, .file, .http, .mine])
/// ```
public enum PipeRun {
    /// Reads the arguments of the process, runs the command, and exits with its code.
    @MainActor
    public static func main(plugins: [SourcePlugin]) async {
        await Program.$plugins.withValue(plugins) {
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

/// The arguments of this process, without its name: those of `main`. `CommandLine` reads `/proc/self/cmdline` on Linux, and where that is not
/// mounted each command would have no arguments, print the help and succeed.
enum ProcessArguments {
    /// Exits with 64 when one is not UTF-8: repaired, as `CommandLine.arguments` would be, two values would be one.
    @MainActor
    static func read() throws -> [String] {
        let words = UnsafeBufferPointer(start: pipe_run_arguments(), count: Int(pipe_run_argument_count())).compactMap(\.self)
        return try words.dropFirst().map { word in
            guard let text = String(validatingCString: word) else {
                throw Usage.failure("the argument `\(String(cString: word))` is not UTF-8", help: "write the text at � in UTF-8")
            }
            return text
        }
    }
}
