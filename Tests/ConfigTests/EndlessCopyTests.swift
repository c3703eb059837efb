import Pipeline
import PipelineConfig
import PipelineYAML
import SourcesRedis
import Testing

/// P322: a cache that outlives the process keeps its copies for ever, and the origin below is never asked again.
@Suite struct EndlessCopyTests {
    private static func codes(_ pipeline: String) -> [DiagnosticCode] {
        Reading.report(
            """
            sources:
              m: { type: memory }
              d: { type: file, path: d.json }
              s: { type: sqlite, path: s.db }
              r: { type: redis, url: "redis://127.0.0.1" }
              given: { type: file, path: given.json, read_only: true }
              o: { type: http, url: "http://h/" }
            pipelines:
              p: \(pipeline)
              all: { tiers: [m, { source: d, ttl: 1h }, { source: s, ttl: 1h }, { source: r, ttl: 1h }, given, o], write_back: none }

            """, plugins: Reading.plugins + [.redis]
        ).diagnostics.map(\.code).filter { $0 == .endlessCopy }
    }

    @Test(arguments: ["d", "s", "r", "{ source: d, debounce: 1s }", "m, d", "{ source: m, ttl: 1s }, s"])
    func `a durable cache without a ttl above an origin`(tiers: String) {
        #expect(Self.codes("{ tiers: [\(tiers), o] }") == [.endlessCopy])
    }

    @Test(arguments: [
        // A ttl, also one that says that it is meant; memory, which ends with the process; an origin that is asked first; none below.
        "{ tiers: [{ source: d, ttl: 1h }, o] }", "{ tiers: [{ source: d, ttl: none }, o] }", "{ tiers: [m, o] }", "{ tiers: [o, d] }",
        "{ tiers: [m, d] }", "{ tiers: [given, o] }",
        // Nothing is written there, or nothing read.
        "{ tiers: [d, o], write_back: none }", "{ tiers: [d, m, o], write_back: { o: [m] } }",
        "{ tiers: [{ source: d, write: false }, o] }",
        "{ tiers: [{ source: d, read: false }, o] }", "{ tiers: [d, { source: o, read: false }] }",
    ]) func `what is asked again, or meant, is left alone`(pipeline: String) {
        #expect(Self.codes(pipeline) == [])
    }

    @Test func `each of several is named`() {
        #expect(Self.codes("{ tiers: [d, s, o] }") == [.endlessCopy, .endlessCopy])
    }
}
