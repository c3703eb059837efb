import Pipeline
/// What the feeds of the parts of a live key do, as observers of the key see it.
struct PartFeeds {
    /// The states that were found last.
    private(set) var statuses: [FeedStatus] = []
    /// Whether nothing has changed since they were looked for.
    private(set) var isCurrent = true
    /// Counts the changes.
    private(set) var changes: UInt64 = 0

    /// A feed of a part has another state, or the parts are others.
    mutating func change() {
        changes += 1
        isCurrent = false
    }

    /// Takes the states of the feeds of all parts.
    ///
    /// - Parameter changes: how many changes there had been when they were looked for.
    mutating func take(_ found: [FeedStatus], after changes: UInt64) {
        statuses = Self.summed(found)
        isCurrent = changes == self.changes
    }

    /// One state for each change source of each pipeline. Of several keys it is the state that is furthest from `live`, the first of equal
    /// ones: a composite may have thousands of keys.
    static func summed(_ found: [FeedStatus]) -> [FeedStatus] {
        var summed: [FeedStatus] = []
        for feed in found {
            let same = summed.firstIndex { known in
                known.source.hasSameBytes(as: feed.source) && (known.pipeline ?? "").hasSameBytes(as: feed.pipeline ?? "")
            }
            if let same {
                if feed.state.distance > summed[same].state.distance { summed[same] = feed }
            } else {
                summed.append(feed)
            }
        }
        return summed
    }
}

extension FeedStatus.State {
    /// How far it is from `live`.
    fileprivate var distance: Int {
        switch self {
        case .live: 0
        case .syncing: 1
        case .connecting: 2
        case .off: 3
        case .ended: 4
        case .down: 5
        case .refused: 6
        }
    }
}
