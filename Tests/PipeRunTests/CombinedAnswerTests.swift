import NIOHTTP1
import PipelineLive
import PipelineTesting
import Testing

@testable import Pipeline
@testable import PipelineServer
@testable import PipelineComposing

/// What `serve` answers where a value is made from others, or links are followed.
@Suite struct CombinedAnswerTests {
    private let screen = Screen()

    private func text(_ answer: ServedAnswer) -> String { String(decoding: answer.body, as: UTF8.self) }

    @Test func `an incomplete answer names what it lacks, and is not to be stored`() async throws {
        screen.ads.answers(.error(SourceError("down")))
        let ask = screen.responder(try screen.pipelines())

        let answer = try await ask("/home?user=7", [:])

        #expect(answer.status == .ok)
        #expect(text(answer) == #"{"me":{"id":7,"name":"Ada"},"ads":[]}"#)
        #expect(answer.headers["Pipe-Run-Incomplete"] == [#""/ads", "/a~1%C3%A9""#])
        #expect(answer.headers["Cache-Control"] == ["no-store"])

        screen.ads.answers(#"["ad"]"#)
        let whole = try await ask("/home?user=7", [:])
        #expect(whole.headers["Pipe-Run-Incomplete"] == [])
    }

    @Test func `a part that is not there leaves the answer complete`() async throws {
        let ask = screen.responder(try screen.pipelines())
        #expect(try await ask("/home?user=7", [:]).headers["Pipe-Run-Incomplete"] == [])
        #expect(try await ask("/home?user=9", [:]).status == .notFound)
    }

    @Test func `a stale part makes an answer that is not to be stored`() async throws {
        let pipelines = try screen.pipelines { specs in
            specs[0].policy.staleIfError = .seconds(600)
            specs.append(PipelineSpec("me", parameters: ["id"], combine: CompositeSpec(.object([("me", "user")]))))
        }
        let ask = screen.responder(pipelines)
        #expect(try await ask("/me?id=7", [:]).headers["Cache-Control"] == ["max-age=60"])
        await screen.cache.finished(.writes, atLeast: 1)
        screen.time.advance(by: .seconds(61))
        screen.users.answers(.error(SourceError("down")))

        #expect(try await ask("/me?id=7", [:]).headers["Cache-Control"] == ["no-store"])
        #expect(try await ask("/post?id=1&follow=author", [:]).headers["Cache-Control"] == ["no-store"])
    }

    @Test func `a stale whole of its own cache is not to be stored`() async throws {
        let wholes = StubSource("wholes", clock: screen.time.clock)
        let pipelines = try screen.pipelines { specs in
            specs.append(
                PipelineSpec(
                    "me", parameters: ["id"], policy: PipelinePolicy(staleWhileRevalidate: .seconds(600)),
                    combine: CompositeSpec(.object([("me", "user")])), tiers: [TierSpec(SourceSpec("wholes", wholes), ttl: .seconds(60))]))
        }
        let ask = screen.responder(pipelines)
        #expect(try await ask("/me?id=7", [:]).headers["Cache-Control"] == ["max-age=60"])
        await wholes.finished(.writes, atLeast: 1)
        screen.time.advance(by: .seconds(61))

        let stale = try await ask("/me?id=7", [:])

        #expect(stale.status == .ok && stale.headers["Age"] == ["61"])
        #expect(stale.headers["Cache-Control"] == ["no-store"])
        await pipelines.shutDown()
    }

    @Test func `what an origin says of a part holds for clients' copies of the whole`() async throws {
        let control = CacheControl(field: "must-revalidate, private, max-age=9")
        let user = Entry(Array(#"{"id":7}"#.utf8), created: screen.time.clock.now, cacheControl: control)
        screen.users.answers(.entry(user))
        let pipelines = try screen.pipelines { specs in
            specs.append(PipelineSpec("me", parameters: ["id"], combine: CompositeSpec(.object([("me", "user")]))))
        }
        let ask = screen.responder(pipelines)

        #expect(try await ask("/me?id=7", [:]).headers["Cache-Control"] == ["max-age=60, must-revalidate, private"])
        #expect(try await ask("/post?id=1&follow=author", [:]).headers["Cache-Control"] == ["max-age=60, must-revalidate, private"])
    }

    @Test func `what is made from values with feeds is to be asked for each time`() async throws {
        // What is not there, and not remembered, may not be kept.
        screen.tips.answers(#""tip""#)
        let pipelines = try screen.pipelines { specs in
            specs[0].live = [FeedSpec(SourceSpec("events", LiveStub()))]
        }
        let ask = screen.responder(pipelines)

        #expect(try await ask("/outer?user=7", [:]).headers["Cache-Control"] == ["no-cache"])
        #expect(try await ask("/post?id=1&follow=author", [:]).headers["Cache-Control"] == ["no-cache"])
        #expect(try await ask("/post?id=1", [:]).headers["Cache-Control"] == [])
    }

    @Test func `a whole that failed is 502, with its parts`() async throws {
        screen.users.answers(.error(SourceError("down")))
        let pipelines = try screen.pipelines()
        let full = try await screen.responder(pipelines)("/home?user=7", [:])
        let brief = try await screen.responder(pipelines, detail: .brief)("/home?user=7", [:])

        #expect(full.status == .badGateway && brief.status == .badGateway)
        #expect(text(full).contains(#""parts":[{"at":"/me","pipeline":"user","parameters":{"id":"7"},"outcome":"failed","#))
        #expect(!text(brief).contains("parts"))
    }

    @Test(arguments: ["/home?user=7", "/outer?user=7", "/posts", "/post?id=1&follow=author"])
    func `a whole that failed by a rest says when to come again`(target: String) async throws {
        screen.users.answers(
            .error(SourceError("asked to wait 19s", kind: .skipped, retry: .never(before: screen.time.now + .milliseconds(18_200)))))
        screen.tips.answers(.error(SourceError("asked to wait 3s", kind: .skipped, retry: .never(before: screen.time.now + .seconds(3)))))
        let pipelines = try screen.pipelines { specs in
            specs.append(PipelineSpec("posts", combine: CompositeSpec(.of(PartSpec("post", with: ["id": "1"], follow: ["author"])))))
        }

        let answer = try await screen.responder(pipelines)(target, [:])

        #expect(answer.status == .badGateway)
        #expect(answer.headers["Retry-After"] == ["19"], "what an optional part waits for did not make it fail")
    }

    @Test func `follow names links, more than once`() async throws {
        let ask = screen.responder(try screen.pipelines())

        let answer = try await ask("/post?follow=author&id=1&follow=fans", [:])

        let ada = #"{"id":7,"name":"Ada"}"#
        #expect(
            text(answer) == #"{"author_id": 7,"author":\#(ada),"likes":[7,9,7],"fans":[\#(ada),\#(ada)],"editor":null,"n":1.10}"#)
        #expect(try await text(ask("/post?id=1", [:])) == #"{"author_id": 7,"likes":[7,9,7],"editor":null,"n":1.10}"#)
    }

    @Test(arguments: [
        ("/post?id=1&follow=autor", "the pipeline `post` has no link `autor`; did you mean `author`?"),
        ("/post?id=1&follow=author.friend", "the pipeline `user` has no link `friend`; `user` has no links"),
        ("/post?id=1&follow=author,fans", "has no link `author,fans`"), ("/post?id=1&follow=", "has no link ``"),
        ("/post?id=1&id=2", "the parameter `id` is given twice"), ("/ads?follow=x", "`ads` has no links"),
    ])
    func `an unknown link is 400, with the nearest name, and nothing is loaded`(target: String, words: String) async throws {
        let answer = try await screen.responder(screen.pipelines())(target, [:])

        #expect(answer.status == .badRequest)
        #expect(text(answer).contains(words), "\(text(answer))")
        #expect(screen.posts.readCount + screen.ads.readCount == 0)
    }

    @Test func `a parameter called follow is the pipeline's`() async throws {
        let pipelines = try screen.pipelines { specs in
            specs.append(PipelineSpec("own", parameters: ["follow"], tiers: specs[1].tiers, links: specs[3].links))
        }
        let ask = screen.responder(pipelines)

        #expect(try await ask("/own?follow=author", [:]).status == .ok)
        #expect(screen.ads.calls.first?.key?["follow"] == "author")
        #expect(try await ask("/own?follow=a&follow=b", [:]).status == .badRequest)
    }

    @Test func `an event stream follows no links, and says so`() async throws {
        let ask = screen.responder(try screen.pipelines())
        let answer = try await ask("/post?id=1&follow=author", ["Accept": "text/event-stream"])

        #expect(answer.status == .badRequest)
        #expect(text(answer).contains("an event stream follows no links"))
    }

    @Test func `what answers lack is counted`() async throws {
        screen.ads.answers(.error(SourceError("down")))
        let metrics = PrometheusRegistry()
        let ask = screen.responder(try screen.pipelines(), metrics: metrics)
        for _ in 1...2 { _ = try await ask("/home?user=7", [:]) }
        _ = try await ask("/post?id=1&follow=fans", [:])
        _ = try await ask("/home?user=9", [:])

        let read = try PrometheusText(metrics.text)
        #expect(read["pipe_run_degraded_parts_total", ["pipeline": "home", "part": "ads"]] == 4)
        #expect(read["pipe_run_missing_targets_total", ["pipeline": "post", "part": "user"]] == 1)
    }

    @Test func `the field is a list of strings of printable ASCII, and holds so much that proxies take it`() throws {
        func field(_ places: [String]) -> String? {
            let parts = places.map { PartOutcome(at: $0, "p", nil, .failed, isDegraded: true) }
            var reply = LoadReply(
                .value(Entry([], created: screen.time.now)), from: "combine", attempts: [Attempt("combine", .hit)])
            reply.composition = Composition(parts, isComplete: false)
            return IncompleteField.value(of: Outcome(reply, for: Key(pipeline: "p", parameters: []), at: screen.time.now))
        }
        #expect(field([#"/a"b\c"#, "/50%", "/\u{7F}\n ü", "/50%"]) == #""/a\"b\\c", "/50%25", "/%7F%0A %C3%BC""#)
        #expect(field([""]) == #""""#)

        let many = try #require(field((0..<2_000).map { "/\($0)" }))
        #expect(many.utf8.count <= IncompleteField.mostBytes + 4)
        #expect(many.hasPrefix(#""/0", "/1", "#) && many.hasSuffix(#", """#))
    }
}
