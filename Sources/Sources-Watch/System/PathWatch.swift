#if !canImport(Darwin)
internal import Pipeline

/// The system's reports about the places on the way to one file.
///
/// A look adds each place on its way, and then finishes the round: places of earlier rounds that it did not add are watched no longer.
final class PathWatch: Sendable {
    private let number: Int?

    /// - Parameter ring: called for each report, on any thread; nil to have none.
    init(_ ring: (@Sendable () -> Void)?) {
        number = ring.map { Inotify.shared.join($0) }
    }

    /// Watches `place` too. Where the system cannot, nothing is reported for it.
    func add(_ place: WatchedPlace) {
        if let number { Inotify.shared.add(place, for: number) }
    }

    /// Ends the watches of places that were not added since the last round.
    func finishRound() {
        if let number { Inotify.shared.finishRound(of: number) }
    }

    /// Ends all watches, for good.
    func close() {
        if let number { Inotify.shared.leave(number) }
    }
}
#endif
