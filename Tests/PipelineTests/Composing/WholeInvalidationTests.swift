import PipelineJSON
import PipelineTesting
import SourcesMemory
import Synchronization
import TestSupport
import Testing

@testable import Pipeline
@testable import PipelineComposing

/// A change of a part expires what was made from it.
@Suite struct WholeInvalidationTests {
    private func home(ttl: Duration = .seconds(30)) -> Combination {
        let screen = Combination()
        screen.part("a", "1", ttl: .seconds(60))
        screen.part("b", "2", ttl: .seconds(60))
        screen.whole(CompositeSpec(.object([("a", "a"), ("b", PartSpec("b"))])), ttl: ttl)
        return screen
    }

    @Test func `KO-16 a put of a part has the whole assembled again`() async throws {
        let screen = home()
        try await screen.fetch()
        let a = try screen.pipeline("a")

        _ = try await a.put(Array("5".utf8), for: a.key())

        let outcome = try await screen.fetch()
        #expect(outcome.text == #"{"a":5,"b":2}"#)
        #expect(outcome.trace == "memory_of_home: expired, combine: hit")
        #expect(outcome.writeTrace == "memory_of_home: written")
        #expect(try await screen.fetch().trace == "memory_of_home: hit")
    }

    @Test func `a put of the same bytes leaves the whole`() async throws {
        let screen = home()
        try await screen.fetch()
        let a = try screen.pipeline("a")

        _ = try await a.put(Array("1".utf8), for: a.key())

        #expect(try await screen.fetch().trace == "memory_of_home: hit")
    }

    @Test func `a removal of a part, and a clear, have the whole assembled again`() async throws {
        let screen = home()
        try await screen.fetch()
        let a = try screen.pipeline("a")

        _ = try await a.remove(a.key())
        #expect(try await screen.fetch().trace == "memory_of_home: expired, combine: hit")
        _ = try await a.clear()
        #expect(try await screen.fetch().trace == "memory_of_home: expired, combine: hit")
    }

    @Test func `a refresh that changes bytes expires the whole, another does not`() async throws {
        let screen = home()
        try await screen.fetch()

        try await screen.fetch("a", policy: .refresh)
        #expect(try await screen.fetch().trace == "memory_of_home: hit")

        screen["a"].answers("7")
        try await screen.fetch("a", policy: .refresh)
        #expect(try await screen.fetch().text == #"{"a":7,"b":2}"#)
        #expect(try await screen.fetch().trace == "memory_of_home: hit")
    }

    @Test func `a whole that its own fetch finds changed is kept`() async throws {
        let screen = home(ttl: .seconds(100))
        try await screen.fetch()
        screen["a"].answers("7")
        screen.time.advance(by: .seconds(60))

        let outcome = try await screen.fetch()

        #expect(outcome.text == #"{"a":7,"b":2}"#)
        #expect(outcome.writeTrace == "memory_of_home: written")
        #expect(try await screen.fetch().trace == "memory_of_home: hit")
    }

    @Test func `a whole that is being assembled is not kept when a part of it was removed meanwhile`() async throws {
        let screen = home()
        let gate = Gate()
        screen["b"].delay(.reads, until: gate)
        async let fetched = screen.fetch()
        await screen["b"].reads(atLeast: 1)
        try await yieldUntil { try await screen.pipeline("a").fetch(policy: .cacheOnly).text != nil }
        let a = try screen.pipeline("a")

        _ = try await a.put(Array("5".utf8), for: a.key())
        gate.open()

        #expect(try await fetched.writes.map(\.outcome) == [.skipped])
        #expect(try await screen.fetch().text == #"{"a":5,"b":2}"#)
    }

    @Test func `what is made from a whole expires with it`() async throws {
        let screen = Combination()
        screen.part("a", "1", ttl: .seconds(60))
        screen.whole(CompositeSpec(.of("a")), named: "inner")
        screen.whole(CompositeSpec(.object([("x", "inner")])), ttl: .seconds(30))
        try await screen.fetch()
        let a = try screen.pipeline("a")

        _ = try await a.put(Array("5".utf8), for: a.key())

        #expect(try await screen.fetch().text == #"{"x":5}"#)
    }

