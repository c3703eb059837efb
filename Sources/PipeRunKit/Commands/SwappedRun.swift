internal import Pipeline
internal import PipelineConfig
private import Synchronization

/// A run in which others may take the place of sources, and what it leaves behind: nothing, unless that was asked for.
final class SwappedRun: Sendable {
    /// With the places of caches.
    let swaps: SourceSwaps
    /// Nil where the caches of the file are used.
    let caches: TemporaryCaches?
    /// The keys that were written, by source.
    private let written = Mutex<[String: Set<Key>]>([:])
    /// So many keys of a source are named, and so many kept.
    private static let (mostNamed, mostKept) = (10, 10_000)
    /// How long a server may take to remove what is under the temporary prefix.
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

    /// Notes what is written to caches; nil where nobody asks.
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

    /// What is on a server goes by the keys of its pipelines. What is in files goes with them.
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
