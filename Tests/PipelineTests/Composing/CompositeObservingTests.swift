import PipelineComposing
import PipelineJSON
import PipelineTesting
import Synchronization
import TestSupport
import Testing

@testable import Pipeline
@testable import PipelineLive

/// An observer of a composite observes its parts.
@Suite struct CompositeObservingTests {
    private func put(_ text: String, in name: String, of screen: Combination) async throws {
        let pipeline = try screen.pipeline(name)
        _ = try await pipeline.put(Array(text.utf8), for: pipeline.key())
    }

    /// A part whose list a feed changes.
    private func fed(_ screen: Combination) -> LiveStub {
        let events = LiveStub()
        screen.part("list", #"[{"id":1}]"#, ttl: .seconds(600)) { spec in
            spec.live = [FeedSpec(SourceSpec("events", events), merging: MergePolicy(id: [JSONPointer(tokens: ["id"])]))]
        }
        return events
    }

    @Test func `an observer sees what becomes of a part, also where no cache keeps the whole`() async throws {
        let screen = Combination()
        screen.part("a", "1", ttl: .seconds(600))
        screen.part("b", "2", ttl: .seconds(600))
        screen.whole(CompositeSpec(.object([("a", "a"), ("b", "b")])))
        var watch = Watch(try screen.pipeline().snapshots())
        await watch.until(#"{"a":1,"b":2}"#)

        try await put("5", in: "a", of: screen)
        await watch.until(#"{"a":5,"b":2}"#)
        screen["b"].answers("7")
        try await screen.fetch("b", policy: .refresh)
        await watch.until(#"{"a":5,"b":7}"#)
    }

    @Test func `an observer sees that a part is gone, also where no origin says so`() async throws {
        let screen = Combination()
        screen.part("a", "1")
        screen.part("b", "2")
        screen.whole(CompositeSpec(.object([("a", "a"), ("b", PartSpec("b", optional: true))])))
        var watch = Watch(try screen.pipeline().snapshots())
        await watch.until(#"{"a":1,"b":2}"#)

        // As a file that was removed: its origin has nothing, and does not say that there is nothing.
        screen["b"].answers(.miss)
        try await screen.fetch("b", policy: .refresh)

        await watch.until(#"{"a":1}"#)
    }

    @Test(arguments: [false, true]) func `the feeds of parts run while the whole is observed`(isNested: Bool) async throws {
        let screen = Combination()
        let events = fed(screen)
        if isNested { screen.whole(CompositeSpec(.of("list")), named: "inner") }
        screen.whole(CompositeSpec(.object([("list", isNested ? "inner" : "list")])))
        var watch: Watch? = Watch(try screen.pipeline().snapshots())
        await watch?.until(#"{"list":[{"id":1}]}"#)
        let connection = try await events.connection(1)
        connection.begin()
        let list = try screen.pipeline("list")
        try await yieldUntil { list.lives[try list.key()]?.state.withLock({ $0.feeds.all.first?.status.state }) == .live }

        connection.send(#"{"id":1,"n":2}"#)
        await watch?.until(#"{"list":[{"id":1,"n":2}]}"#)

        watch = nil
        while connection.isOpen {
            screen.time.advance(by: .seconds(1))
            await Task.yield()
        }
        #expect(connection.isCancelled)
    }

    @Test(arguments: [false, true]) func `the status has the feeds of parts, each with its pipeline`(isNested: Bool) async throws {
        let screen = Combination()
        let events = fed(screen)
        screen.part("plain", "1")
        if isNested { screen.whole(CompositeSpec(.of("list")), named: "inner") }
        screen.whole(CompositeSpec(.object([("list", isNested ? "inner" : "list"), ("plain", "plain")])))
        var watch = Watch(try screen.pipeline().snapshots())
        let connection = try await events.connection(1)
        #expect(await watch.until { $0.status.feeds.map(\.state) == [.connecting] }?.status.feeds.first?.pipeline == "list")

        connection.begin()
        let live = try #require(await watch.until { $0.status.feeds.map(\.state) == [.live] })
        #expect(live.status.feeds.map(\.source) == ["events"] && live.status.feeds.map(\.pipeline) == ["list"])
        connection.end(LiveEnding(.refused, "no"))
        let refused = try #require(await watch.until { $0.status.feeds.map(\.state) == [.refused] })
        #expect(refused.status.feeds.first?.reason == "no")

        // A second whole, whose part is observed already.
        var other = Watch(try screen.pipeline(isNested ? "inner" : "home").snapshots())
        let known = try #require(await other.until { !$0.status.feeds.isEmpty })
        #expect(known.status.feeds.map(\.state) == [.refused] && known.status.feeds.first?.pipeline == "list")
        var part = Watch(try screen.pipeline("list").snapshots())
        let own = try #require(await part.until { !$0.status.feeds.isEmpty })
        #expect(own.status.feeds.count == 1 && own.status.feeds.first?.pipeline == nil)
    }

    @Test func `a part that is no longer used takes its feeds out of the status`() async throws {
        let screen = Combination()
        let events = LiveStub()
        screen.part(
            "posts", #"[{"by":1}]"#, ttl: .seconds(600), links: [LinkSpec("author", at: try JSONPath("$[*].by"), pipeline: "user")])
        screen.part("user", #""u""#, parameters: ["id"], ttl: .seconds(600)) { $0.live = [FeedSpec(SourceSpec("events", events))] }
        screen.whole(CompositeSpec(.of(PartSpec("posts", follow: ["author"]))))
        var watch = Watch(try screen.pipeline().snapshots())
        let connection = try await events.connection(1)
        connection.begin()
        _ = await watch.until { $0.status.feeds.map(\.state) == [.live] }

        try await put("[]", in: "posts", of: screen)
        let empty = await watch.until { $0.text == "[]" && $0.status.feeds.isEmpty }

        #expect(empty != nil)
    }

    @Test func `of many keys of a part, the status has the feed that is furthest from live`() {
        func feed(_ source: String, _ state: FeedStatus.State, _ pipeline: String, reason: String? = nil) -> FeedStatus {
            var feed = FeedStatus(source, state, reason: reason)
            feed.pipeline = pipeline
            return feed
        }

        let summed = PartFeeds.summed([
            feed("a", .live, "one"), feed("b", .connecting, "one"), feed("a", .down, "one", reason: "first"), feed("b", .live, "one"),
            feed("a", .down, "one", reason: "second"), feed("a", .syncing, "two"),
        ])

        #expect(summed == [feed("a", .down, "one", reason: "first"), feed("b", .connecting, "one"), feed("a", .syncing, "two")])
    }

    @Test func `changes that come while a whole is assembled give one more`() async throws {
        let screen = Combination()
        screen.part("a", "0", ttl: .seconds(600))
        screen.part("count", "1")
        screen.whole(CompositeSpec(.object([("a", "a"), ("count", "count")])))
        var watch = Watch(try screen.pipeline().snapshots())
        await watch.until(#"{"a":0,"count":1}"#)
        let gate = Gate()
        screen["count"].delay(.reads, until: gate)
        // A part without a cache is asked again a second later.
        screen.time.advance(by: .seconds(1))

        try await put("1", in: "a", of: screen)
        await gate.waiters(atLeast: 1)
        for number in 2...50 { try await put("\(number)", in: "a", of: screen) }
        gate.open()
        await watch.until(#"{"a":50,"count":1}"#)

        #expect(screen["count"].readCount <= 3)
    }

    @Test func `equal bytes are no new value`() async throws {
        let screen = Combination()
        screen.part("a", #"{"x":1,"y":1}"#, ttl: .seconds(600))
        screen.part("count", "1")
        screen.whole(
            CompositeSpec(
                .object([("x", PartSpec("a", select: JSONPointer(tokens: ["x"]))), ("count", PartSpec("count"))])))
        var watch = Watch(try screen.pipeline().snapshots())
        await watch.until(#"{"x":1,"count":1}"#)

        screen.time.advance(by: .seconds(1))
        try await put(#"{"x":1,"y":2}"#, in: "a", of: screen)
        await screen["count"].reads(atLeast: 2)
        try await screen.pipeline().finishRefreshes()
        try await put(#"{"x":2,"y":2}"#, in: "a", of: screen)
        await watch.until(#"{"x":2,"count":1}"#)

        #expect(Set(watch.taken.filter { $0.text != nil }.map(\.revision)).count == 2)
    }

    @Test func `a followed list links anew when its ids change, and loads only the new ones`() async throws {
        let screen = Combination()
        screen.part(
            "posts", #"[{"by":1},{"by":2}]"#, ttl: .seconds(600),
            links: [LinkSpec("author", at: try JSONPath("$[*].by"), pipeline: "user")])
        screen.part("user", parameters: ["id"], ttl: .seconds(600)).answers { StubAnswer(stringLiteral: #""u\#($0["id"] ?? "")""#) }
        screen.whole(CompositeSpec(.of(PartSpec("posts", follow: ["author"]))))
        var watch = Watch(try screen.pipeline().snapshots())
        await watch.until(#"[{"by":1,"author":"u1"},{"by":2,"author":"u2"}]"#)

        try await put(#"[{"by":2},{"by":3}]"#, in: "posts", of: screen)
        await watch.until(#"[{"by":2,"author":"u2"},{"by":3,"author":"u3"}]"#)

        #expect(screen["user"].calls.compactMap { $0.key?["id"] }.sorted() == ["1", "2", "3"])
    }

    @Test func `an observer of a whole that fails sees it when the part is there again`() async throws {
        let screen = Combination()
        screen.part("a", "1", ttl: .seconds(600))
        screen.part("b", ttl: .seconds(600)).fail()
        screen.whole(CompositeSpec(.object([("a", "a"), ("b", "b")])), ttl: .seconds(600))
        var watch = Watch(try screen.pipeline().snapshots())
        _ = await watch.until { $0.status.error != nil }

        try await put("2", in: "b", of: screen)
        await watch.until(#"{"a":1,"b":2}"#)

        // Once more, after a good start: the assembly that fails is not the last that a change begins.
        let b = try screen.pipeline("b")
        _ = try await b.remove(b.key())
        _ = await watch.until { $0.status.error != nil }
        try await put("3", in: "a", of: screen)
        try await screen.pipeline().finishRefreshes()
        screen["b"].recover()
        try await put("4", in: "b", of: screen)
        let seen = await watch.until(#"{"a":3,"b":4}"#)
        #expect(seen?.status.error == nil)
        try await put("5", in: "a", of: screen)
        await watch.until(#"{"a":5,"b":4}"#)
    }

    @Test func `an observer sees an optional part that comes back`() async throws {
        let screen = Combination()
        screen.part("a", "1", ttl: .seconds(600))
        screen.part("b", ttl: .seconds(600)).fail()
        screen.whole(CompositeSpec(.object([("a", "a"), ("b", PartSpec("b", optional: true))])), ttl: .seconds(600))
        var watch = Watch(try screen.pipeline().snapshots())
        await watch.until(#"{"a":1}"#)

        screen["b"].recover()
        screen["b"].answers("2")
        try await screen.fetch("b")
        await watch.until(#"{"a":1,"b":2}"#)
    }

    @Test func `a snapshot says what its value lacks, until that has come, also where the bytes stay`() async throws {
        let screen = Combination()
        screen.part("a", "1", ttl: .seconds(600))
        screen.part("b", ttl: .seconds(600)).fail()
        screen.whole(CompositeSpec(.object([("a", "a"), ("b", PartSpec("b", default: "2"))])), ttl: .seconds(600))
        var watch = Watch(try screen.pipeline().snapshots())
        let first = try #require(await watch.until(#"{"a":1,"b":2}"#))
        #expect(!first.status.isComplete && first.status.parts.map(\.at) == ["/b"] && first.status.parts[0].usesDefault)

        screen["b"].recover()
        screen["b"].answers("2")
        try await screen.fetch("b")
        let whole = try #require(await watch.until { $0.status.isComplete })

        #expect(whole.revision == first.revision && whole.status.parts.isEmpty)
    }

    @Test func `a snapshot without a value says which part failed`() async throws {
        let screen = Combination()
        screen.part("a", ttl: .seconds(600)).fail()
        screen.whole(CompositeSpec(.object([("a", "a")])), ttl: .seconds(600))
        var watch = Watch(try screen.pipeline().snapshots())

        let failed = try #require(await watch.until { $0.status.error != nil })

        #expect(failed.entry == nil && failed.status.parts.map(\.at) == ["/a"])
    }

    @Test func `a part that changes after it failed, while others are waited for, is seen`() async throws {
        let screen = Combination()
        let gate = Gate()
        screen.part("slow", "1").delay(.reads, until: gate)
        screen.part("b", ttl: .seconds(600)).fail()
        screen.whole(CompositeSpec(.object([("slow", "slow"), ("b", PartSpec("b", optional: true))])))
        var watch = Watch(try screen.pipeline().snapshots())
        async let first = watch.next()
        await screen["b"].finished(.reads, atLeast: 1)
        await screen["slow"].reads(atLeast: 1)
        try await yieldUntil { try screen.pipeline("b").loadsUnderWay == 0 }
        for _ in 0..<50 { await Task.yield() }

        try await put("2", in: "b", of: screen)
        gate.open()
        _ = await first
        await watch.until(#"{"slow":1,"b":2}"#)
    }

    @Test func `a part without a cache is loaded once for the changes of another within a second`() async throws {
        let screen = Combination()
        screen.part("a", "1", ttl: .seconds(600))
        screen.part("clock").answers("1", "2", "3", "4")
        screen.whole(CompositeSpec(.object([("a", "a"), ("clock", "clock")])))
        var watch = Watch(try screen.pipeline().snapshots())
        await watch.until(#"{"a":1,"clock":1}"#)

        for number in 2...9 {
            try await put("\(number)", in: "a", of: screen)
            await watch.until(#"{"a":\#(number),"clock":1}"#)
        }
        #expect(screen["clock"].readCount == 1)
        screen.time.advance(by: .seconds(1))
        try await put("10", in: "a", of: screen)
        await watch.until(#"{"a":10,"clock":2}"#)
        try await screen.pipeline().finishRefreshes()

        #expect(screen["clock"].readCount == 2)
    }

    @Test func `a part that changes is asked again at once, and a fetch by somebody else asks all parts`() async throws {
        let screen = Combination()
        screen.part("a", "1", ttl: .seconds(600))
        screen.part("clock").answers("1", "2", "3", "4")
        screen.whole(CompositeSpec(.object([("a", "a"), ("clock", "clock")])))
        var watch = Watch(try screen.pipeline().snapshots())
        await watch.until(#"{"a":1,"clock":1}"#)

        // Another fetch finds another value of it.
        try await screen.fetch("clock")
        await watch.until(#"{"a":1,"clock":3}"#)
        #expect(try await screen.fetch().text == #"{"a":1,"clock":4}"#)
    }

    @Test func `a change that a fetch was about to show is seen also where that fetch is cancelled`() async throws {
        let screen = Combination()
        screen.part("a", "1", ttl: .seconds(600))
        screen.part("slow", "0", ttl: .seconds(600))
        screen.whole(CompositeSpec(.object([("a", "a"), ("slow", "slow")])))
        var watch = Watch(try screen.pipeline().snapshots())
        await watch.until(#"{"a":1,"slow":0}"#)
        let gate = Gate()
        screen["slow"].delay(.reads, until: gate)
        screen["a"].delay(.reads, until: gate)
        let refresh = Task { try await screen.fetch(policy: .refresh) }
        await screen["a"].reads(atLeast: 2)
        await screen["slow"].reads(atLeast: 2)

        try await put("2", in: "a", of: screen)
        refresh.cancel()
        _ = await refresh.result
        gate.open()
        await watch.until(#"{"a":2,"slow":0}"#)
    }
}
