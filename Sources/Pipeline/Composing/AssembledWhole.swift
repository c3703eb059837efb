internal import PipelineJSON

/// What came of assembling a whole.
struct AssembledWhole: Sendable {
    enum Ending: Sendable {
        case value([UInt8])
        /// A required part is not there, as its origin said.
        case notFound
        /// A required part is not there, and no origin said so.
        case none
        case failed(SourceError)
    }

    let ending: Ending
    let times: PartTimes
    let composition: Composition
    /// Whether the time was over before all parts had ended.
    let isCut: Bool
}