    @Test func `a followed target is a part`() async throws {
        let screen = Combination()
        let link = LinkSpec("author", at: try JSONPath("/id"), pipeline: "user")
        screen.part("post", #"{"id":7}"#, ttl: .seconds(60), links: [link])
        screen.part("user", "1", parameters: ["id"], ttl: .seconds(60))
        screen.whole(CompositeSpec(.of(PartSpec("post", follow: ["author"]))), ttl: .seconds(30))
        try await screen.fetch()
        let user = try screen.pipeline("user")

        _ = try await user.put(Array("2".utf8), for: user.key(["id": "7"]))

        #expect(try await screen.fetch().text == #"{"id":7,"author":2}"#)
    }

    @Test func `a whole in a slow cache expires, too, and serves under stale_if_error`() async throws {
        let screen = Combination()
        let disk = StubSource("disk", clock: screen.time.clock)
        screen.part("a", "1", ttl: .seconds(60))
        screen.whole(CompositeSpec(.of("a"))) { spec in
            spec.policy.staleIfError = .seconds(100)
            spec.tiers = [TierSpec(SourceSpec("disk", disk, capabilities: [.keepsMetadata]), ttl: .seconds(30)), .combine()]
        }
        try await screen.fetch().waitForWrites()
        #expect(try await screen.fetch().trace == "disk: hit")
        screen["a"].answers("2")
        try await screen.fetch("a", policy: .refresh)
        let home = try screen.pipeline()
        await home.finishRefreshes()
        screen["a"].fail()
        let a = try screen.pipeline("a")
        _ = try await a.remove(a.key())
        await home.finishRefreshes()

        let outcome = try await screen.fetch()

        #expect(outcome.trace == "disk: stale, combine: error")
        #expect(outcome.text == "1")
    }

    @Test func `wholes beyond the bound are not kept`() async throws {
        let index = WholeIndex(bound: 1)
        let (one, two) = (Key(pipeline: "one"), Key(pipeline: "two"))
        let first = index.assembly(of: one)
        first.asks(two)
        first.uses(two, [1])
        #expect(first.end().notKept == nil)
        let second = index.assembly(of: two)
        for key in [one, two] {
            second.asks(key)
            second.uses(key, nil)
        }

        #expect(second.end().notKept == "changes of its parts cannot be watched: 1 are watched already")
    }

    @Test func `KO-16 a change of a part that another process publishes has the whole assembled again`() async throws {
        let screen = home()
        try await screen.fetch()
        let a = try screen.pipeline("a")
        screen["a"].answers("5")

        await a.invalidation.receive(.received(.key(try a.key())), through: "another")
        await a.finishRefreshes()

        let outcome = try await screen.fetch()
        #expect(outcome.text == #"{"a":5,"b":2}"#)
        #expect(outcome.trace == "memory_of_home: expired, combine: hit")
    }

    @Test func `a whole that is not written yet is not when a part changes, also while another assembly of it runs`() {
        let index = WholeIndex()
        let (whole, part) = (Key(pipeline: "home"), Key(pipeline: "a"))
        let (first, second) = (index.assembly(of: whole), index.assembly(of: whole))
        first.asks(part)
        first.uses(part, [1])
        #expect(first.end().notKept == nil)
        second.asks(part)
        let generations = Generations()
        let (permit, other) = (generations.permit(for: whole).bound(to: first.validity), generations.permit(for: whole))
        #expect(permit.isCurrent)

        let affected = index.state.withLock { state in
            let affected = state.affected(by: part, .bytes(2))
            return state.settle(affected).wholes
        }

        #expect(affected == [whole: false])
        #expect(!permit.isCurrent)
        // The other one brings the new value.
        #expect(other.isCurrent && !second.validity.isVoid)
    }

    @Test func `a whole leaves the index when its time has passed`() {
        let index = WholeIndex()
        let start = Timestamp(nanoseconds: 0)
        func assemble(_ name: String, at seconds: Int, for duration: Int) {
            let assembly = index.assembly(of: Key(pipeline: "home", parameters: ["n": name]))
            assembly.asks(Key(pipeline: "a"))
            assembly.uses(Key(pipeline: "a"), [1])
            _ = assembly.end(until: start + .seconds(seconds + duration), at: start + .seconds(seconds))
        }
        for number in 0..<20 { assemble("\(number)", at: 0, for: 10) }
        assemble("long", at: 0, for: 100)
        #expect(index.count == 21)

        // A few at a time.
        for number in 0..<3 { assemble("later \(number)", at: 10, for: 10) }
        #expect(index.count == 4)
        assemble("last", at: 99, for: 1)
        #expect(index.count == 2)
    }

    @Test func `only pipelines that others are made from are watched`() throws {
        let screen = home()
        screen.part("c", "3")
        #expect(try screen.pipeline("a").invalidation.isPart)
        #expect(try !screen.pipeline("c").invalidation.isPart)
        #expect(try !screen.pipeline().invalidation.isPart)
    }
}
