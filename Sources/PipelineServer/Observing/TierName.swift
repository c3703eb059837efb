/// A source as a tier of a pipeline, which metrics are told apart by.
struct TierName: Hashable {
    /// Empty where it is not known.
    let pipeline: String
    let source: String

    var dimensions: [(String, String)] { [("pipeline", pipeline), ("source", source)] }
}
