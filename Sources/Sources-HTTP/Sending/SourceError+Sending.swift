import Pipeline

extension SourceError {
    /// The error of a send that surely was not made, as ``SendingSource`` wants it said.
    static func notSent(_ error: any Error) -> SourceError {
        guard let error = error as? SourceError else {
            return SourceError(error is CancellationError ? "not sent: cancelled" : "not sent: \(error)", kind: .unasked, cause: error)
        }
        if error.isUnreached || error.saysThatNothingWasSent { return error }
        return SourceError("not sent: \(error.reason)", kind: .unasked, help: error.help, cause: error.cause)
    }

    /// The error of a send that may have been made: one that does not say otherwise. A connection may be lost for the same reasons as none
    /// can be opened.
    static func perhapsSent(_ error: any Error) -> any Error {
        guard var error = error as? SourceError else { return error }
        error.isUnreached = false
        guard error.saysThatNothingWasSent else { return error }
        var other = SourceError(error.reason, help: error.help, cause: error.cause, retry: error.retry)
        (other.detail, other.status) = (error.detail, error.status)
        return other
    }

    private var saysThatNothingWasSent: Bool {
        switch kind {
        case .skipped, .unasked, .refused: true
        case .failure, .invalid, .timeout, .rejected, .notKept: false
        }
    }
}
