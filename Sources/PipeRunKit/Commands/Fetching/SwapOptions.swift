internal import ArgumentParser
private import Foundation
internal import Pipeline
internal import PipelineConfig
internal import PipelineYAML
private import Synchronization

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
            let swaps = try SourceSwaps(words, plugins: Program.plugins, environment: .process, isDatabase: Self.isDatabase)
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

    /// Indicates whether the file at `path` is a database of SQLite.
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

/// A run in which others may take the place of sources, and what it leaves behind: nothing, unless that was asked for.
final class SwappedRun: Sendable {
    /// The swaps of sources, with the places of caches.
    let swaps: SourceSwaps
    /// The caches of the run; nil if the caches of the file are used.
    let caches: TemporaryCaches?
    /// The keys that were written, by source.
    private let written = Mutex<[String: Set<Key>]>([:])
    /// The numbers of keys of a source that are named, and kept.
    private static let (mostNamed, mostKept) = (10, 10_000)
    /// The time a server may take to remove what is under the temporary prefix.
    private static let bound = Duration.seconds(5)

    /// Exits with 64 for swaps that are none.
    init(_ options: SwapOptions) throws {
        let swaps = try options.swaps()
        var caches = swaps.isEmpty || options.inPlace ? nil : TemporaryCaches(of: "swap")
        caches?.databases = swaps.databases
        self.caches = caches
        self.swaps = swaps.placing(caches?.places())
    }

    deinit {
        // Where the command ended before it had pipelines.
        _ = caches?.remove()
    }

    /// Notes what is written to caches; nil if nobody asks.
    var observer: PipelineEvent.Observer? {
        guard !swaps.isEmpty else { return nil }
        return { [weak self] event in
            guard let self, case .write(let record, let key) = event else { return }
            // On a server, a write whose answer did not come may have been made.
            guard record.outcome == .written || (record.outcome == .failed && caches != nil) else { return }
            written.withLock { written in
                guard written[record.source, default: []].count < Self.mostKept else { return }
                written[record.source, default: []].insert(key)
            }
        }
    }

    /// Ends `pipelines` by `shutDown`. Removes temporary copies; says which caches of the file keep copies of this run.
    func end(_ pipelines: Pipelines, _ shutDown: () async -> Void) async {
        await removeFromServers(pipelines)
        await shutDown()
        guard caches == nil else { return removeFiles() }
        let inProcess = Set(pipelines.all.flatMap(\.spec.tiers).filter { $0.source.source.style == .immediate }.map(\.name))
        for (source, keys) in written.withLock(\.self).sorted(by: { $0.key < $1.key }) where !inProcess.contains(source) {
            let names = keys.map(\.text).sorted().prefix(Self.mostNamed).map { "`\($0)`" }.joined(separator: ", ")
            let rest = keys.count > Self.mostNamed ? " and \(keys.count - Self.mostNamed) more" : ""
            Console.say(pipelines.redactor.redacted("note: `\(source)` keeps what this run wrote: \(names)\(rest)").withLongWordsCut)
        }
    }

    /// Removes the temporary files, without waiting for anything.
    func removeFiles() {
        if let failure = caches?.remove() { Console.say(failure) }
    }

    /// Removes the values on servers, key by key. Values in files go with the files.
    private func removeFromServers(_ pipelines: Pipelines) async {
        guard let caches else { return }
        let names = Set(written.withLock(\.self).values.joined().map(\.pipeline))
        let clock = PipelineClock.system
        let left = try? await clock.race(until: clock.now + Self.bound, late: { ["a cache"] as Set<String> }) {
            var left: Set<String> = []
            // What waits to be written is dropped with the copies.
            for pipeline in pipelines.all
            where names.contains(pipeline.spec.name) || pipeline.spec.tiers.contains(where: { $0.policy.debounce != nil }) {
                left.formUnion(try await pipeline.clear().lines.filter { $0.failure != nil }.map(\.source))
            }
            return left
        }
        for source in left?.sorted() ?? [] {
            Console.say("copies may be left in `\(source)`, under keys that begin with `\(caches.prefix)`")
        }
    }
}
