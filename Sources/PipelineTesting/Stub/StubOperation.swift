/// What a scripted source can be asked to do.
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
    /// `announce`.
    case announcements
    /// What is heard of others: one that fails never arrives.
    case hearings
    /// `takeLease`.
    case takings
    /// `releaseLease`, and `releaseVainLease`.
    case releases
    /// `lastVainHolder`.
    case vainQuestions
}
