import PipelineTesting
import SourcesMemory
import Testing

@testable import Pipeline

/// Copies whose times cannot be: a cache may hold anything.
@Suite struct HostileTimesTests {
    private static let extremes: [Timestamp?] =
        [.distantPast, .distantFuture, Timestamp(nanoseconds: 0), Timestamp(nanoseconds: .min + 1), Timestamp(nanoseconds: .max - 1), nil]

    @Test(arguments: extremes.compactMap(\.self), ["fresh", "stale", "ahead", "forever"])
    func `any time in a copy is taken, and nothing is served for a negative time`(created: Timestamp, policy: String) async throws {
        let policies = [
            "fresh": "tiers: [shared, network]", "stale": "tiers: [{ source: shared, ttl: 1h }, network]\nstale_if_error: 106751d",
            "ahead": "tiers: [{ source: shared, ttl: 106751d }, network]\nrefresh_ahead: 0.9\nstale_while_revalidate: 106751d",
            "forever": "tiers: [memory, { source: shared, ttl: 106751d, jitter: 1 }, network]\nstale_while_revalidate: 1ns",
        ]
        let town = Town(try #require(policies[policy]))
        for stored in Self.extremes {
            for freshUntil in Self.extremes {
                let process = try town.process()
                let entry = Entry(Array("[1]".utf8), created: created, stored: stored, freshUntil: freshUntil)
                process.shared.hold(entry, for: town.key)
                let outcome = try await process.fetch()
                #expect(outcome.failure == nil)
                #expect((outcome.age ?? .zero) >= .zero && (outcome.freshFor ?? .zero) >= .zero)
                for attempt in outcome.attempts { #expect(!attempt.description.isEmpty) }
                await process.pipelines.shutDown()
            }
        }
    }
}
