internal import Pipeline
internal import PipelineConfig

/// The line of the configuration that decided the outcome of a fetch.
struct DecidingLine {
    /// A place of the configuration, and what stands there where it is not the tier itself.
    struct Line {
        let range: TextRange
        let words: String?
    }

    private let pipeline: PipelinePlan

    init(_ pipeline: PipelinePlan) {
        self.pipeline = pipeline
    }

    /// The line of the tier of this source; nil if no line names it.
    func line(ofTier source: String) -> Line? {
        guard let tier = tier(source) else { return nil }
        return tier.places.range.map { Line(range: $0, words: nil) }
    }

    func line(of outcome: Outcome) -> Line? {
        switch outcome.result {
        case .value where outcome.isStale: staleLine(of: outcome) ?? outcome.source.flatMap { line(ofTier: $0) }
        case .value: outcome.source.flatMap { line(ofTier: $0) }
        case .notFound: notFoundLine(of: outcome)
        case .failed(let error): failureLine(of: error)
        }
    }

    private func staleLine(of outcome: Outcome) -> Line? {
        let policy = pipeline.policy
        if outcome.staleReason?.contains("within stale_while_revalidate") == true {
            return field(.staleWhileRevalidate, policy.staleWhileRevalidate)
        }
        return field(.staleIfError, policy.staleIfError)
    }

    private func notFoundLine(of outcome: Outcome) -> Line? {
        guard let source = outcome.source else { return pipeline.places.range.map { Line(range: $0, words: nil) } }
        if let tier = tier(source), tier.source.isWritable == true, let line = field(.notFoundTTL, pipeline.policy.notFoundTTL) {
            return line
        }
        return line(ofTier: source)
    }

    private func failureLine(of error: LoadError) -> Line? {
        switch error.kind {
        case .deadlineExceeded: if let line = field(.deadline, pipeline.policy.deadline) { return line }
        case .tierFailed:
            if let last = error.attempts.last, let range = tier(last.source)?.places[.onError] {
                return Line(range: range, words: "\(TierField.onError.rawValue): fail")
            }
        case .everyTierFailed, .linkFailed, .offline: break
        }
        return error.attempts.last { $0.outcome == .error || $0.outcome == .timeout || $0.outcome == .invalid }
            .flatMap { line(ofTier: $0.source) }
    }

    private func field(_ field: PipelineField, _ value: Duration?) -> Line? {
        guard let value, let range = pipeline.places[field] else { return nil }
        return Line(range: range, words: "\(field.rawValue): \(value.spelling)")
    }

    private func tier(_ source: String) -> TierPlan? {
        pipeline.tiers.first { $0.source.name.utf8.elementsEqual(source.utf8) }
    }
}
