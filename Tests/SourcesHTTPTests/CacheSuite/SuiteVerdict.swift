/// What came of a case.
enum SuiteVerdict: Sendable, Equatable {
    case passed
    case failed(String)
    /// It could not be played as it is meant: a part of its preparation failed.
    case unprepared(String)
    /// A case that it builds on did not pass.
    case depends(on: String)
    case outOfScope(String)
}

/// An expectation of the suite that does not hold.
struct SuiteFailure: Error {
    let message: String
    let isPreparation: Bool

    /// Throws unless `condition` holds.
    static func check(_ condition: Bool, preparing isPreparation: Bool, _ message: @autoclosure () -> String) throws(SuiteFailure) {
        if !condition { throw SuiteFailure(message: message(), isPreparation: isPreparation) }
    }
}
