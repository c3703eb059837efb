import Pipeline
import PipelineConfig
import PipelineTesting
import PipelineYAML

@testable import PipeRunKit
@testable import PipelineReports

/// Drawings of texts and of random pipelines.
enum Drawing {
    static func model(_ text: String, level: ValidationLevel = .graph) -> GraphModel {
        let report = Reading.report(text, level: level)
        return GraphModel(report.plan.pipelines, of: report)
    }

    /// Texts of every kind: short, long, wide, hostile.
    static let words = [
        "m", "memory", "a rather long name with several words in it, that goes on and on",
        "averyveryveryveryveryveryverylongnamewithoutaspace",
        "朋友们的缓存目录数据朋友们的缓存目录数据", "🎉🎉🎉", "a\"b'c\\d", "</svg><script>alert(1)</script>", "c]d|e--x", "one\ntwo\rthree", "\u{202E}gnp",
        "שלום עולם", "%%{init}%%", "end", "p0t0", "--> -.->", "&amp;#quot;", "", "WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW",
        "e\u{301}\u{301}\u{301}",
    ]

    static func random(_ seed: UInt64) -> GraphModel {
        var random = SplitMix64(seed: seed)
        func word() -> String { words.randomElement(using: &random) ?? "" }
        func policies() -> [GraphPolicy] {
            (0..<Int.random(in: 0...6, using: &random)).map { number in
                var policy = GraphPolicy("policy_\(number)", word())
                policy.change = [nil, nil, .added, .removed, .changed].randomElement(using: &random) ?? nil
                policy.former = word()
                return policy
            }
        }
        func problems() -> [GraphProblem] {
            (0..<([0, 0, 0, 1, 6].randomElement(using: &random) ?? 0)).map {
                GraphProblem(
                    code: "P30\($0)", severity: Bool.random(using: &random) ? .error : .warning, message: word() + " " + word(), line: $0)
            }
        }
        let pipelines = (0..<Int.random(in: 1...7, using: &random)).map { number -> GraphPipeline in
            let count = Int.random(in: 1...6, using: &random)
            let tiers = (0..<count).map { index -> GraphTier in
                var tier = GraphTier(source: word(), type: word(), isCache: Bool.random(using: &random), policies: policies())
                tier.problems = problems()
                if index == count - 1, Bool.random(using: &random) { tier.change = .removed }
                if Bool.random(using: &random) { tier.formerIndex = 3 }
                return tier
            }
            let edges = (0..<count).flatMap { from in
                (0..<count).filter { $0 != from && Bool.random(using: &random) }.map { to -> GraphWriteBack in
                    var edge = GraphWriteBack(from: from, to: to, ttl: word(), debounce: Bool.random(using: &random) ? "1h30m" : nil)
                    edge.change = [nil, nil, .added, .removed].randomElement(using: &random) ?? nil
                    return edge
                }
            }
            var pipeline = GraphPipeline(
                name: "p\(number)", signature: word(), description: Bool.random(using: &random) ? word() + " " + word() : nil,
                policies: policies(), tiers: tiers, writeBacks: edges)
            pipeline.problems = problems()
            return pipeline
        }
        return GraphModel(pipelines: pipelines, problems: problems())
    }

    /// The same with feeds of every kind.
    static func withFeeds(_ seed: UInt64) -> GraphModel {
        var model = random(seed)
        var random = SplitMix64(seed: seed)
        for index in model.pipelines.indices {
            let sources = model.pipelines[index].tiers.map(\.source)
            model.pipelines[index].feeds = (0..<Int.random(in: 0...3, using: &random)).map { number in
                let policies = (0..<Int.random(in: 0...4, using: &random)).map {
                    GraphPolicy("policy_\($0)", words.randomElement(using: &random) ?? "")
                }
                var feed = GraphFeed(
                    source: words.randomElement(using: &random) ?? "", type: "type \(number)", isMerging: Bool.random(using: &random),
                    targets: sources.filter { _ in Bool.random(using: &random) }, policies: policies)
                if Bool.random(using: &random) {
                    feed.problems = [
                        GraphProblem(code: "P311", severity: .warning, message: words.randomElement(using: &random) ?? "", line: 1)
                    ]
                }
                return feed
            }
        }
        return model
    }
}
