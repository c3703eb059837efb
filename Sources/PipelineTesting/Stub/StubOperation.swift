/// What a scripted source can be asked to do.
///
/// New cases may come: switch with a `default`.
public enum StubOperation: Sendable, Hashable, CaseIterable {
    /// `read`.
    case reads
    /// `revalidate`, which no test counts among the reads.
    case revalidations
    /// `write`, and `renew`.
    case writes
    /// `remove`.
    case removes
    /// `clear`.
    case clears
    /// `publish`.
    case messages
    /// Events received through `subscribe`: one that fails never arrives.
    case receptions
    /// `takeLease`.
    case takings
    /// `releaseLease`.
    case releases
    /// `lastFruitlessHolder`.
    case fruitlessQuestions
}
