import CAllocations
import Foundation
import GRDB
import Pipeline
import PipelineConfig
import PipelineJSON
import PipelineLive
import PipelineSending
import SourcesMemory
import SourcesSQLite
import Synchronization

/// What sends cost: to be taken in, to those who read, and to keep.
enum SendCosts {
    @concurrent
    static func rows() async throws -> [Row] {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        return try await takingIn(folder) + hits(folder) + [laidOver(folder), delivered(folder)] + kept(folder) + [process(folder)]
    }

    /// Sends of 1 KB, one after the other and by 64 callers at once, beside as many commits of a row.
    private static func takingIn(_ folder: TemporaryFolder) async throws -> [Row] {
        let pipelines = try Pipelines(
            [], sends: [note(in: OutboxFile(path: DatabasePath(folder.path + "/outbox.db"), maxEntries: 100_000))])
        let payload = [UInt8](repeating: UInt8(ascii: "1"), count: 1_024)
        let bare = try BareCommits(folder.path + "/bare.db")
        let (alone, together) = (40, 640)
        let one = try await Comparison.of(rounds: 15) {
            for _ in 0..<alone { try await pipelines.send("note", [:], payload) }
        } floor: {
            for _ in 0..<alone { try await bare.commit(payload) }
        }
        let many = try await Comparison.of(rounds: 9) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<64 {
                    group.addTask { for _ in 0..<(together / 64) { try await pipelines.send("note", [:], payload) } }
                }
                try await group.waitForAll()
            }
        } floor: {
            for _ in 0..<together { try await pipelines.send("note", [:], payload) }
        }
        await pipelines.shutDown()
        return [
            Row("a send of 1 KB, taken in; floor: the driver's insert and commit", one, count: alone, atMost: 1.2),
            Row("… each of 64 callers at once; floor: one after the other", many, count: together, atMost: 0.125),
        ]
    }

    /// A hit of a key that no send changes, while one waits for another key of the pipeline.
    private static func hits(_ folder: TemporaryFolder) async throws -> [Row] {
        let (plain, count) = (try friends(), 100_000)
        let sending = try friends(changedFrom: folder.path + "/hits.db")
        defer { withExtendedLifetime((plain, sending)) {} }
        let (floor, subject) = (try plain.pipeline(named: "friends"), try sending.pipeline(named: "friends"))
        let key = try subject.key(["user": "1"])
        for pipeline in [floor, subject] { try await pipeline.fetch(key).waitForWrites() }
        try await sending.send("rename", ["user": "2", "id": "1"], Array(#"{"name":"Ada"}"#.utf8))
        let hits = try await Comparison.of(rounds: 41) {
            for _ in 0..<count { use(try await subject.fetch(key)) }
        } floor: {
            for _ in 0..<count { use(try await floor.fetch(key)) }
        }
        let before = heap_allocation_count()
        for _ in 0..<count { use(try await subject.fetch(key)) }
        let each = Double(heap_allocation_count() - before) / Double(count)
        await sending.shutDown()
        return [
            Row(
                "fetch answered by memory while a send waits for another key; floor: without `sends`", hits, count: count, atMost: 1.05),
            Row("… heap allocations of one fetch", figure: each.text(3), budget: "0", isMet: each < 0.001),
        ]
    }

    /// A snapshot of a list of 10,000 items after a change, with 100 sends laid over it.
    private static func laidOver(_ folder: TemporaryFolder) async throws -> Row {
        let (burst, plainBurst) = (BurstSource(), BurstSource())
        let (sending, plain) = (
            try friends(items: 10_000, burst, changedFrom: folder.path + "/laid.db"), try friends(items: 10_000, plainBurst)
        )
        let key = try plain.pipeline(named: "friends").key(["user": "1"])
        for number in 0..<100 {
            try await sending.send("rename", ["user": "1", "id": "\(number * 97)"], Array(#"{"name":"Ada"}"#.utf8))
        }
        var iterators = try [sending, plain].map { try $0.pipeline(named: "friends").snapshots(key).makeAsyncIterator() }
        for index in iterators.indices {
            while let snapshot = await iterators[index].next(), snapshot.status.feeds.first?.state != .live {}
        }
        var round = 0
        func change(_ burst: BurstSource, _ index: Int) async {
            round += 1
            burst.send([Array(#"{"id":5,"name":"friend \#(round)"}"#.utf8)])
            use(await iterators[index].next()?.entry?.payload)
        }
        let comparison = try await Comparison.of(rounds: 41) {
            for _ in 0..<20 { await change(burst, 0) }
        } floor: {
            for _ in 0..<20 { await change(plainBurst, 1) }
        }
        await sending.shutDown()
        return Row("a snapshot of 10,000 items after a change, 100 sends laid over it; floor: without", comparison, count: 20, atMost: 2)
    }

    /// 1,000 sends that change one list, delivered one after the other.
    private static func delivered(_ folder: TemporaryFolder) async throws -> Row {
        let (count, target) = (1_000, Target(isAway: true))
        let pipelines = try friends(changedFrom: folder.path + "/delivered.db", target)
        for number in 0..<count { try await pipelines.send("rename", ["user": "1", "id": "\(number)"], Array(#"{"name":"Ada"}"#.utf8)) }
        target.isAway.store(false, ordering: .releasing)
        let time = try await Stopwatch.time { try await pipelines.flushSends(within: .seconds(120)) }
        await pipelines.shutDown()
        let bare = try BareCommits(folder.path + "/bare.db")
        let floor = try await Stopwatch.time { for _ in 0..<1_100 { try await bare.commit(Array("{}".utf8)) } }
        return Row(
            "1,000 sends that change one list, delivered; floor: 1,100 commits", Comparison(subjects: [time], floors: [floor]), count: count
        )
    }

    /// An outbox with 10,000 sends that wait.
    private static func kept(_ folder: TemporaryFolder) async throws -> [Row] {
        let path = folder.path + "/full.db"
        func open() throws -> Pipelines { try friends(changedFrom: path) }
        let filling = try open()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for user in 0..<100 {
                group.addTask {
                    for id in 0..<100 {
                        try await filling.send("rename", ["user": "\(user)", "id": "\(id)"], Array(#"{"name":"Ada Lovelace"}"#.utf8))
                    }
                }
            }
            try await group.waitForAll()
        }
        await filling.shutDown()
        let before = heap_bytes_in_use()
        let opened = try open()
        try await opened.startSending()
        let growth = Double(heap_bytes_in_use() - before) / 1_048_576
        await opened.shutDown()
        let bare = try BareCommits(path)
        let comparison = try await Comparison.of(rounds: 9) {
            let opened = try open()
            try await opened.startSending()
            await opened.shutDown()
        } floor: {
            use(try await bare.allRows())
        }
        return [
            Row("10,000 sends that wait, in memory", figure: "\(growth.text(1)) MiB", budget: "≤ 3 MiB", isMet: growth <= 3),
            Row("… their outbox opened; floor: the driver's read of its rows", comparison, atMost: 2),
        ]
    }

    /// The whole process `pipe-run send`.
    private static func process(_ folder: TemporaryFolder) async throws -> Row {
        let program = try Environment.required("PIPE_RUN")
        let server = try StaticServer(body: Array("{}".utf8))
        let url = "http://127.0.0.1:\(server.port)/notes"
        let config = try folder.write(
            """
            sources:
              outbox: { type: outbox, path: "\(folder.path)/process.db" }
              notes: { type: http, method: POST, url: "\(url)", idempotent: true }
              api: { type: http, url: "\(url)" }
            sends:
              note: { to: notes }
            pipelines:
              notes: { tiers: [api] }
            """, to: "sends.yaml")
        let payload = try folder.write("{}", to: "note.json")
        let send = ChildProcess(program, "send", "note", "-c", config, "--file", payload)
        let fetch = ChildProcess(program, "fetch", "notes", "-c", config)
        let bare = try BareCommits(folder.path + "/bare.db")
        let comparison = try await Comparison.of(rounds: 41) {
            try send.run()
        } floor: {
            try fetch.run()
            for _ in 0..<2 { try await bare.commit(Array("{}".utf8)) }
        }
        return Row("process `pipe-run send`, sent; floor: process `pipe-run fetch`, and two commits", comparison, atMost: 1.3)
    }

    /// A pipeline of lists.
    ///
    /// - Parameters:
    ///   - outbox: the path of the outbox of what changes them; nil if nothing does.
    ///   - target: where the changes go.
    private static func friends(
        items count: Int = 1, _ burst: BurstSource? = nil, changedFrom outbox: String? = nil, _ target: Target = Target(isAway: true)
    ) throws -> Pipelines {
        let list = "[" + (0..<count).map { #"{"id":\#($0),"name":"friend \#($0)"}"# }.joined(separator: ",") + "]"
        let merging = MergePolicy(id: [JSONPointer(tokens: ["id"])], insertion: .last)
        let friends = PipelineSpec(
            "friends", parameters: ["user"],
            tiers: [
                TierSpec(SourceSpec("memory", MemorySource()), ttl: .seconds(600)),
                TierSpec(SourceSpec("api", ConstantOrigin(payload: Array(list.utf8)))),
            ], live: burst.map { [FeedSpec(SourceSpec("burst", $0), merging: merging)] } ?? [])
        guard let outbox else { return try Pipelines([friends]) }
        var rename = SendSpec(
            "rename", parameters: ["user", "id"], to: SourceSpec("notes", target),
            outbox: SourceSpec("outbox", OutboxFile(path: DatabasePath(outbox))))
        rename.changes = [SendChange(of: "friends", .patch, merging: merging)]
        rename.changes[0].target = .parameter("id")
        return try Pipelines([friends], sends: [rename])
    }

    private static func note(in outbox: OutboxFile) -> SendSpec {
        SendSpec("note", to: SourceSpec("notes", Target(isAway: true)), outbox: SourceSpec("outbox", outbox))
    }
}

/// A target that takes nothing as long as it is away: what is sent to it waits.
private final class Target: SendingSource {
    let isAway: Atomic<Bool>

    init(isAway: Bool) { self.isAway = Atomic(isAway) }

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? { nil }

    func send(_ send: OutgoingSend, _ context: ReadContext) async throws -> SendAnswer {
        SendAnswer(status: isAway.load(ordering: .acquiring) ? 503 : 200)
    }
}

/// The least that the driver needs for a row that survives a power cut.
private struct BareCommits {
    private let queue: DatabaseQueue

    init(_ path: String) throws {
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA journal_mode = WAL")
            try db.execute(sql: "CREATE TABLE IF NOT EXISTS bare (payload BLOB)")
        }
    }

    func commit(_ payload: [UInt8]) async throws {
        try await queue.write { db in
            try db.cachedStatement(sql: "INSERT INTO bare VALUES (?)").execute(arguments: [Data(payload)])
        }
    }

    func allRows() async throws -> Int {
        try await queue.read { try GRDB.Row.fetchAll($0, sql: "SELECT * FROM sends").count }
    }
}
