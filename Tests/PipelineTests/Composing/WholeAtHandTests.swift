import PipelineComposing
import PipelineJSON
import PipelineLive
import PipelineTesting
import Testing

@testable import Pipeline

/// A whole of which memory has each part is what it is when its parts are loaded.
@Suite struct WholeAtHandTests {
    private func screen(_ texts: [String], maxSize: Int = 1 << 20) -> Combination {
        let screen = Combination()
        for (index, text) in texts.enumerated() { screen.part("part\(index)", .value(text), ttl: .seconds(60)) }
        let names = ["a", "\"\u{7}é\u{2028}", "", "b"]
        var combine = CompositeSpec(.object(texts.indices.map { (names[$0], PartSpec("part\($0)")) }))
        combine.maxSize = Size(bytes: maxSize)
        screen.whole(combine)
        return screen
    }

    private static let nested = String(repeating: "[", count: 400) + "1" + String(repeating: "]", count: 400)

    @Test(arguments: [["1"], ["1", "2"], [" [1 , 2]\n", "{}", "\"\"", "\t-0"], [nested]])
    func `every byte is the same`(texts: [String]) async throws {
        let screen = screen(texts)
        let made = try await screen.fetch()
        let again = try await screen.fetch()

        #expect(made.parts.allSatisfy { $0.outcome?.isAtHand == false } && again.parts.allSatisfy { $0.outcome?.isAtHand == true })
        #expect(again.text == made.text && again.text?.isEmpty == false)
        #expect(again.parts.map(\.at) == made.parts.map(\.at) && again.parts.map(\.key) == made.parts.map(\.key))
        #expect(again.isComplete && again.missing.isEmpty && again.notKept == nil && again.isCombined && !again.isAtHand)
    }

    @Test(arguments: [1_021, 1_022, 1_023, 1_024, 1_025]) func `it may be as large as its limit and no larger`(size: Int) async throws {
        let texts = ["\"\(String(repeating: "x", count: size - 2))\"", "2"]
        let exact = try #require(try await screen(texts).fetch().text).utf8.count
        for (limit, isAllowed) in [(exact, true), (exact - 1, false)] {
            let screen = screen(texts, maxSize: limit)
            let (made, again) = (try await screen.fetch(), try await screen.fetch())
            #expect((made.error == nil) == isAllowed && again.error?.description == made.error?.description)
            if isAllowed { #expect(again.text == made.text) }
        }
    }

    @Test(arguments: [(510, true), (511, true), (512, false)])
    func `it may be nested as deep as can be read and no deeper`(depth: Int, isAllowed: Bool) async throws {
        let screen = screen([String(repeating: "[", count: depth) + String(repeating: "]", count: depth), "1"])
        let (made, again) = (try await screen.fetch(), try await screen.fetch())
        #expect((made.error == nil) == isAllowed && again.error?.description == made.error?.description)
        if isAllowed { #expect(again.text == made.text) }
    }

    @Test func `a part that lacks something does not hide that memory has the next one`() async throws {
        let screen = Combination()
        let link = LinkSpec("user", at: try JSONPath("$[*].id"), pipeline: "user")
        screen.part("list", #"[{"id":9}]"#, ttl: .seconds(60), links: [link])
        screen.part("user", parameters: ["id"], ttl: .seconds(60)) { $0.policy.notFoundTTL = .seconds(60) }
        screen["user"].answers { _ in .notFound }
        screen.part("last", "3", ttl: .seconds(60))
        screen.whole(CompositeSpec(.of(PartSpec("list", follow: ["user"]))), named: "inner", ttl: .seconds(60))
        screen.whole(CompositeSpec(.object([("inner", "inner"), ("last", "last")])))
        try await screen.fetch().waitForWrites()

        let again = try await screen.fetch()

        #expect(again.missing.map(\.at) == ["/inner/0/user"])
        #expect(again.parts.allSatisfy { $0.outcome?.isAtHand == true })
    }

    @Test func `an outcome keeps no copies that were replaced`() throws {
        let entry = Entry([1], created: .distantPast)
        var reply = LoadReply(.value(entry), attempts: [])
        let clean = SharedReply(reply)
        #expect(clean.forOutcome() === clean)
        reply.expired = [ExpiredCopy(source: "memory", entry: entry, since: .distantPast)]
        #expect(SharedReply(reply).forOutcome().value.expired.isEmpty)
    }

    @Test func `an observer learns which part failed where a stale copy is the answer`() async throws {
        let screen = Combination()
        screen.part("a", "1")
        screen.whole(CompositeSpec(.object([("a", "a")])), ttl: .seconds(10)) { $0.policy.staleIfError = .seconds(100) }
        try await screen.fetch().waitForWrites()
        screen["a"].fail()
        screen.time.advance(by: .seconds(11))

        var watch = Watch(try screen.pipeline().snapshots())
        let snapshot = await watch.until { $0.status.error != nil }

        #expect(snapshot?.status.isStale == true && snapshot?.status.parts.isEmpty == true)
        #expect(snapshot?.status.attempted.map(\.at) == ["/a"])
    }
}
