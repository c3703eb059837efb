internal import ArgumentParser
internal import PipelineConfig
internal import PipelineYAML
private import Foundation

/// Sources that others take the place of for this run.
struct SwapOptions: ParsableArguments {
    @Option(
        name: .customLong("swap"),
        help: ArgumentHelp(
            """
            For this run, a flat file instead of the source, relative to the current folder; it may have {parameters}. Or a failure: \
            error, not_found, hangs. A source that is not asked may be named, without effect. May be repeated.
            """, valueName: "source=file"), completion: Suggestions.swap)
    var words: [String] = []

    /// The swaps. Exits with 64 for one that is no swap, and for a file that is missing.
    func swaps() throws -> SourceSwaps {
        try Self.checking {
            let swaps = try SourceSwaps(words, plugins: PipeRun.plugins, environment: .process)
            for file in swaps.files where !file.hasPrefix("~/") && !FileManager.default.fileExists(atPath: file) {
                throw SwapError(message: "the file `\(file)` in `--swap` is missing", help: SourceSwaps.help(forMissing: file))
            }
            return swaps
        }
    }

    /// The words as another process needs them.
    var arguments: [String] { words.flatMap { ["--swap", $0] } }

    /// Runs `body`; a swap that does not fit is wrong usage.
    static func checking<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as SwapError {
            throw Usage.failure(error.message, help: error.help)
        }
    }
}
