import PipelineConfig
import Testing

/// What the helps say of `combine`, its parts and links lead to a file that is read, and not to the next problem.
@Suite struct CombineHelpTests {
    private static func report(_ pipelines: String) -> ConfigReport {
        Reading.report(
            """
            sources:
              memory: { type: memory, max_entries: 10 }
              users: { type: http, url: "http://h/{id}", batch: { url: "http://h/all?ids={id}", id: /id } }
              friends: { type: http, url: "http://h/friends" }
              ads: { type: http, url: "http://h/ads" }
            pipelines:
              user: { parameters: [id], tiers: [users] }
              friends: { tiers: [friends] }
              ads: { tiers: [{ source: memory, ttl: 1m }, ads] }

            """ + pipelines.split(separator: "\n").map { "  \($0)\n" }.joined())
    }

    /// `P101 help`, one for each error.
    private static func helps(_ pipelines: String) -> [String] {
        report(pipelines).diagnostics.filter { $0.severity == .error }.map { "\($0.code.rawValue) \($0.help ?? "")" }
    }

    @Test(arguments: [
        ("timeout: 2s, object: { ads: ads }", "P101 it belongs to the tier: `{ source: combine, timeout: 2s }`"),
        ("ttl: 2s, object: { ads: ads }", "P101 it belongs to the tier of a cache, under `tiers`: `{ source: NAME, ttl: 2s }`"),
        ("of: ads, follow: [author]", "P101 it belongs to a part: `of: { pipeline: NAME, follow: [author] }`"),
        ("object: { ads: ads }, more: ads", "P101 a part stands below `object`: `object: { more: ads }`"),
        ("object: { ads: ads }, more: asd", "P101 a part stands below `object`: `object: { more: asd }`"),
        ("object: { ads: ads }, more: { pipeline: ads }", "P101 a part stands below `object`: `object: { more: { pipeline: ads } }`"),
        ("object: { ads: { source: ads } }", "P101 a part names a pipeline: `pipeline: ads`"),
        (
            "object: { ads: { pipeline: ads, url: \"http://h/\" } }",
            "P101 a URL belongs to a source, under `sources`; a part names a pipeline: `pipeline: NAME`"
        ),
        (
            "object: { all: friends, one: { pipeline: user, with: { id: { from: all } } } }",
            "P102 add `at:` with the place in `all`, as `/0/id` or `/id`"
        ),
    ]) func `a field that belongs elsewhere, or lacks another`(combine: String, help: String) {
        #expect(Self.helps("home: { combine: { \(combine) } }") == [help])
    }

    @Test func `what only templates of sources have is told at its place in the arguments of a part and of a link`() {
        let report = Self.report(
            """
            home: { parameters: [me], combine: { object: { one: { pipeline: user, with: { id: "a{key}" } } } } }
            page: { tiers: [friends], links: { more: { at: /x, pipeline: pair, with: { of: "{pipeline}" } } } }
            pair: { parameters: [id, of], combine: { of: { pipeline: user, with: { id: "{id}{of}" } } } }
            """)
        let errors = report.diagnostics.filter { $0.severity == .error }

        #expect(errors.map(\.code) == [.wrongArgument, .wrongArgument], "\(report.diagnostics)")
        #expect(
            errors.map(\.message) == [
                "`{key}` stands in templates of sources, and not in `with`",
                "`{pipeline}` stands in templates of sources, and not in `with`",
            ])
        #expect(errors.map(\.help) == ["name parameters of `home`, or write a text", "write `page`"])
        #expect(errors.map { "\($0.range.start.line):\($0.range.start.column)" } == ["10:87", "11:83"])
    }

    @Test func `a value that names no pipeline is not taken for a part`() {
        let helps = Self.helps("home: { combine: { object: { ads: ads }, wide: true } }")

        #expect(helps.count == 1 && helps[0].hasPrefix("P101 known fields: "), "\(helps)")
    }

    @Test(arguments: [("home", "[memory, users]"), ("friends2", "[memory, users]"), ("ads2", "[memory, users]")])
    func `a pipeline without tiers is told with sources of its file`(name: String, tiers: String) {
        #expect(Self.helps("\(name): { deadline: 1s }") == ["P102 add `tiers: \(tiers)`"])
    }

    @Test func `a pipeline without tiers is told with the source of its name`() {
        let report = Reading.report(
            """
            sources:
              other: { type: http, url: "http://h/other" }
              news: { type: http, url: "http://h/news" }
            pipelines:
              other: { tiers: [other] }
              news: { deadline: 1s }

            """)

        #expect(report.diagnostics.compactMap(\.help).contains("add `tiers: [news]`"), "\(report.diagnostics)")
    }

    @Test func `a source in place of a pipeline is told as one, in links too`() {
        #expect(
            Self.helps("home: { combine: { object: { users: users2, all: memory } } }")
                == [
                    "P211 did you mean `user`?",
                    "P211 `memory` is a source, and a part is a pipeline: name one that asks it",
                ])
        let report = Reading.report(
            """
            sources: { api: { type: http, url: "http://h/" }, other: { type: http, url: "http://h/{id}" } }
            pipelines:
              post: { tiers: [api], links: { author: { at: /author, pipeline: other } } }

            """)
        #expect(
            report.diagnostics.map(\.help) == [
                "`other` is a source, and a link leads to a pipeline: add `other: { tiers: [other] }` under `pipelines`"
            ])
    }

    @Test func `a link that cannot be read is not missing where it is followed`() {
        let codes = Self.report(
            """
            posts: { tiers: [friends], links: { author: { at: "$[", pipeline: user } } }
            feed: { combine: { of: { pipeline: posts, follow: [author] } } }
            """
        ).codes

        #expect(codes == ["P105"])
    }

    @Test func `a link that is not there is missing, also where another of the composite cannot be read`() {
        let codes = Self.report(
            """
            posts: { tiers: [friends], links: { author: { at: /a, pipeline: user } } }
            feed: { combine: { of: { pipeline: posts, follow: [autor] } }, links: { x: { at: "$[", pipeline: user } } }
            """
        ).codes

        #expect(codes.sorted() == ["P105", "P214"])
    }
}
