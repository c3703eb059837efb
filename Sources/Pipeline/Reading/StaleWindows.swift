/// The times after its expiry for which a copy may still be served: `stale_while_revalidate` and `stale_if_error`. A remembered `not_found`
/// never is.
package struct StaleWindows: Sendable {
    /// While the copy is refreshed in the background; nil where only its origin may allow it.
    private let whileRevalidate: Duration?
    /// When the load fails, or takes longer than a soft timeout; nil where only its origin may allow it.
    private let ifError: Duration?
    /// Indicates whether a copy may be served when the load fails.
    package let mayServeAfterError: Bool
    /// Whether a copy may be served while it is refreshed.
    let mayServeWhileRevalidating: Bool

    /// - Parameter originsSay: whether entries may carry windows of their own.
    package init(_ policy: PipelinePolicy, originsSay: Bool = true) {
        whileRevalidate = policy.staleWhileRevalidate
        ifError = policy.staleIfError
        mayServeAfterError = originsSay || policy.staleIfError != nil
        mayServeWhileRevalidating = originsSay || policy.staleWhileRevalidate != nil
    }

    /// The time for which origins are not asked again for a key after a failed load, for which a stale copy was served.
    package static let pause = Duration.seconds(1)

    /// The time for which a stale copy waits for a fresh one of the caches below before it is served.
    package static let patience = Duration.milliseconds(10)

    package func allowWhileRevalidating(_ copy: borrowing Entry, expiredSince moment: Timestamp, at now: Timestamp) -> Bool {
        allow(copy, expiredSince: moment, within: whileRevalidate, or: copy.cacheControl?.staleWhileRevalidate, at: now)
    }

    /// - Parameter status: the status with which the origin answered; nil if it did not, or if that does not matter. The window that it
    ///   allowed is for 500, 502, 503 and 504 (RFC 5861, section 4): what it says of who may have the value must reach the caller.
    package func allowAfterError(
        _ copy: borrowing Entry, expiredSince moment: Timestamp, at now: Timestamp, answered status: Int? = nil
    ) -> Bool {
        let isError = status.map { [500, 502, 503, 504].contains($0) } ?? true
        return allow(copy, expiredSince: moment, within: ifError, or: isError ? copy.cacheControl?.staleIfError : nil, at: now)
    }

    /// - Parameter seconds: the window that the origin allows; that of the pipeline holds where it has one.
    private func allow(
        _ copy: borrowing Entry, expiredSince moment: Timestamp, within window: Duration?, or seconds: UInt32?, at now: Timestamp
    ) -> Bool {
        guard !copy.isNotFound, copy.cacheControl.map({ !$0.forbidsStale }) ?? true else { return false }
        guard let window = window ?? seconds.map({ .seconds(Int64($0)) }) else { return false }
        return now.duration(since: moment) < window
    }
}
