import PipelineComposing
import PipelineJSON
import PipelineTesting
import Testing

@testable import PipeRunKit
@testable import Pipeline

/// What `links` prints.
@Suite struct FoundLinkTests {
    private let screen = Screen()

    private func links(_ pipelines: Pipelines) async throws -> [FoundLink] {
        let post = try pipelines.pipeline(named: "post")
        return try await FoundLink.all(in: try await post.fetch(["id": "1"]), of: post, among: pipelines)
    }

    @Test func `a line for each target, with what caches have of it, and no target is loaded`() async throws {
        let pipelines = try screen.pipelines()
        let printer = LinksPrinter(key: try pipelines.pipeline(named: "post").key(["id": "1"]), redactor: Redactor())
        let cold = try await links(pipelines)

        #expect(
            printer.text(cold) == """
                author     user  id=7  none
                fans       user  id=7  none
                fans       user  id=9  none
                corrector  user  -     null

                """)
        #expect(screen.users.readCount == 0 && screen.posts.readCount == 1)

        _ = try await pipelines.pipeline(named: "user").fetch(["id": "7"])
        await screen.cache.finished(.writes, atLeast: 1)
        #expect(try await links(pipelines).map(\.state) == [.fresh, .fresh, .none, .null])
        screen.time.advance(by: .seconds(61))
        #expect(try await links(pipelines).map(\.state) == [.stale, .stale, .none, .null])
        #expect(screen.users.readCount == 1)
    }

    @Test func `as JSON, a secret is masked and a link that cannot be followed says why`() async throws {
        screen.posts.answers(#"{"author_id":"s3cret","likes":[true]}"#)
        let pipelines = try screen.pipelines()
        let printer = LinksPrinter(key: try pipelines.pipeline(named: "post").key(["id": "1"]), redactor: pipelines.redactor)

        #expect(
            printer.json(try await links(pipelines)).text == #"{"pipeline":"post","parameters":{"id":"1"},"links":["#
                + #"{"name":"author","pipeline":"user","parameters":{"id":"***"},"state":"none","error":null},"#
                + #"{"name":"fans","pipeline":"user","parameters":null,"state":"invalid","error":"link `fans` at `/likes/0`: a bool is no id"},"#
                + #"{"name":"corrector","pipeline":"user","parameters":null,"state":"absent","error":null}]}"#)
    }

    @Test func `what can be followed is listed beside what cannot, and what leads nowhere has one line`() async throws {
        screen.posts.answers(#"[{"author_id":null},{"author_id":{"u":1}},{"author_id":1},{},{"author_id":2,"author":3},{"author_id":2}]"#)
        let pipelines = try screen.pipelines { specs in
            specs[3].links = [LinkSpec("author", at: try JSONPath("$[*].author_id"), pipeline: "user")]
        }
        let printer = LinksPrinter(key: try pipelines.pipeline(named: "post").key(["id": "1"]), redactor: Redactor())
        let found = try await links(pipelines)

        #expect(
            printer.text(found) == """
                author  user  -     null
                author  user  -     invalid
                author  user  id=1  none
                author  user  -     invalid
                author  user  id=2  none
                author  user  -     absent

                """)
        #expect(
            found.map(\.problem) == [
                nil, "link `author` at `/1/author_id`: an object is no id", nil,
                "link `author` at `/4/author_id`: there is a member `author` already", nil, nil,
            ])
    }

    @Test(arguments: [(#"[{"author_id":7},{}]"#, ["id=7", "-"]), (#"[{"author_id":[null,7]}]"#, ["-", "id=7"]), ("[]", ["-"])])
    func `a reference that is absent or null is told of beside others`(posts: String, parameters: [String]) async throws {
        screen.posts.answers { _ in StubAnswer(stringLiteral: posts) }
        let pipelines = try screen.pipelines { specs in
            specs[3].links = [LinkSpec("author", at: try JSONPath("$[*].author_id"), pipeline: "user")]
        }

        let found = try await links(pipelines)

        #expect(found.map { $0.key?["id"].map { "id=\($0)" } ?? "-" } == parameters)
        #expect(found.allSatisfy { $0.problem == nil })
    }
}
