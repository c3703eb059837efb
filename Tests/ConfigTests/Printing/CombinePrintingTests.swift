import Foundation
import PipelineConfig
import PipelineYAML
import Testing

@testable import PipelineReports

/// How `graph` and `explain` show what is made from others.
@Suite struct CombinePrintingTests {
    private static let text = """
        sources:
          memory: { type: memory, max_entries: 10 }
          users:
            type: http
            url: "http://h/{id}"
            batch: { url: "http://h/all?ids={id}", id: /id }
          ads: { type: http, url: "http://h/ads" }
          shops: { type: http, url: "http://h/shops/{id}" }
        pipelines:
          user:
            parameters: [id]
            tiers: [{ source: memory, ttl: 30s }, users]
            links: { friend: { at: /friend, pipeline: user } }
          ads: { tiers: [ads] }
          shop: { parameters: [id], tiers: [shops] }
          home:
            parameters: [me]
            tiers: [{ source: memory, ttl: 10s }, combine]
            combine:
              object:
                me: { pipeline: user, with: { id: "{me}" }, follow: [friend] }
                shop: { pipeline: shop, with: { id: { from: me, at: /shop } } }
                ads: { pipeline: ads, default: [], timeout: 300ms }

        """

    private static func report() -> ConfigReport { Reading.report(text) }

    private static func model(_ names: String...) throws -> GraphModel {
        let report = report()
        #expect(report.diagnostics.map(\.message) == [])
        return GraphModel(try names.map { try report.plan.pipeline($0) }, of: report)
    }

