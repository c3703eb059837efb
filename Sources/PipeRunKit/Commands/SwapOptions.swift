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
            error, not_found, hangs. A database in place of a cache: it begins with a copy. Other caches begin empty at a temporary place. \
            A source that is not asked may be named, without effect. May be repeated.
            """, valueName: "source=file"), completion: Suggestions.swap)
    var words: [String] = []

    @Flag(help: "Use the caches of the file all the same, and leave in them what is stored.")
    var inPlace = false

    /// The swaps. Exits with 64 for one that is no swap, and for a file that is missing.
    func swaps() throws -> SourceSwaps {
        try Self.checking {
            let swaps = try SourceSwaps(words, plugins: PipeRun.plugins, environment: .process, isDatabase: Self.isDatabase)
            for file in swaps.files where !file.hasPrefix("~/") && !FileManager.default.fileExists(atPath: file) {
                throw SwapError(message: "the file `\(file)` in `--swap` is missing", help: SourceSwaps.help(forMissing: file))
            }
            if inPlace, let (source, file) = swaps.databases.min(by: { $0.key < $1.key }) {
                throw SwapError(
                    message: "`\(source)` cannot begin with a copy of `\(file)` and keep its own copies",
                    help: "leave out `--in-place`, or `--swap \(source)=\(file)`")
            }
            return swaps
        }
    }

    /// Whether the file at `path` is one of SQLite.
    private static func isDatabase(_ path: String) -> Bool {
        guard let file = FileHandle(forReadingAtPath: path) else { return false }
        defer { try? file.close() }
        return (try? file.read(upToCount: 16)) == Data("SQLite format 3\0".utf8)
    }

    /// The words as another process needs them.
    var arguments: [String] { words.flatMap { ["--swap", $0] } + (inPlace ? ["--in-place"] : []) }

    /// Runs `body`; a swap that does not fit is wrong usage, and so is a cache that cannot be at a temporary place.
    static func checking<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as SwapError {
            throw Usage.failure(error.message, help: error.help)
        } catch let error as UnmovableCache {
            throw Usage.failure(
                "\(error)", help: "its plugin does not say which field names their place; `--in-place` uses the place of the file")
        }
    }
}
