import NIOHTTP1
import PipelineComposing
import PipelineJSON
import PipelineTesting

@testable import Pipeline
@testable import PipelineServer

/// Pipelines of a screen, on a manual clock: a user, ads that can fail, a post with links, and what is made from them.
final class Screen: Sendable {
    let time = ManualClock()
    let ads: StubOrigin
    let users: StubOrigin
    let posts: StubOrigin
    let tips: StubOrigin
    /// Keeps users for a minute.
    let cache: StubSource

    init() {
        let clock = time.clock
        ads = StubOrigin("ads", clock: clock, answering: #"["ad"]"#)
        users = StubOrigin("users", clock: clock)
        users.answers { $0["id"] == "9" ? .notFound : StubAnswer(stringLiteral: #"{"id":\#($0["id"] ?? ""),"name":"Ada"}"#) }
        posts = StubOrigin("posts", clock: clock, answering: #"{"author_id": 7,"likes":[7,9,7],"editor":null,"n":1.10}"#)
        tips = StubOrigin("tips", clock: clock, answering: .notFound)
        cache = StubSource("disk", clock: clock)
    }

    /// - Parameter change: changes the pipelines before they are made.
    func pipelines(_ change: (inout [PipelineSpec]) throws -> Void = { _ in }) throws -> Pipelines {
        var specs = [
            PipelineSpec(
                "user", parameters: ["id"], tiers: [TierSpec(SourceSpec("disk", cache), ttl: .seconds(60)), tier("users", users)]),
            PipelineSpec("ads", tiers: [tier("ads", ads)]),
            PipelineSpec("tip", tiers: [tier("tips", tips)]),
            PipelineSpec(
                "post", parameters: ["id"], tiers: [tier("posts", posts)],
                links: [
                    LinkSpec("author", at: try JSONPath("/author_id"), pipeline: "user"),
                    LinkSpec("fans", at: try JSONPath("/likes"), pipeline: "user"),
                    LinkSpec("corrector", at: try JSONPath("/editor"), pipeline: "user"),
                ]),
            PipelineSpec(
                "home", parameters: ["user"],
                combine: CompositeSpec(
                    .object([
                        ("me", PartSpec("user", with: ["id": "{user}"])), ("ads", PartSpec("ads", default: "[]")),
                        ("a/é", PartSpec("ads", optional: true)), ("tip", PartSpec("tip", optional: true)),
                    ]))),
            PipelineSpec("outer", parameters: ["user"], combine: CompositeSpec(.object([("inner", "home")]))),
        ]
        try change(&specs)
        return try Pipelines(specs, clock: time.clock, redactor: Redactor { $0.replacing("s3cret", with: "***") })
    }

    private func tier(_ name: String, _ origin: StubOrigin) -> TierSpec { TierSpec(SourceSpec(name, origin)) }

    /// Asks a server of these pipelines.
    func responder(_ pipelines: Pipelines, detail: ErrorDetail = .full, metrics: PrometheusRegistry = PrometheusRegistry())
        -> (String, HTTPHeaders) async throws -> ServedAnswer
    {
        let responder = PipelineResponder(ServedPipelines(pipelines), version: "1", metrics: metrics, detail: detail)
        return { target, headers in
            var all: HTTPHeaders = ["Host": "localhost"]
            all.add(contentsOf: headers)
            let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: target, headers: all)
            return await responder.answer(to: try ClientRequest(head, hosts: HostRule(listeningOn: "127.0.0.1", allowing: [])))
        }
    }
}
