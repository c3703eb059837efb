internal import Pipeline
package import PipelineConfig

extension SourceModel {
    /// The fields that say something other than their defaults, costs aside, which count for every source.
    private var written: [String] {
        [
            ("takes", takes != .zero), ("fails", fails.value > 0), ("lacks", lacks.value > 0), ("concurrency", concurrency != nil),
            ("down", !down.isEmpty), ("slow", !slow.isEmpty), ("hangs", !hangs.isEmpty), ("size", size.bytes > 0),
            ("changes", changes != nil),
        ].filter(\.1).map(\.0)
    }

    /// What an origin alone has.
    private static let fieldsOfOrigins: Set = ["lacks", "size", "changes"]

    /// The fields that change nothing of what `source` does in a simulation, and why; nil where each has an effect.
    package func pointless(for source: SourceConfig) -> (fields: [String], reason: String)? {
        guard let reason = source.fixedInSimulation else {
            let fields = source.isWritable == true ? written.filter(Self.fieldsOfOrigins.contains) : []
            return fields.isEmpty ? nil : (fields, "it is a cache, and holds what others gave")
        }
        return written.isEmpty ? nil : (written, reason)
    }
}

extension SourceConfig {
    /// Whether a simulation has the real source instead of what a model says: memory, which answers at once.
    var isRealInSimulation: Bool { isWritable == true && capabilities?.contains(.answersAtOnce) == true }

    /// Why no model changes what it does in a simulation; nil where one does.
    package var fixedInSimulation: String? {
        if tellsOfChanges == true { return "it reports changes, which are not played" }
        if isRealInSimulation { return "it is the real one, which answers at once and never fails" }
        return alwaysAnswers ? "it always answers" : nil
    }
}
