internal import Pipeline

/// The rule for when to look at a watched file, and whether what was found is a change. Pure: ``WatchSource`` waits, looks and tells.
///
/// A report of the system means no more than "look". The look comes when it has become quiet, so that one save is one change and no load reads
/// half a file.
struct WatchState {
    /// The next step.
    enum Step: Equatable {
        /// Wait for a report, or until then.
        case wait(until: Timestamp)
        /// Wait until then, whatever is reported meanwhile.
        case settle(until: Timestamp)
        case look(Depth)
    }

    /// The depth of a look.
    enum Depth {
        case identity, content
    }

    /// Reports with little time between them.
    private struct Burst {
        let first: Timestamp
        var last: Timestamp
        /// The identity of the file when it was last looked at in this burst.
        var identity: FileIdentity?
    }

    private let timing: WatchTiming
    /// The state that was told last.
    private var known: Sight
    private var burst: Burst?
    /// The moment when the file counts as gone that is not there now.
    private var goneAt: Timestamp?
    private var nextLook: Timestamp
    /// Indicates whether the content is read once more: the file system's clock may not tell a change that came right after the last one.
    private var readsAgain = false

    /// - Parameter sight: what a look at the content found, which is no change.
    init(seeing sight: Sight, at now: Timestamp, _ timing: WatchTiming = WatchTiming()) {
        self.timing = timing
        known = sight
        nextLook = now + timing.interval
        if sight == .changing { notice(at: now) }
    }

    /// Takes that something may have changed at `moment`.
    mutating func notice(at moment: Timestamp, _ identity: FileIdentity? = nil) {
        let burst = burst
        self.burst = Burst(first: burst?.first ?? moment, last: moment, identity: identity ?? burst?.identity)
    }

    /// The step to take at `now`.
    func step(at now: Timestamp) -> Step {
        if let burst {
            let end = end(of: burst)
            return now < end ? .settle(until: end) : .look(.content)
        }
        let end = min(nextLook, goneAt ?? nextLook)
        if now < end { return .wait(until: end) }
        return .look(goneAt != nil || readsAgain ? .content : .identity)
    }

    private func end(of burst: Burst) -> Timestamp {
        min(burst.last + timing.quiet, burst.first + timing.longestBurst)
    }

    /// Takes what the look found that ``step(at:)`` asked for. Returns whether it is a change to tell.
    mutating func sees(_ sight: Sight, at now: Timestamp) -> Bool {
        nextLook = now + timing.interval
        let burst = burst
        self.burst = nil
        if sight.isAbsent { return seesAbsence(sight, at: now) }
        goneAt = nil
        let isLate = burst.map { now >= $0.first + timing.longestBurst } ?? false
        guard case .file(let identity, let content) = sight else {
            // Told only where it goes on for too long: then nothing but a load can say what is there.
            if !isLate { self.burst = burst }
            notice(at: now)
            if isLate { known = sight }
            return isLate
        }
        guard content != nil else {
            if identity != known.identity { notice(at: now, identity) }
            return false
        }
        if let before = burst?.identity, before != identity, !isLate {
            self.burst = burst
            notice(at: now, identity)
            return false
        }
        return concludes(sight)
    }

    private mutating func seesAbsence(_ sight: Sight, at now: Timestamp) -> Bool {
        if sight == known || sight.identity?.size == 0 && known.identity?.size == 0 {
            goneAt = nil
            return false
        }
        let end = goneAt ?? now + timing.absence
        guard now >= end else {
            goneAt = end
            return false
        }
        goneAt = nil
        return concludes(sight)
    }

    /// Takes a sight that will stay.
    private mutating func concludes(_ sight: Sight) -> Bool {
        defer { known = sight }
        readsAgain = sight.identity != known.identity && sight.identity != nil
        guard case .file(_, let new) = sight, case .file(_, let old) = known else { return sight != known }
        return new != old
    }
}

/// The times for which ``WatchState`` waits.
struct WatchTiming: Sendable {
    /// The time without a report after which a file is looked at.
    var quiet = Duration.milliseconds(100)
    /// The longest time after the first report until it is looked at.
    var longestBurst = Duration.seconds(1)
    /// The time for which a file may be gone, or empty, because it is being saved.
    var absence = Duration.seconds(1)
    /// The pause between two looks for which there is no report.
    var interval = Duration.seconds(2)
}
