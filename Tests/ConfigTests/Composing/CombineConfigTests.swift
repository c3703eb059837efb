import Foundation
import Pipeline
import PipelineComposing
import PipelineConfig
import PipelineJSON
import PipelineTesting
import PipelineYAML
import SourcesInline
import SourcesSQLite
import Testing

/// What `combine` and `links` come to: the plan, and what is fetched from it.
@Suite struct CombineConfigTests {
    private static let plugins = Reading.plugins + [.inline, .sqliteQuery]

    private static let head = """
        sources:
          users: { type: inline, value: { id: 7, name: Ann } }
          friends: { type: inline, value: [{ id: 1, of: 2.50 }, { id: 2 }] }
          notes: { type: inline, value: [{ user: 2, text: hello }] }
          gone: { type: file, path: "/nonexistent/pipe-run/{id}.json", read_only: true }
        pipelines:
          user: { parameters: [id], tiers: [users] }
          friends: { parameters: { user: { default: me } }, tiers: [friends] }
          notes: { tiers: [notes] }
          missing: { parameters: [id], tiers: [gone] }

        """

    private static func report(_ pipelines: String) -> ConfigReport {
        let lines = pipelines.split(separator: "\n", omittingEmptySubsequences: false).map { "  \($0)" }
        return Reading.report(head + lines.joined(separator: "\n") + "\n", plugins: plugins)
    }

    /// What a fetch of `name` gives, with the file `pipelines` beside those of ``head``.
    private static func fetch(_ name: String, _ arguments: [String: String] = [:], of pipelines: String) async throws -> String? {
        let report = report(pipelines)
        #expect(report.diagnostics.filter { $0.severity == .error }.map(\.message) == [])
        let made = try Pipelines(report, clock: ManualClock().clock)
        let outcome = try await made.pipeline(named: name).fetch(arguments)
        await made.shutDown()
        return try outcome.payload.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `the file of the contract has no problem`() throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "contract.yaml")
        let text = try String(contentsOf: path, encoding: .utf8)

        let report = Reading.report(text, plugins: Self.plugins)

