import PipelineComposing
import PipelineJSON
import PipelineTesting
import Testing

@testable import PipeRunKit
@testable import Pipeline
@testable import PipelineServer

/// What envelope, trace and standard error say of values that are made from others.
@Suite struct CombinedEnvelopeTests {
    private let screen = Screen()

    private func envelope(_ outcome: Outcome, redactor: Redactor = Redactor()) -> String {
        PipelineServer.Envelope(outcome, writes: outcome.writes, format: .json, isCombined: true, redactor: redactor).line
    }

    private func end(of text: String) -> String { text.firstRange(of: #""error":"#).map { String(text[$0.lowerBound...]) } ?? text }

    @Test func `a complete one says so, with empty lists`() async throws {
        let outcome = try await screen.pipelines().pipeline(named: "ads").fetch()

        #expect(envelope(outcome).hasSuffix(#""error":null,"complete":true,"parts":[],"missing":[]}"#))
        let plain = PipelineServer.Envelope(outcome, writes: outcome.writes, format: .json, redactor: Redactor()).line
        #expect(plain.hasSuffix(#""error":null}"#))
    }

    @Test func `a degraded one names each part with its pipeline, parameters and attempts`() async throws {
        screen.ads.answers(.error(SourceError("down")))
        let outcome = try await screen.pipelines().pipeline(named: "home").fetch(["user": "7"])

        #expect(envelope(outcome).contains(#""fresh_for_ms":0,"#))
        let tiers = #"[{"source":"ads","outcome":"error","ms":0,"reason":"down"}]"#
        let error = #"{"code":"every_tier_failed","message":"no tier could answer for `ads`: ads: error (down)"}"#
        let head = #""pipeline":"ads","parameters":{},"outcome":"failed","used":"#
        #expect(
            end(of: envelope(outcome)) == #""error":null,"complete":false,"parts":["#
                + #"{"at":"/ads",\#(head)"default","from":null,"tiers":\#(tiers),"error":\#(error)},"#
                + #"{"at":"/a~1é",\#(head)null,"from":null,"tiers":\#(tiers),"error":\#(error)},"#
                + #"{"at":"/tip","pipeline":"tip","parameters":{},"outcome":"not_found","used":null,"from":"tips","#
                + #""tiers":[{"source":"tips","outcome":"not_found","ms":0}],"error":null}],"missing":[]}"#)
    }

    @Test func `what failed is told of the attempt where another tier is the answer`() async throws {
        screen.users.answers(.error(SourceError("gone")))
        let nobody = StubOrigin("nobody", clock: screen.time.clock, answering: "{}")
        let pipelines = try screen.pipelines { specs in
            specs.append(
                PipelineSpec(
                    "me", combine: CompositeSpec(.object([("me", PartSpec("user", with: ["id": "7"]))])),
                    tiers: [.combine(), TierSpec(SourceSpec("nobody", nobody))]))
        }
        let outcome = try await pipelines.pipeline(named: "me").fetch()

        let failed = #""parts":[{"at":"/me","pipeline":"user","parameters":{"id":"7"},"outcome":"failed","used":null,"#
        let text = envelope(outcome)
        #expect(text.hasSuffix(#""error":null,"complete":true,"parts":[],"missing":[]}"#), "\(text)")
        #expect(text.contains(#""tiers":[{"source":"combine","outcome":"error","#) && text.contains(failed), "\(text)")
        let trace = TracePrinter(hasColour: false, redactor: Redactor()).text(outcome, writes: [])
        #expect(trace.contains("├─ combine  error") && trace.contains("│  └─ /me  failed  user id=7\n"), "\(trace)")
        #expect(trace.hasSuffix("└─ nobody   hit\n"), "\(trace)")
    }

    @Test func `targets that are not there are missing, and without a value nothing is complete`() async throws {
        let pipelines = try screen.pipelines()
        let post = try await pipelines.pipeline(named: "post").fetch(["id": "1"], following: ["fans"])
        #expect(end(of: envelope(post)).hasSuffix(#""complete":true,"parts":[],"missing":[{"at":"/fans","pipeline":"user","id":"9"}]}"#))

        let none = try await pipelines.pipeline(named: "home").fetch(["user": "9"])
        #expect(end(of: envelope(none)).hasPrefix(#""error":null,"complete":null,"parts":[{"at":"/me","pipeline":"user","#))
    }

    @Test func `a secret is masked in parameters and ids`() async throws {
        let masking = Redactor { $0.replacing("s3cret", with: "***") }
        screen.posts.answers(#"{"likes":["s3cret"]}"#)
        screen.users.answers(.notFound)
        let pipelines = try screen.pipelines()
        let post = try await pipelines.pipeline(named: "post").fetch(["id": "1"], following: ["fans"])
        let home = try await pipelines.pipeline(named: "home").fetch(["user": "s3cret"])

        #expect(envelope(post, redactor: masking).contains(#""missing":[{"at":"/fans","pipeline":"user","id":"***"}]"#))
        #expect(end(of: envelope(home, redactor: masking)).contains(#"{"at":"/me","pipeline":"user","parameters":{"id":"***"}"#))
    }

    @Test func `a line tells of each part that failed, and of none that is not there`() async throws {
        let pipelines = try screen.pipelines()
        #expect(try await pipelines.pipeline(named: "home").fetch(["user": "7"]).lackLines == [])
        screen.ads.answers(.error(SourceError("down")))

        let reason = "no tier could answer for `ads`: ads: error (down)"
        #expect(
            try await pipelines.pipeline(named: "home").fetch(["user": "7"]).lackLines == [
                "incomplete: `/ads` is its default: \(reason)", "incomplete: `/a~1é` is left out: \(reason)",
            ])
        #expect(
            try await pipelines.pipeline(named: "outer").fetch(["user": "7"]).lackLines == [
                "incomplete: `/inner/ads` is its default: \(reason)", "incomplete: `/inner/a~1é` is left out: \(reason)",
            ])
    }

    @Test func `the targets of a link that failed for one reason are one line, which counts them`() async throws {
        screen.posts.answers(#"[{"author_id":1},{"author_id":2},{"author_id":3},{"author_id":7}]"#)
        screen.users.answers { key in
            key["id"] == "7" ? .error(SourceError("another")) : .error(SourceError("down"))
        }
        let pipelines = try screen.pipelines { specs in
            specs[3].links = [LinkSpec("author", at: try JSONPath("$[*].author_id"), pipeline: "user", optional: true)]
        }

        let lines = try await pipelines.pipeline(named: "post").fetch(["id": "1"], following: ["author"]).lackLines

        #expect(
            lines == [
                "incomplete: `/0/author` and 2 more are left out: no tier could answer for `user,id=1`: disk: miss; users: error (down)",
                "incomplete: `/3/author` is left out: no tier could answer for `user,id=7`: disk: miss; users: error (another)",
            ])
    }

    @Test func `references that are none for one reason are one line, too`() async throws {
        screen.posts.answers(#"[{"author_id":{}},{"author_id":7},{"author_id":{}}]"#)
        let pipelines = try screen.pipelines { specs in
            specs[3].links = [LinkSpec("author", at: try JSONPath("$[*].author_id"), pipeline: "user", optional: true)]
        }

        let lines = try await pipelines.pipeline(named: "post").fetch(["id": "1"], following: ["author"]).lackLines

        #expect(
            lines == ["incomplete: `/0/author` and 1 more are left out: the reference at `/0/author_id`: an object is no id"])
    }

    @Test func `the trace has the parts as a tree`() async throws {
        screen.ads.answers(.error(SourceError("down")))
        let outcome = try await screen.pipelines().pipeline(named: "outer").fetch(["user": "7"])
        let printer = TracePrinter(hasColour: false, redactor: Redactor())

        #expect(
            printer.text(outcome, writes: []) == """
                outer user=7: value from combine, age 0ms, fresh for 0ms
                └─ combine  hit
                   └─ /inner  value  home user=7
                      └─ combine  hit
                         ├─ /me    value  user id=7
                         │  ├─ disk   miss
                         │  └─ users  hit
                         ├─ /ads   failed  ads, its default is used
                         │  └─ ads  error  down
                         ├─ /a~1é  failed  ads
                         │  └─ ads  error  down
                         └─ /tip   not_found  tip
                            └─ tips  not_found

                """)
    }

