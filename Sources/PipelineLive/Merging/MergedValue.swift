package import Pipeline

/// The value of one key, with the changes that a load under way may have missed.
///
/// Pure: the caller gives the moments, asks the origin, and writes what comes of it.
package struct MergedValue: Sendable {
    let policy: MergePolicy?
    let overlap: Duration
    /// The most bytes of the value.
    let limit: Int
    /// The value as it is.
    package internal(set) var contents = MergedContents()
    var log = ChangeLog()
    var versions = VersionLog()
    // The loads that can still land, by the order in which they began.
    var loads: [LoadMark] = []
    // The order of the last load. Those up to `overflowed` miss changes.
    var lastLoad: UInt64 = 0
    var overflowed: UInt64 = 0

    /// A value that is not known yet. Without a policy it has no list, and takes no changes.
    package init(_ policy: MergePolicy?, overlap: Duration = .zero, limit: Size = Size(bytes: 64 << 20)) {
        self.policy = policy
        self.limit = limit.bytes
        self.overlap = overlap
    }

    /// Counts the changes of the value. What leaves its bytes as they are is none.
    package var revision: UInt64 { contents.revision }

    /// Indicates whether a load that can land is under way.
    package var isLoading: Bool { !loads.isEmpty }

    /// An origin is asked; each attempt anew. Ends with ``land(_:_:at:)`` or ``endAsking(_:at:)``.
    package mutating func beginAsking(at moment: Timestamp) -> LoadMark {
        lastLoad += 1
        let mark = LoadMark(order: lastLoad, number: log.number, began: moment)
        loads.append(mark)
        return mark
    }

    /// A load failed, or was abandoned.
    package mutating func endAsking(_ mark: LoadMark, at moment: Timestamp) {
        loads.removeAll { $0 == mark }
        forgetChanges(at: moment)
    }

    /// The value was removed: changes and loads that began before are void.
    package mutating func void() {
        loads = []
        log.removeAll()
        versions = VersionLog()
        guard !contents.isEmpty else { return }
        contents = MergedContents(revision: contents.revision + 1, replaced: contents.revision + 1)
    }

    /// Merges a change. What is kept for a load that runs stays with it, whatever the change does to the value that is there.
    package mutating func apply(_ change: Change, at moment: Timestamp) -> MergeEffect {
        let hasValue = contents.entry.map { !$0.isNotFound } ?? false
        log.count(change)
        let isOld = versions[change.id].map { change.version?.isLater(than: $0.version) == false } ?? false
        guard hasValue || isLoading else {
            // It makes no value, but an older message or list that comes later is known to be older.
            _ = know(change, .dropped, at: moment)
            return .dropped
        }
        let isKept = isOld || keep(change, at: moment)
        let effect = hasValue ? merge(change) : .kept
        let isKnown = know(change, effect, at: moment)
        return isKept && isKnown ? effect : .overflowed
    }

    /// Keeps a change for the loads that run, and for the overlap of those to come. False when there are too many.
    private mutating func keep(_ change: Change, at moment: Timestamp) -> Bool {
        let needing = loads.first { $0.order > overflowed }
        guard needing != nil || overlap > .zero else { return true }
        forgetChanges(at: moment)
        while log.isFull(for: change), let first = log.first {
            if let needing, first.number > needing.number {
                log.removeAll()
                overflowed = lastLoad
                return false
            }
            log.removeFirst()
        }
        log.append(change, at: moment)
        return true
    }

    /// Drops what neither a load that runs nor the overlap of one to come needs.
    mutating func forgetChanges(at moment: Timestamp) {
        let oldest = loads.first { $0.order > overflowed }
        let limit = (oldest?.began ?? moment) - overlap
        while let first = log.first, oldest.map({ first.number <= $0.number }) ?? true, overlap == .zero || first.at < limit {
            log.removeFirst()
        }
    }
}

/// The position of the log when an origin was asked.
package struct LoadMark: Sendable, Hashable {
    /// Counts the loads of a key.
    let order: UInt64
    /// The last change before it.
    let number: UInt64
    let began: Timestamp
}

/// The value of a load, a copy or a `put` once the changes were merged into it.
package struct Landing: Sendable {
    /// The value with the changes.
    package let entry: Entry
    /// Indicates whether the list must be loaded again: a change is for an id that this list lacks, too.
    package let needsRefresh: Bool
    /// The reason why changes could not be merged: the value has no list.
    package let failure: String?
}

/// The effect of a change on a value.
package enum MergeEffect: Sendable, Hashable {
    /// The value is another one.
    case changed
    /// A duplicate, an older version, the same bytes, or a delete of what is not there.
    case unchanged
    /// No value is there yet: the change waits for the load that runs.
    case kept
    /// There is no value, and no load runs.
    case dropped
    /// The list must be loaded again: the change is for an id that the list lacks.
    case refresh
    /// More changes came under a load than are kept, and all of them are dropped, or more was removed than is kept of it. The list must be loaded
    /// again.
    case overflowed
    /// Nobody could read the value with it, for this reason. It is skipped, and the list must be loaded again.
    case faulty(String)
    /// The value has no list, for this reason.
    case failed(String)
}
