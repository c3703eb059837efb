import Pipeline
import PipelineConfig
import PipelineYAML
import SourcesFile
import SourcesMemory
import SourcesSQLite

/// A fetch that memory, a file and a database miss, and an origin within the process answers.
///
/// Nothing is written back, so that the next one misses as well.
enum MissedTiers {
    private static let count = 2_000

    @concurrent
    static func rows() async throws -> [Row] {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let payload = [UInt8](repeating: UInt8(ascii: "1"), count: 100)
        let (file, database) = (folder.path + "/none", folder.path + "/none.db")
        let pipeline = try pipeline(file: file, database: database, payload)
        let key = try pipeline.key()
        let origin = ConstantOrigin(payload: payload)
        let (memory, disk, table) = (
            MemorySource(), FileSource(path: PathTemplate(literal: file)), SQLiteSource(path: DatabasePath(database))
        )
        // A database that is there and has no such row: what is read before anything was written makes none.
        let other = Key(pipeline: "other")
        try await table.write(Entry(payload, created: PipelineClock.system.now), for: other)
        let bare = try BareDatabase(database, key: key.text)
        let dictionary = BareDictionary()
        let fetches = try await Comparison.of(rounds: 15) {
            for _ in 0..<count { use(try await pipeline.fetch(key)) }
        } floor: {
            for _ in 0..<count {
                use(dictionary[key.text])
                PlainFile.miss(file)
                use(try await bare.read())
                use(try await origin.read(key, ReadContext()))
            }
        }
        let byHand = try await Comparison.of(rounds: 15) {
            for _ in 0..<count { use(try await pipeline.fetch(key)) }
        } floor: {
            for _ in 0..<count {
                if let entry = try await memory.read(key, ReadContext()) { use(entry) }
                if let entry = try await disk.read(key, ReadContext()) { use(entry) }
                if let entry = try await table.read(key, ReadContext()) { use(entry) }
                use(try await origin.read(key, ReadContext()))
            }
        }
        return [
            Row("fetch that memory, file and database miss; floor: lookup, `open`, the driver's read", fetches, count: count),
            Row("… floor: the same sources asked by hand", byHand, count: count),
        ]
    }

    private static func pipeline(file: String, database: String, _ payload: [UInt8]) throws -> DataPipeline {
        let text = """
            sources:
              memory: { type: memory }
              disk: { type: file, path: "\(file)" }
              table: { type: sqlite, path: "\(database)" }
              api: { type: constant }
            pipelines:
              friends:
                format: bytes
                write_back: none
                tiers: [{ source: memory, ttl: 1m }, { source: disk, ttl: 10m }, { source: table, ttl: 1h }, api]
            """
        let report = ConfigFile(text: Array(text.utf8), name: "benchmark").report(
            plugins: [.memory, .file, .sqlite, ConstantOrigin.plugin(payload)])
        return try Pipelines(report).pipeline(named: "friends")
    }
}