        #expect(report.diagnostics.map { "\($0.code.rawValue) \($0.message)" } == [])
        #expect(report.plan.pipelines.count { $0.combine != nil } == 6 && report.plan.pipelines.flatMap(\.links).count == 5)
    }

    @Test func `an object has its parts, with arguments from parameters and from other parts`() async throws {
        let value = try await Self.fetch(
            "home", ["user": "9"],
            of: """
                home:
                  parameters: [user]
                  combine:
                    object:
                      me: { pipeline: user, with: { id: "{user}" } }
                      friends: friends
                      first: { pipeline: friends, select: /0/of }
                      again: { pipeline: user, with: { id: { from: me, at: /id } }, select: /name }
                      gone: { pipeline: missing, with: { id: "a{user}" }, default: null }
                """)

        #expect(
            value
                == #"{"me":{"id":7,"name":"Ann"},"friends":[{"id":1,"of":2.50},{"id":2}],"first":2.50,"again":"Ann","gone":null}"#)
    }

    @Test(arguments: [
        ("{ merge: [friends, { pipeline: friends, with: { user: b } }] }", #"[{"id":1,"of":2.50},{"id":2},{"id":1,"of":2.50},{"id":2}]"#),
        ("{ merge: [friends, friends], by: /id, prefer: last }", #"[{"id":1,"of":2.50},{"id":2}]"#),
        (
            "{ join: { from: friends, on: /id, to: notes, to_on: /user, as: note } }",
            #"[{"id":1,"of":2.50},{"id":2,"note":{"user":2,"text":"hello"}}]"#
        ), ("{ of: friends, pick: { nr: /id } }", #"[{"nr":1},{"nr":2}]"#),
        ("{ of: { pipeline: user, with: { id: x }, select: /id } }", "7"),
    ]) func `each shape`(combine: String, value: String) async throws {
        #expect(try await Self.fetch("all", of: "all: { combine: \(combine) }") == value)
    }

    @Test func `a link is followed where a part says so`() async throws {
        let value = try await Self.fetch(
            "all",
            of: """
                list:
                  tiers: [friends]
                  links: { user: { at: "$[*].id", pipeline: user } }
                all: { combine: { of: { pipeline: list, follow: [user] } } }
                """)

        #expect(value == #"[{"id":1,"user":{"id":7,"name":"Ann"},"of":2.50},{"id":2,"user":{"id":7,"name":"Ann"}}]"#)
    }

    @Test func `the composite stands where the order names it`() throws {
        let plan = Self.report(
            """
            a: { combine: { of: friends }, tiers: [combine, notes] }
            b: { combine: { of: friends }, tiers: [notes] }
            c: { combine: { of: friends } }
            """
        ).plan

        #expect(
            plan.pipelines.suffix(3).map { $0.tiers.map(\.source.name) } == [["combine", "notes"], ["notes", "combine"], ["combine"]])
    }

    @Test func `every field arrives`() throws {
        let report = Self.report(
            """
            post:
              parameters: [id]
              tiers: [users]
              links:
                author: { at: /a, pipeline: friends, parameter: user, optional: true, default: { x: 1 } }
                to: { at: "$.b[0].c", pipeline: user, with: { id: { at: /d } } }
            all:
              combine:
                of: { pipeline: post, with: { id: 7 }, select: /x, follow: [author, author.more], optional: true, default: null, timeout: 3s }
                pick: { n: /name }
                concurrency: 4
                max: 5
                max_size: 1KiB
            """)
        let part = try #require(report.plan.pipelines.last?.combine?.parts.first?.spec)
        let combine = try #require(report.plan.pipelines.last?.combine?.spec)
        let links = report.plan.pipelines.dropLast().last?.links.map(\.spec) ?? []

        #expect(part.pipeline == "post" && part.arguments == ["id": "7"] && part.select == JSONPointer("/x"))
        #expect(part.follow.map(\.description) == ["author", "author.more"] && part.isOptional && part.timeout == .seconds(3))
        #expect(part.defaultValue.map { String(decoding: $0, as: UTF8.self) } == "null")
        #expect(combine.concurrency == 4 && combine.max == 5 && combine.maxSize == Size(bytes: 1_024))
        #expect(combine.pick.map(\.name) == ["n"])
        #expect(links.map(\.name) == ["author", "to"] && links.map(\.place.description) == ["/a", "$.b[0].c"])
        #expect(links[0].parameter == "user" && links[0].isOptional)
        #expect(links[0].defaultValue.map { String(decoding: $0, as: UTF8.self) } == #"{"x":1}"#)
        #expect(links[1].arguments == ["id": .at(try #require(JSONPointer("/d")))])
    }

    @Test func `what a variable gives is text, also with braces`() throws {
        let report = Self.report("all: { combine: { of: { pipeline: user, with: { id: \"${BRACES}\" } } } }")

        #expect(report.diagnostics.filter { $0.severity == .error }.isEmpty)
        #expect(report.plan.pipelines.last?.combine?.parts.first?.spec.arguments["id"]?.parameters == [])
    }

    @Test func `a chain of very many composites is one problem`() {
        let chain = (0..<20_000).map { "c\($0): { combine: { of: \($0 == 0 ? "notes" : "c\($0 - 1)") } }" }.joined(separator: "\n")

        #expect(Self.report(chain).diagnostics.filter { $0.severity == .error }.map(\.code) == [.outOfRange])
    }

    @Test(arguments: [
        (
            "command, command: [python3, user.py, \"{id}\"]",
            ["following `author` runs the program of `people` once for each reference: the source type `command` cannot batch"]
        ),
        ("http, url: \"http://h/{id}\"", ["following `author` asks `people` once for each reference: it has no `batch`"]),
        ("file, path: \"people/{id}.json\", read_only: true", []), ("inline, value: {}", []),
    ]) func `a link to values that no call takes together is told where it is followed, P313`(_ type: String, _ messages: [String]) {
        let report = Reading.report(
            """
            sources:
              posts: { type: inline, value: [{ by: 1 }] }
              people: { type: \(type) }
            pipelines:
              person: { parameters: [id], tiers: [people] }
              posts: { tiers: [posts], links: { author: { at: "$[*].by", pipeline: person } } }
              feed: { combine: { of: { pipeline: posts, follow: [author] } } }
            """, plugins: Reading.allPlugins)

        #expect(report.diagnostics.filter { $0.code == .callForEachLink }.map(\.message) == messages)
        #expect(report.diagnostics.filter { $0.severity == .error }.isEmpty, "\(report.diagnostics)")
    }
}
