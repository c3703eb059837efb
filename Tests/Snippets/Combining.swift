import Pipeline
import PipelineComposing
import PipelineJSON
import SourcesMemory

// The Swift of docs/swift.md about composites and links, which shows it line by line.

func combine(_ user: PipelineSpec, _ friends: PipelineSpec, _ ads: PipelineSpec, _ memory: SourceSpec) async throws {
    let home = PipelineSpec(
        "home", parameters: ["user"],
        combine: CompositeSpec(
            .object([
                ("me", PartSpec("user", with: ["id": "{user}"])),
                ("friends", "friends"),
                ("ads", PartSpec("ads", default: "[]", timeout: .milliseconds(300))),
            ])),
        tiers: [TierSpec(memory, ttl: .seconds(10)), .combine()])
    let pipelines = try Pipelines([user, friends, ads, home])
    let outcome = try await pipelines.pipeline(named: "home").fetch(["user": "42"])
    for part in outcome.parts where part.ending != .value { print(part.at, part.ending, part.message ?? "") }
}

func follow(_ user: PipelineSpec, _ comment: PipelineSpec, _ api: SourceSpec) async throws {
    let post = PipelineSpec(
        "post", parameters: ["id"], tiers: [TierSpec(api)],
        links: [
            LinkSpec("author", at: try JSONPath("/author_id"), pipeline: "user"),
            LinkSpec("comments", at: try JSONPath("/comment_ids"), pipeline: "comment"),
        ])
    let pipelines = try Pipelines([user, comment, post])
    let posts = try pipelines.pipeline(named: "post")
    let answer = try await posts.fetch(["id": "7"], following: ["author", "comments.author"])
    for target in answer.missing { print(target.at, target.id) }
}
