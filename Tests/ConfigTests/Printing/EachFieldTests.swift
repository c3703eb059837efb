import Pipeline
import PipelineConfig
import Testing

@testable import PipelineReports

/// What must be said of every field of a tier and of a pipeline, a new one too.
@Suite struct EachFieldTests {
    /// The tier and the fields of it that give `field` a meaning beyond its default.
    private static func sample(_ field: TierField) -> (source: String, fields: String) {
        switch field {
        case .ttl: ("d", "ttl: 10m")
        case .jitter: ("d", "ttl: 10m, jitter: 10%")
        case .debounce: ("d", "debounce: 2s")
        case .maxDelay: ("d", "debounce: 2s, max_delay: 5s")
        case .timeout: ("o", "timeout: 5s")
        case .softTimeout: ("o", "soft_timeout: 2s")
        case .onError: ("o", "on_error: fail")
        case .onNotFound: ("o", "on_not_found: next")
        case .lastResort: ("o", "last_resort: true")
        case .reads: ("d", "read: false")
        case .writes: ("d", "write: false")
        case .retry: ("o", "retry: { attempts: 3 }")
        case .circuitBreaker: ("o", "circuit_breaker: { failures: 3 }")
        }
    }

    /// The value that says more than the default; nil for what is no policy, or concerns no fetch.
    private static func sample(_ field: PipelineField) -> String? {
        switch field {
        case .format: "text"
        case .writeBack: "none"
        case .staleWhileRevalidate, .staleIfError: "1h"
        case .notFoundTTL: "5s"
        case .refreshAhead: "50%"
        case .priority: "low"
        case .deadline: "10s"
        case .description, .parameters, .combine, .tiers, .links, .live, .maxSize: nil
        }
    }

    private static func plan(_ tiers: String, _ fields: String) throws -> PipelinePlan {
        let report = Reading.report(
            """
            sources:
              m: { type: memory }
              d: { type: file, path: d.json }
              o: { type: http, url: "http://h/" }
              p: { type: http, url: "http://i/" }
            pipelines:
              x:
                tiers: [\(tiers)]
                \(fields)
            """, plugins: Reading.plugins)
        #expect(!report.diagnostics.contains { $0.severity == .error })
        return try report.plan.pipeline("x")
    }

    private static func grounds(_ plan: PipelinePlan) -> Set<TextRange> {
        let grounds = Explanation(plan).sections.flatMap(\.sentences).flatMap(\.grounds)
        return Set(grounds.compactMap { if case .place(let range) = $0 { range } else { nil } })
    }

    @Test(arguments: TierField.allCases) func `a field of a tier is explained by its line, and drawn`(_ field: TierField) throws {
        let (source, fields) = Self.sample(field)
        let tiers = ["d", "o", "p"].map { $0 == source ? "{ source: \($0), \(fields) }" : $0 }
        let plan = try Self.plan("{ source: m, ttl: 30s }, " + tiers.joined(separator: ", "), "stale_if_error: 1h")
        let tier = try #require(plan.tiers.first { $0.source.name == source })

        #expect(Self.grounds(plan).contains(try #require(tier.places[field])))
        #expect(GraphPolicy.of(tier.policy, isLastResort: tier.isLastResort).contains { $0.name == field.rawValue })
    }

    @Test(arguments: PipelineField.allCases) func `a policy of a pipeline is explained by its line, and drawn`(
        _ field: PipelineField
    ) throws {
        guard let value = Self.sample(field) else { return }
        let plan = try Self.plan("{ source: m, ttl: 30s }, d, o", "\(field.rawValue): \(value)")

        #expect(Self.grounds(plan).contains(try #require(plan.places[field])))
        #expect(GraphPolicy.of(plan.policy).contains { $0.name == field.rawValue })
    }

    @Test func `what is declared of a field is read, documented and has its name`() {
        #expect(TierConfig.policyNames == TierField.allCases.map(\.rawValue))
        #expect(TierConfig.fieldType.fieldsWithin.map(\.name) == ["source"] + TierField.allCases.map(\.rawValue))
        #expect(DeclaredPipeline.fieldType.fieldsWithin.map(\.name) == PipelineField.allCases.map(\.rawValue))
    }
}
