internal import Pipeline

extension Outcome {
    /// A line for each part that failed and that the answer does without.
    var lackLines: [String] {
        parts.filter(\.isDegraded).map { part in
            let place = part.at.isEmpty ? "a part from `\(part.pipeline)`" : "`\(part.at)`"
            let reason = part.problem.map { ": \($0.message)" } ?? ""
            return "incomplete: \(place) \(part.usesDefault ? "is its default" : "is left out")\(reason)"
        }
    }
}