    @Test func `the trace says of each link how many values it led to, and where they came from`() async throws {
        screen.posts.answers(#"{"author_id":7,"likes":[7,9,1,2],"editor":null}"#)
        let batched = BatchedUsers(clock: screen.time.clock)
        let pipelines = try screen.pipelines { specs in
            let origin = specs[0].tiers[1]
            specs.append(PipelineSpec("person", parameters: ["id"], tiers: [TierSpec(SourceSpec("people", batched)), origin]))
            specs[3].links[1] = LinkSpec("fans", at: try JSONPath("/likes"), pipeline: "person")
            let post = PartSpec("post", with: ["id": "1"], follow: ["fans", "corrector"])
            specs.append(PipelineSpec("page", combine: CompositeSpec(.object([("post", post)]))))
        }
        let printer = TracePrinter(hasColour: false, redactor: Redactor())
        let post = try await pipelines.pipeline(named: "post").fetch(["id": "1"], following: ["author", "fans", "corrector"])
        let page = try await pipelines.pipeline(named: "page").fetch()

        #expect(
            printer.text(post, writes: []).split(separator: "\n").dropFirst().joined(separator: "\n") == """
                ├─ posts  hit
                ├─ link author  1 of user: 1 from users
                ├─ link fans  4 of person: 3 from people, 1 not found, in 2 batches
                └─ link corrector  no references
                """)
        #expect(
            printer.text(page, writes: []).hasSuffix(
                """
                └─ combine  hit
                   └─ /post  value  post id=1
                      ├─ posts  hit
                      ├─ link fans  4 of person: 3 from people, 1 not found, in 2 batches
                      └─ link corrector  no references

                """), "\(printer.text(page, writes: []))")
    }

    @Test func `the trace has followed values that failed, and parts that were not asked with the reason`() async throws {
        let pipelines = try screen.pipelines { specs in
            let link = LinkSpec("author", at: try JSONPath("/author_id"), pipeline: "user", optional: true)
            specs.append(PipelineSpec("news", tiers: specs[3].tiers, links: [link]))
            specs.append(
                PipelineSpec(
                    "chain",
                    combine: CompositeSpec(
                        .object([
                            ("first", PartSpec("ads", optional: true)),
                            ("then", PartSpec("user", with: ["id": .from("first", at: .whole)], optional: true)),
                        ]))))
        }
        screen.users.answers(.error(SourceError("gone")))
        screen.ads.answers(.error(SourceError("down")))
        let printer = TracePrinter(hasColour: false, redactor: Redactor())
        let news = try await pipelines.pipeline(named: "news").fetch([:], following: ["author"])
        let chain = try await pipelines.pipeline(named: "chain").fetch()

        #expect(
            printer.text(news, writes: []).split(separator: "\n").dropFirst().joined(separator: "\n") == """
                ├─ posts  hit
                ├─ /author  failed  user id=7
                │  ├─ disk   miss
                │  └─ users  error  gone
                └─ link author  1 of user: 1 failed
                """)
        #expect(printer.text(chain, writes: []).contains("└─ /then   skipped  user, `first` has no value\n"))
    }

    @Test func `the trace names the only part of a whole by its pipeline, beside the places of what failed in it`() async throws {
        let pipelines = try screen.pipelines { specs in
            let link = LinkSpec("author", at: try JSONPath("/author_id"), pipeline: "user", optional: true)
            specs.append(PipelineSpec("news", tiers: specs[3].tiers, links: [link]))
            specs.append(PipelineSpec("paper", combine: CompositeSpec(.of(PartSpec("news", follow: ["author"])))))
        }
        screen.users.answers(.error(SourceError("gone")))
        let printer = TracePrinter(hasColour: false, redactor: Redactor())

        let text = printer.text(try await pipelines.pipeline(named: "paper").fetch(), writes: [])

        #expect(text.contains("─ news     value  news\n"), "\(text)")
        #expect(text.contains("─ /author  failed  user id=7\n"), "\(text)")
    }
}

/// People in batches of at most two; there is none with the id 9.
private struct BatchedUsers: Source {
    let clock: PipelineClock

    var batching: Batching? {
        Batching(of: "id", most: 2) { keys, _ in
            BatchAnswer(keys.map { $0["id"] == "9" ? .success(nil) : .success(Entry(Array("1".utf8), created: clock.now)) })
        }
    }

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? { nil }
}
