import Pipeline
import PipelineConfig
import SourcesFile

/// A fetch that the file tier answers, beside `open`, `read`, `close` of the same file.
enum FileHits {
    @concurrent
    static func rows() async throws -> [Row] {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var rows: [Row] = []
        for size in CacheHits.sizes {
            let path = folder.path + "/\(size)"
            let pipeline = try await CacheHits.pipeline(over: "type: file, path: \"\(path)\"", .file, size: size)
            let plain = PlainFile(path, size: size)
            rows += try await CacheHits.rows(
                "a file of \(size) B; floor: open+read+close", pipeline, FileSource(path: PathTemplate(literal: path)), count: 5_000,
                rounds: 21, atMost: 2, aloneAtMost: 1.5
            ) { count in
                for _ in 0..<count { plain.read() }
            }
        }
        return rows
    }
}
