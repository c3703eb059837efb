import Foundation
import Pipeline
import PipelineConfig
import PipelineYAML
import SourcesInline
import SourcesRedis
import SourcesSQLite
import Testing

@testable import PipeRunKit
@testable import PipelineReports

/// Decoder, validator and schema agree on files that are made up from the declarations.
///
/// `SCHEMA_SEED=7` begins with another file, `SCHEMA_FILES=20000` takes more of them; a failure names the seed of its file.
@Suite struct SchemaAgreementTests {
    static let plugins = Reading.plugins + [.redis, .sqliteQuery, .inline, .outbox, EveryType.plugin] + LiveStandIns.all

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    /// A valid file for an even seed, a damaged one for an odd one.
    private static func draft(seed: Int) -> Draft {
        var writer = DraftWriter(seed: UInt64(bitPattern: Int64(seed)))
        let fields = RunnerConfig.declarations(plugins: plugins)
        var draft = writer.object(fields, type: .object(fields))
        if !seed.isMultiple(of: 2) {
            for _ in 0..<Int.random(in: 1...2, using: &writer.random) { draft.damage(with: &writer.random) }
        }
        return draft
    }

    /// The codes P1xx that are errors at `level`, where no variable has a value.
    static func refusals(of text: String, level: ValidationLevel, plugins: [SourcePlugin] = plugins) -> [String] {
        Reading.report(text, level: level, plugins: plugins, environment: ConfigEnvironment([:])).diagnostics
            .filter { $0.severity == .error && $0.code.level == .schema && !SchemaLimitTests.isBetweenFields($0.message) }
            .map { "\($0.code.rawValue) \($0.message)" }
    }

    @Test func `decoder, validator and schema agree on every file`() throws {
        let first = Self.number("SCHEMA_SEED") ?? 2_026
        let seeds = first..<(first + (Self.number("SCHEMA_FILES") ?? 600))
        let texts = seeds.map { Self.draft(seed: $0).text }

        let judged = try SchemaJudge(schema: ConfigSchema.json(plugins: Self.plugins)).refusals(of: texts)

        var (refused, problems) = (0, 0)
        for (seed, (text, bySchema)) in zip(seeds, zip(texts, judged)) where problems < 5 {
            let byDecoder = Self.refusals(of: text, level: .env)
            let byValidator = Self.refusals(of: text, level: .schema)
            let isSound = seed.isMultiple(of: 2)
            refused += isSound || byDecoder.isEmpty ? 0 : 1
            let isUnreadable = bySchema?.hasPrefix("unreadable") == true
            guard isUnreadable || byDecoder != byValidator || byDecoder.isEmpty != (bySchema == nil) || (isSound && !byDecoder.isEmpty)
            else { continue }
            problems += 1
            Issue.record(
                """
                SCHEMA_SEED=\(seed) SCHEMA_FILES=1: decoder \(byDecoder), validator \(byValidator), schema \(bySchema ?? "valid") of
                \(text)
                """)
        }
        // Damage that never shows would prove nothing.
        if seeds.count > 100 { #expect(refused > seeds.count / 4) }
    }

    @Test func `what documentation and starter file show is valid`() throws {
        let texts = [
            StarterFile(Self.plugins).text,
            try String(
                contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../examples/friends/pipeline.yaml"),
                encoding: .utf8),
            MutationTests.valid,
        ]

        let judged = try SchemaJudge(schema: ConfigSchema.json(plugins: Self.plugins)).refusals(of: texts)

        #expect(judged == [nil, nil, nil])
        for text in texts { #expect(Self.refusals(of: text, level: .schema) == []) }
    }
}
