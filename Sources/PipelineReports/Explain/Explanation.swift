package import Pipeline
package import PipelineConfig

/// What a pipeline does, in plain sentences, each with what decided it.
package struct Explanation: Hashable {
    /// Why a sentence holds.
    enum Ground: Hashable {
        /// It is written here.
        case place(TextRange)
        /// The file does not mention it.
        case byDefault
        /// The order that is tried.
        case order
        /// It holds for every pipeline.
        case always
    }

    /// One sentence.
    struct Sentence: Hashable {
        let text: String
        let grounds: [Ground]
    }

    /// Sentences that belong together.
    struct Section: Hashable {
        /// The title, as a part of the JSON: `asking`.
        let id: String
        let title: String
        var sentences: [Sentence]
    }

    let pipeline: String
    let signature: String
    let description: String?
    /// The sources in the order of asking.
    let order: [String]
    let sections: [Section]

    /// - Parameters:
    ///   - sourceLimits: the time limits that sources have themselves, by their names.
    ///   - sharings: what sources do for several processes, by their names.
    ///   - pipelines: the pipelines of the file, which parts and links are of.
    ///   - isTried: whether the order is one that is only tried.
    package init(
        _ plan: PipelinePlan, sourceLimits: [String: SourceLimit] = [:], sharings: [String: SourceSharing] = [:], isTried: Bool = false,
        among pipelines: [PipelinePlan] = [], redactor: Redactor = Redactor()
    ) {
        let facts = PipelineFacts(
            plan, sourceLimits: sourceLimits, sharings: sharings, isTried: isTried, among: pipelines, redactor: redactor)
        pipeline = plan.name
        signature = plan.signature(redactor)
        description = plan.description.map(redactor.redacted)
        order = plan.tiers.map(\.source.name)
        sections = [
            Section(id: "asking", title: "What is asked", sentences: facts.asking + facts.combining + facts.linking + facts.sharedFlights),
            Section(id: "freshness", title: "When a copy answers", sentences: facts.freshness),
            Section(id: "stale", title: "When a stale copy is served", sentences: facts.staleness),
            Section(id: "live", title: "When something changes", sentences: facts.changes),
            Section(id: "write_back", title: "What is written back", sentences: facts.writing),
            Section(
                id: "age", title: "How old a value can be",
                sentences: facts.ages + facts.ignoredAges + facts.partAges + facts.publishedAges + facts.foreignCopies),
            Section(id: "failure", title: "When a tier is down", sentences: facts.failures + facts.partFailures),
            Section(id: "time", title: "How long it can take", sentences: facts.times),
            Section(id: "not_found", title: "When there is no value", sentences: facts.absence),
        ].filter { !$0.sentences.isEmpty }
    }
}
