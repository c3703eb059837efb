import PipelineComposing
import PipelineJSON
import PipelineTesting
import Testing

@testable import Pipeline

/// What origins say about copies of parts holds for copies of the whole.
@Suite struct WholeTermsTests {
    /// Two parts; the origin of `a` says `field` of its value.
    private func screen(_ field: String, of value: String = "1", links: [LinkSpec] = []) -> Combination {
        let screen = Combination()
        let entry = Entry(Array(value.utf8), created: screen.time.clock.now, cacheControl: CacheControl(field: field))
        screen.part("a", .entry(entry), ttl: .seconds(60), links: links)
        screen.part("b", "2", ttl: .seconds(60))
        return screen
    }

    @Test(arguments: [
        ("must-revalidate", "must-revalidate"), ("private, max-age=60", "private"), ("proxy-revalidate", "proxy-revalidate"),
        ("no-cache", "no-cache"), ("max-age=60, stale-if-error=60, immutable, public", nil as String?),
    ])
    func `the whole forbids what a part forbids, and times are not handed on`(field: String, text: String?) async throws {
        let screen = screen(field)
        screen.whole(CompositeSpec(.object([("b", "b"), ("a", "a")])), named: "inner")
        screen.whole(CompositeSpec(.object([("b", "b"), ("a", "a")])), named: "plain")
        screen.whole(CompositeSpec(.object([("inner", "inner")])), ttl: .seconds(30))

        let outcome = try await screen.fetch()
        #expect(outcome.terms == text)

        // From the cache of the whole, and where memory has all of the parts.
        #expect(try await screen.fetch().terms == text)
        for name in ["inner", "plain"] {
            let atHand = try await screen.fetch(name)
            #expect(atHand.parts.map { $0.outcome?.trace } == ["memory_of_b: hit", "memory_of_a: hit"])
            #expect(atHand.terms == text)
        }
    }

    @Test func `CR-29 a whole with a part that must be confirmed is never served expired`() async throws {
        let (bound, free) = (screen("must-revalidate"), screen("max-age=60"))
        for screen in [bound, free] {
            screen.whole(CompositeSpec(.object([("a", "a"), ("b", "b")])), ttl: .seconds(10)) { $0.policy.staleIfError = .seconds(600) }
            try await screen.fetch()
            screen["a"].fail()
            screen["b"].fail()
            screen.time.advance(by: .seconds(61))
        }

        #expect(try await bound.fetch().failure?.kind == .everyTierFailed)
        #expect(try await free.fetch().isStale)
    }

    @Test func `a followed target counts, beside the value and in a part`() async throws {
        let place = try JSONPath("/id")
        let screen = screen("proxy-revalidate", of: #"{"id":1}"#, links: [LinkSpec("user", at: place, pipeline: "user")])
        let target = Entry(Array("3".utf8), created: screen.time.clock.now, cacheControl: CacheControl(field: "private, max-age=9"))
        screen.part("user", .entry(target), parameters: ["id"])
        screen.whole(CompositeSpec(.of(PartSpec("a", follow: ["user"]))), ttl: .seconds(30))

        #expect(try await screen.fetch("a", following: ["user"]).terms == "proxy-revalidate, private")
        #expect(try await screen.fetch().terms == "proxy-revalidate, private")
        #expect(try await screen.fetch("a").terms == "proxy-revalidate")
    }

    @Test func `CR-39 what no shared cache may store is in no stored whole`() async throws {
        let screen = Combination()
        let control = CacheControl(field: "private")
        let entry = Entry(Array("1".utf8), created: screen.time.clock.now, cacheControl: control, notKept: "private")
        screen.part("a", .entry(entry), ttl: .seconds(60))
        screen.whole(CompositeSpec(.object([("a", "a")])), named: "inner", ttl: .seconds(30))
        screen.whole(CompositeSpec(.object([("inner", "inner")])), ttl: .seconds(30))

        let outcome = try await screen.fetch()

        #expect(outcome.writes.map(\.outcome) == [.skipped])
        #expect(outcome.writes.map(\.reason) == ["part `inner`: part `a`: private"])
        #expect(outcome.terms == "private")
    }

    @Test func `a default that takes the place of a part says nothing`() async throws {
        let screen = screen("must-revalidate")
        screen.part("none", .notFound)
        screen.whole(CompositeSpec(.object([("b", "b"), ("none", PartSpec("none", default: "0"))])))

        #expect(try await screen.fetch().terms == nil)
    }
}

extension Outcome {
    /// What is said of copies of the value.
    fileprivate var terms: String? { answer?.cacheControl?.text }
}