    @Test func `the text has parts below their place, and links at the end`() throws {
        let text = GraphText(hasColour: false).draw(try Self.model("user", "home"))

        #expect(
            text == """
                user(id)  json
                  1. memory        ttl 30s
                  ↓
                  2. users (http)
                       its answer is written to memory
                  ⋮
                  ⋯ friend: user(/friend)

                home(me)  json
                  1. memory   ttl 10s
                  ↓
                  2. combine
                       its answer is written to memory
                       ← me: user(id = {me}), follows friend
                       ← shop: shop(id = me/shop)
                       ⇠ ads: ads(), default [], timeout 300ms

                """)
    }

    @Test func `edges are solid, dashed where the whole can do without the part, and dotted for links`() throws {
        let model = try Self.model("user", "home")
        let mermaid = GraphMermaid.draw(model)
        let dot = GraphDot.draw(model)

        #expect(mermaid.contains("x0([\"shop\"])") && mermaid.contains("p1t1 -->|\"me: id = #123;me#125;<br/>follows friend\"| p0t0"))
        #expect(mermaid.contains("p1t1 -.->|\"ads<br/>default []<br/>timeout 300ms\"| x1"))
        #expect(mermaid.contains("p0t0 -.->|\"friend: /friend\"| p0t0") && mermaid.contains("stroke-dasharray:1 4"))
        #expect(
            dot.contains("p1t1 -> p0t0 [style=solid") && dot.contains("p1t1 -> x1 [style=dashed")
                && dot.contains("p0t0 -> p0t0 [style=dotted"))
    }

    @Test func `JSON has parts with their arguments, and links`() throws {
        let json = GraphJSON.text(try Self.model("user", "home"))

        #expect(
            json.contains(
                #""links":[{"name":"friend","at":"/friend","pipeline":"user","parameter":null,"arguments":{},"optional":false,"default":null}]"#
            ))
        #expect(json.contains(#"{"name":"shop","at":"/shop","pipeline":"shop","arguments":{"id":{"from":"me","at":"/shop"}}"#))
        #expect(json.contains(#""optional":false,"default":"[]","timeout":"300ms"}"#))
    }

    @Test func `parameters that pass by themselves are drawn as arguments`() throws {
        let report = Reading.report(
            Self.text.replacing("me: { pipeline: user, with: { id: \"{me}\" }, follow: [friend] }", with: "me: user")
                .replacing("parameters: [me]", with: "parameters: [id]"))
        let model = GraphModel([try report.plan.pipeline("home")], of: report)

        #expect(GraphText(hasColour: false).draw(model).contains("       ← me: user(id = {id})\n"))
        #expect(GraphJSON.text(model).contains(#""pipeline":"user","arguments":{"id":"{id}"}"#))
    }

    @Test func `parts of one pipeline are told apart in words`() throws {
        let text =
            Self.text + """
                  all: { parameters: [id], combine: { merge: [{ pipeline: shop, with: { id: "1" } }, shop, ads] } }

                """
        let report = Reading.report(text)
        let words = Explanation(try report.plan.pipeline("all"), among: report.plan.pipelines).sections.flatMap(\.sentences).map(\.text)

        #expect(words.contains { $0.hasPrefix("`combine` merges part 1 (`shop`), part 2 (`shop`) and `ads`") }, "\(words)")
        #expect(
            words.contains("When part 1 (`shop`), part 2 (`shop`) or `ads` fails, `combine` fails; when it is not found, so is the whole."),
            "\(words)")
    }

    @Test func `the two lists of a join that are of one pipeline are told apart in words`() throws {
        let text =
            Self.text + """
                  both: { combine: { join: { from: ads, on: /id, to: ads, to_on: /id, as: more } } }

                """

        let words = try Self.words(of: "both", in: text)

        #expect(
            words.contains(
                "`combine` joins to each element of `from` (`ads`) the one of `to` (`ads`) that belongs to it, all asked at the same time."),
            "\(words)")
    }

    /// The sentences of `explain` for the pipeline `name`.
    private static func words(of name: String, in text: String) throws -> [String] {
        let report = Reading.report(text)
        return Explanation(try report.plan.pipeline(name), among: report.plan.pipelines).sections.flatMap(\.sentences).map(\.text)
    }

    private static let linked = """
        sources:
          memory: { type: memory, max_entries: 10 }
          users: { type: http, url: "http://h/{id}", batch: { url: "http://h/all?ids={id}", id: /id } }
          posts: { type: http, url: "http://h/posts" }
        pipelines:
          user: { parameters: [id], tiers: [{ source: memory, ttl: 10s }, users] }
          post:
            tiers: [{ source: memory, ttl: 30s }, posts]
            links: { author: { at: "$[*].author_id", pipeline: user } }
          f: { combine: { of: { pipeline: post, follow: [author] } } }
          plain: { combine: { of: post } }
          g: { combine: { object: { feed: f } } }

        """

    @Test func `a whole is fresh no longer than what a followed link leads to`() throws {
        let (followed, nested) = (try Self.words(of: "f", in: Self.linked), try Self.words(of: "g", in: Self.linked))

        #expect(
            followed.contains(
                "A whole is fresh until the first of its parts is not: at most 10s, which is the limit of `user` (via link `author`)."),
            "\(followed)")
        #expect(
            nested.contains("A whole is fresh until the first of its parts is not: at most 10s, which is the limit of `feed`."), "\(nested)"
        )
        #expect(
            try Self.words(of: "plain", in: Self.linked).contains(
                "A whole is fresh until the first of its parts is not: at most 30s, which is the limit of `post`."))
    }

    @Test func `a copy of a whole is as young as the whole, and its parts may be older`() throws {
        let text = """
            sources:
              memory: { type: memory, max_entries: 10 }
              api: { type: http, url: "http://h/a" }
            pipelines:
              user: { tiers: [{ source: memory, ttl: 10m }, api] }
              friends: { tiers: [{ source: memory, ttl: 30s }, api] }
              now: { tiers: [{ source: memory, ttl: 5s }, api] }
              home:
                stale_if_error: 1m
                tiers: [{ source: memory, ttl: 10s }, combine]
                combine: { object: { me: user, friends: friends } }
              short: { tiers: [{ source: memory, ttl: 10s }, combine], combine: { object: { me: user, now: now } } }
              forever: { tiers: [memory, combine], combine: { object: { news: bare } } }
              bare: { tiers: [api] }

            """

        let home = try Self.words(of: "home", in: text)

        #expect(
            home.contains(
                "A whole is fresh for at most 10s after it was made. Its parts may be older: `me` up to 10m, `friends` up to 30s."),
            "\(home)")
        #expect(home.contains("While loads fail, it is served stale for at most 1m10s after it was made."), "\(home)")
        #expect(!home.contains { $0.contains("after an origin gave") }, "\(home)")
        #expect(
            try Self.words(of: "short", in: text).contains(
                "A whole is fresh for at most 5s after it was made. Its parts may be older: `me` up to 10m."))
        #expect(
            try Self.words(of: "forever", in: text).contains(
                "A whole can be served as fresh for ever after it was made: `memory` has no ttl.")
        )
    }

    @Test func `the drawing is the same in words, with a box for each part`() throws {
        let svg = GraphSVG.draw(try Self.model("user", "home"))

        #expect(svg.contains("It is made from parts: me is user (id = {me}, follows friend); shop is shop (id = me/shop); ads is ads"))
        #expect(svg.contains("stroke-dasharray=\"6 4\"") && svg.contains("stroke-dasharray=\"1.5 4\""))
    }

    @Test func `the legend shows exactly the lines that are drawn`() throws {
        func legend(_ names: String...) throws -> [String] {
            let report = Self.report()
            let model = GraphModel(try names.map { try report.plan.pipeline($0) }, of: report)
            return GraphLayout(model).notes.map(\.text).filter { !$0.contains("P3") }
        }

        let links = "leads to another value, when it is followed"
        let (asks, writes) = ("asks the next when there is no answer", "writes the answer back")
        #expect(try legend("ads") == [])
        #expect(try legend("user") == [asks, writes, links])
        #expect(try legend("home") == [asks, writes, "is made from this part", "can do without it"])
        let svg = GraphSVG.draw(try Self.model("user"))
        #expect(svg.components(separatedBy: "stroke-dasharray=\"1.5 4\"").count == 3)
    }

    @Test func `a part that all is made from alone, and can do without, needs one line of the legend`() throws {
        let text = Self.text + "  lone: { combine: { object: { ads: { pipeline: ads, optional: true } } } }\n"
        let report = Reading.report(text)

        let layout = GraphLayout(GraphModel([try report.plan.pipeline("lone")], of: report))

        #expect(layout.notes.map(\.text) == ["is made from this part, and can do without it"])
    }

    @Test func `the part of "of" is called as its pipeline`() throws {
        let text = Self.text + "  mine: { parameters: [me], combine: { of: { pipeline: user, with: { id: \"{me}\" } } } }\n"
        let report = Reading.report(text)
        let model = GraphModel([try report.plan.pipeline("mine")], of: report)

        #expect(GraphText(hasColour: false).draw(model).contains("← user(id = {me})\n"))
        let svg = GraphSVG.draw(model)
        #expect(svg.contains(">user</text>") && !svg.contains(">of</text>"))
        #expect(svg.contains("<title>user (id = {me})</title>"))
        #expect(GraphJSON.text(model).contains(#""name":"of""#))
    }

    @Test func `explain says what is asked at the same time, what may fail, and how old a whole is`() throws {
        let report = Self.report()
        let home = Explanation(try report.plan.pipeline("home"), among: report.plan.pipelines)
        let user = Explanation(try report.plan.pipeline("user"), among: report.plan.pipelines)
        let words = home.sections.flatMap(\.sentences).map(\.text)
        let expected = [
            "`combine` makes an object with the members `me`, `shop` and `ads`; `me` and `ads` are asked at the same time.",
            "`shop` is asked after `me`, from which it takes arguments.",
            "In `me` the link `friend` is followed: each id is loaded once, and placed wherever it stands.",
            "A whole is fresh until the first of its parts is not: at most 30s, which is the limit of `me`.",
            "When `me` or `shop` fails, `combine` fails; when it is not found, so is the whole.",
            "When `ads` fails or takes longer than 300ms, its default `[]` takes its place: the result is marked incomplete and not cached.",
            "`me`, `shop` and `ads` come from `http://h`: while that rests, after 429 or 503, none of them is asked.",
        ]

        #expect(expected.filter { !words.contains($0) } == [])
        let told = user.sections.flatMap(\.sentences).map(\.text)
        #expect(told.contains("`users` takes many ids in one call: up to 50 in one request."))
        #expect(told.contains("The link `friend` leads from `/friend` to `user`. It loads only when followed."))
    }

    @Test func `explain says what a target of a followed link does that fails and that the whole can do without`() throws {
        let text = Self.text.replacing(
            """
            links: { friend: { at: /friend, pipeline: user } }
            """,
            with: "links: { friend: { at: /friend, pipeline: user, optional: true }, boss: { at: /boss, pipeline: user, default: 1 }, "
                + "other: { at: /other, pipeline: user, optional: true } }"
        )
        .replacing("follow: [friend]", with: "follow: [friend, friend.boss, friend.friend]")
        let report = Reading.report(text)
        let home = Explanation(try report.plan.pipeline("home"), among: report.plan.pipelines)

        let told = home.sections.flatMap(\.sentences).map(\.text).filter { $0.hasPrefix("When a target of") }

        #expect(
            told == [
                "When a target of `friend` fails, it is left out: the result is marked incomplete and not cached.",
                "When a target of `boss` fails, its default `1` takes its place: the result is marked incomplete and not cached.",
            ])
    }
}
