extension SourceConformance {
    /// One thing that a source does against the contract.
    public struct Violation: Sendable, Hashable {
        /// The part of the contract: `miss is nil`.
        public let name: String
        /// What the source did, lower case, without a full stop.
        public let sentence: String
    }
}

extension SourceConformance.Violation: CustomStringConvertible {
    /// `NAME: SENTENCE`.
    public var description: String { "\(name): \(sentence)" }
}
