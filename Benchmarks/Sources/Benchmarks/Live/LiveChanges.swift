import Foundation
import Pipeline
import PipelineJSON
import PipelineLive
import SourcesMemory

/// Changes that a feed merges into a list, while an observer takes what it can.
enum LiveChanges {
    private static let elements = 10_000
    private static let changes = 1_000_000
    private static let batch = 10_000
    /// Fewer a second are too few.
    private static let fewest = 300_000.0

    @concurrent
    static func rows() async throws -> [Row] {
        try await merged(isVersioned: false) + merged(isVersioned: true) + [wide()]
    }

    /// Changes that are merged while one observer takes what it can.
    private static func merged(isVersioned: Bool) async throws -> [Row] {
        let burst = BurstSource()
        let pipeline = try pipeline(burst, isVersioned: isVersioned)
        let key = try pipeline.key()
        let observers = (0..<1_000).map { _ in observer(of: pipeline.snapshots(key)) }
        var first = pipeline.snapshots(key).makeAsyncIterator()
        while let snapshot = await first.next(), snapshot.status.feeds.first?.state != .live {}
        for observer in observers.dropFirst() { observer.cancel() }
        // Versions rise, so that every change counts. Made beforehand, and no batch twice where there are versions.
        let rounds = changes / batch
        let batches = (0..<(isVersioned ? rounds + 1 : 10)).map { round in
            (0..<batch).map { message(number: $0, round: round, version: isVersioned ? round + 1 : nil) }
        }

        burst.send(batches[0])
        let before = resident()
        let nanoseconds = try await Stopwatch.time {
            for round in 1...rounds { burst.send(batches[round % batches.count]) }
        }
        let growth = resident() - before
        observers.first?.cancel()
        let each = Double(changes) / (nanoseconds / 1e9)
        let name = "changes a second, merged into 10,000 elements\(isVersioned ? " by version" : ""), with an observer"
        return [
            Row(name, figure: "\(Int(each))", budget: "≥ 300000", isMet: each >= fewest),
            Row("… growth of the process over 1,000,000 of them", figure: "\((Double(growth) / 1_048_576).text(1)) MiB"),
        ]
    }

    /// One change that a thousand observers see.
    private static func wide() async throws -> Row {
        let burst = BurstSource()
        let pipeline = try pipeline(burst)
        let key = try pipeline.key()
        var iterators = (0..<1_000).map { _ in pipeline.snapshots(key).makeAsyncIterator() }
        while let snapshot = await iterators[0].next(), snapshot.status.feeds.first?.state != .live {}
        // The first has its snapshot, and nothing new may come for it.
        for index in iterators.indices.dropFirst() { _ = await iterators[index].next() }
        let warm = try await WarmPipeline(keys: iterators.count)
        var round = 0
        let comparison = try await Comparison.of(rounds: 41) {
            round += 1
            burst.send([message(number: round, round: -1)])
            for index in iterators.indices { use(await iterators[index].next()) }
        } floor: {
            try await warm.fetch(iterators.count)
        }
        return Row(
            "a snapshot, by one of 1,000 observers of a key; floor: a fetch answered by memory", comparison, count: 1_000)
    }

    private static func observer(of snapshots: Snapshots) -> Task<Void, Never> {
        // Cancelled when what it observes is measured.
        Task { for await snapshot in snapshots { use(snapshot.entry) } }
    }

    private static func pipeline(_ burst: BurstSource, isVersioned: Bool = false) throws -> DataPipeline {
        let version = isVersioned ? ",\"v\":0" : ""
        let list =
            "[" + (0..<elements).map { "{\"id\":\($0),\"name\":\"friend \($0)\",\"round\":0\(version)}" }.joined(separator: ",") + "]"
        guard let id = JSONPointer("/id") else { throw CancellationError() }
        return try DataPipeline(
            PipelineSpec(
                "friends",
                tiers: [
                    TierSpec(SourceSpec("memory", MemorySource()), ttl: .seconds(600)),
                    TierSpec(SourceSpec("api", ConstantOrigin(payload: Array(list.utf8)))),
                ],
                live: [FeedSpec(SourceSpec("burst", burst), merging: MergePolicy(id: [id], version: isVersioned ? JSONPointer("/v") : nil))]
            ))
    }

    private static func message(number: Int, round: Int, version: Int? = nil) -> [UInt8] {
        let version = version.map { ",\"v\":\($0)" } ?? ""
        return Array("{\"id\":\((number &* 7_919) % elements),\"name\":\"friend \(number)\",\"round\":\(round)\(version)}".utf8)
    }

    /// The bytes of memory that the process has.
    private static func resident() -> Int {
        let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
        return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * 4_096
    }
}
