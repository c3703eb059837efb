import Pipeline
import PipelineConfig
import PipelineTesting
import PipelineYAML
import Testing

@testable import PipeRunKit
@testable import PipelineReports

/// What `explain` says of sources that several processes use.
@Suite struct ExplainedSharingTests {
    private static let plugins =
        Reading.plugins + [
            SourcePlugin(
                cache: "server", summary: "Shared by processes.", capabilities: [.keepsMetadata],
                fields: Field("invalidation", default: false, "Whether removals are announced."),
                Field("shared_flight", default: SharedFlightChoice(nil), "Whether loads are shared.")
            ) { (_, _: Bool, _: SharedFlightChoice) -> any WritableSource in throw CancellationError() }
        ]

    /// The sentences of a section that are about sharing, each with its lines.
    private static func sentences(_ id: String, _ fields: String, tiers: String = "m, s, o") throws -> [String] {
        let text = """
            sources:
              m: { type: memory }
              s:
                type: server
                \(fields)
              o: { type: http, url: "http://h/{key}" }
            pipelines:
              p: { tiers: [\(tiers)] }
            """
        let report = Reading.report(text, plugins: plugins)
        #expect(!report.diagnostics.hasErrors, "\(report.summary)")
        let effective = EffectiveConfig(report, folder: "", plugins: plugins, environment: Reading.environment)
        let explanation = Explanation(try report.plan.pipeline("p"), sharings: SourceSharing.of(effective, plugins: plugins))
        let section = explanation.sections.first { $0.id == id }
        return section?.sentences.filter { $0.text.contains("process") }.map { sentence in
            let lines = sentence.grounds.map { if case .place(let range) = $0 { "\(range.start.line)" } else { "elsewhere" } }
            return "\(sentence.text) [\(lines.joined(separator: ", "))]"
        } ?? []
    }

    @Test(arguments: [("true", "5s"), ("yes", "5s"), ("{ lease: 20s }", "20s"), ("{}", "5s")])
    func `says that one of several processes loads`(written: String, lease: String) throws {
        #expect(
            try Self.sentences("asking", "shared_flight: \(written)") == [
                "Of several processes that find no fresh copy in `s`, one loads; the others wait for its copy there. When that process "
                    + "dies, one of them loads after \(lease) at the latest. [5]"
            ])
    }

    @Test(arguments: ["{}", "shared_flight: false", "invalidation: true"])
    func `says nothing where each loads for itself`(fields: String) throws {
        let written = fields == "{}" ? "invalidation: false" : fields
        #expect(try Self.sentences("asking", written) == [])
    }

    @Test func `nor where nothing below is written there`() throws {
        #expect(try Self.sentences("asking", "shared_flight: true", tiers: "m, o, s") == [])
        #expect(try Self.sentences("asking", "shared_flight: true", tiers: "m, { source: s, write: false }, o") == [])
    }

    @Test func `the wait for other processes counts where the times are added up`() async throws {
        let time = ManualClock()
        let (shared, origin) = (
            StubSource("s", clock: time.clock, sharedFlight: SharedFlight(lease: .seconds(2))), StubOrigin("o", clock: time.clock)
        )
        let report = Reading.report(
            """
            sources: { s: { type: server, shared_flight: { lease: 2s } }, o: { type: origin } }
            pipelines: { p: { tiers: [{ source: s, timeout: 1s }, { source: o, timeout: 2s }] } }
            """,
            plugins: [
                SourcePlugin(
                    cache: "server", summary: "Shared by processes.", capabilities: [.keepsMetadata],
                    fields: Field("shared_flight", default: SharedFlightChoice(nil), "Whether loads are shared.")
                ) { (_, _: SharedFlightChoice) -> any WritableSource in shared },
                SourcePlugin(origin: "origin", summary: "", capabilities: [.neverMisses]) { _ in origin },
            ])
        let pipeline = try Pipelines(report, clock: time.clock).pipeline(named: "p")
        let sharings = ["s": SourceSharing(lease: .seconds(2))]
        let times =
            Explanation(try report.plan.pipeline("p"), sharings: sharings).sections.first { $0.id == "time" }?.sentences.map(\.text) ?? []
        let (key, tiers) = (Key(pipeline: "p"), Duration.seconds(3))
        origin.answers(.hanging)
        // Of a process that died.
        _ = try await shared.takeLease(of: key, for: "dead", lasting: .seconds(60))

        // Ends with the fetch, below.
        let fetch = Task { try await pipeline.fetch(key) }
        // Ends with the test.
        let pump = Task {
            while !Task.isCancelled {
                time.advance(by: .milliseconds(1))
                for _ in 0..<20 { await Task.yield() }
            }
        }
        defer { pump.cancel() }
        let taken = try await fetch.value.attempts.map(\.duration).reduce(.zero, +)

        #expect(
            times.last
                == "The time limits of the tiers add up to \(tiers.written ?? ""), and a load of another process is waited for before that; "
                + "there is no deadline for the whole fetch.")
        // The lease of a process that died lasts no longer than a lease may.
        #expect(taken > tiers && taken <= tiers + .seconds(3), "\(taken)")
    }

    @Test func `says how long a value is served that another process removed`() throws {
        #expect(
            try Self.sentences("age", "invalidation: true") == [
                "What another process removes, puts or refreshes is dropped from `m` as soon as `s` publishes that; while the connection is "
                    + "lost, a copy is served as long as said above. [5]",
                "A copy in `m` that was stored before the process subscribed, or subscribed again, counts as expired until it is confirmed. [5]",
            ])
        #expect(try Self.sentences("age", "invalidation: false") == [])
        #expect(try Self.sentences("age", "invalidation: true", tiers: "s, o") == [])
    }
}
