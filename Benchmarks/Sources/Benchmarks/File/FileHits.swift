import Pipeline
import PipelineYAML
import SourcesFile

/// A fetch that the file tier answers, beside `open`, `read`, `close` of the same file.
enum FileHits {
    private static let count = 5_000

    @concurrent
    static func rows() async throws -> [Row] {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var rows: [Row] = []
        for size in [100, 4_096, 65_536] {
            let payload = [UInt8](repeating: UInt8(ascii: "1"), count: size)
            let path = folder.path + "/\(size)"
            let pipeline = try pipeline(path: path, payload: payload)
            let key = try pipeline.key()
            // The first fetch writes the file, and ends when it is there.
            try await pipeline.fetch(key).settleWrites()
            let source = FileSource(path: PathTemplate(literal: path))
            let plain = PlainFile(path, size: size)
            let fetches = try await Comparison.of(rounds: 31) {
                for _ in 0..<count { use(try await pipeline.fetch(key)) }
            } floor: {
                for _ in 0..<count { plain.read() }
            }
            let reads = try await Comparison.of(rounds: 11) {
                for _ in 0..<count { use(try await source.read(key)) }
            } floor: {
                for _ in 0..<count { plain.read() }
            }
            rows.append(Row("fetch answered by a file of \(size) B; floor: open+read+close", fetches, count: count, atMost: 1.5))
            rows.append(Row("… the source alone", reads, count: count))
        }
        return rows
    }

    private static func pipeline(path: String, payload: [UInt8]) throws -> DataPipeline {
        let text = """
            sources:
              disk: { type: file, path: "\(path)" }
              api: { type: constant }
            pipelines:
              friends:
                format: bytes
                tiers: [{ source: disk, ttl: 1h }, api]
            """
        let report = ConfigFile(text: Array(text.utf8), name: "benchmark").report(plugins: [.file, ConstantOrigin.plugin(payload)])
        return try Pipelines(report)["friends"]
    }
}
