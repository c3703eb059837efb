import PipelineTesting
import Testing

@testable import Pipeline

/// A copy that was stored at 0 and created then, with what a tier has to say about it at each moment.
@Suite struct VerdictTests {
    private static func at(_ seconds: Double) -> Timestamp { Timestamp(nanoseconds: Int64(seconds * 1e9)) }

    private static let freshness: Freshness = {
        var pipeline = PipelinePolicy()
        pipeline.staleWhileRevalidate = .seconds(5)
        pipeline.refreshAhead = 0.8
        pipeline.notFoundTTL = .seconds(3)
        return Freshness(TierPolicy(ttl: .seconds(10)), pipeline)
    }()

    private static let copy = Entry(Array("[1]".utf8), created: at(0), stored: at(0))

    /// The verdict in a word, with the moment that it names.
    private static func words(_ verdict: Verdict) -> String {
        func moment(_ time: Timestamp?) -> String { time.map { "\($0.nanoseconds / 1_000_000_000)s" } ?? "ever" }
        return switch verdict {
        case .missing: "missing"
        case .invalid: "invalid"
        case .fresh(let limit): "fresh until \(moment(limit))"
        case .due(let limit): "due until \(moment(limit))"
        case .notFound(let limit): "not found until \(moment(limit))"
        case .stale(let since): "stale since \(moment(since))"
        case .expired(let since): "expired since \(moment(since))"
        case .early: "early"
        }
    }

    @Test(arguments: [
        (0.0, "fresh until 10s"), (7.999, "fresh until 10s"), (8, "due until 10s"), (9.999, "due until 10s"), (10, "stale since 10s"),
        (14.999, "stale since 10s"), (15, "expired since 10s"), (-0.001, "early"),
    ])
    func `TT-01 a copy is fresh, due, stale and expired in turn, each from its very moment on`(seconds: Double, expected: String) {
        #expect(Self.words(Self.freshness.verdict(of: Self.copy, at: Self.at(seconds))) == expected)
    }

    @Test(arguments: [(2.999, "not found until 3s"), (3, "expired since 3s")])
    func `a remembered not_found has its own time, and is never stale`(seconds: Double, expected: String) {
        var copy = Entry.notFound(created: Self.at(0))
        copy.stored = Self.at(0)

        #expect(Self.words(Self.freshness.verdict(of: copy, at: Self.at(seconds))) == expected)
    }

    @Test(arguments: [(3.0, 10.0, 3), (30, 10, 10), (nil, 10, 10), (3, nil, 3), (nil, nil, nil)] as [(Double?, Double?, Int64?)])
    func `a not_found is remembered for the shorter of not_found_ttl and the ttl of its tier`(
        notFoundTTL: Double?, ttl: Double?, expected: Int64?
    ) {
        var pipeline = PipelinePolicy()
        pipeline.notFoundTTL = notFoundTTL.map { .seconds($0) }
        var tier = TierPolicy()
        tier.ttl = ttl.map { .seconds($0) }
        let freshness = Freshness(tier, pipeline)
        var copy = Entry.notFound(created: Self.at(0))
        copy.stored = Self.at(0)

        #expect(freshness.limit(of: copy).map { $0.nanoseconds / 1_000_000_000 } == expected)
    }

    @Test func `a copy is no longer fresh than it says itself`() {
        var copy = Self.copy
        copy.freshUntil = Self.at(4)

        #expect(Self.words(Self.freshness.verdict(of: copy, at: Self.at(2))) == "fresh until 4s")
        #expect(Self.words(Self.freshness.verdict(of: copy, at: Self.at(4))) == "stale since 4s")
    }

    @Test func `one that may have missed a message is not fresh from that moment on`() {
        let verdict = Self.freshness.verdict(of: Self.copy, at: Self.at(6), unconfirmedSince: Self.at(5))

        #expect(Self.words(verdict) == "stale since 5s")
        #expect(!verdict.isFresh)
    }

    @Test func `what cannot be used is neither fresh nor stale, where it is looked at`() {
        var copy = Self.copy
        copy.payload = Array("[1".utf8)

        #expect(Self.words(Self.freshness.verdict(of: copy, at: Self.at(1), checking: .json)) == "invalid")
        #expect(Self.words(Self.freshness.verdict(of: copy, at: Self.at(1))) == "fresh until 10s")
        #expect(Self.words(Self.freshness.verdict(of: nil, at: Self.at(1), checking: .json)) == "missing")
    }
}
