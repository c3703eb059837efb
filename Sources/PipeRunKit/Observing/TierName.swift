/// A source as a tier of a pipeline, which metrics are told apart by.
struct TierName: Hashable {
    /// Empty where nobody knows it.
    let pipeline: String
    let source: String

    var dimensions: [(String, String)] { [("pipeline", pipeline), ("source", source)] }
}
