extension PipelineClock {
    /// The present by the wall clock, as other processes see it. Not to measure with: the wall clock may step.
    package var wallNow: Timestamp { wallTime(of: now) }

    /// The time that the wall clock shows, as it is set now, at a moment of ``now``'s time line.
    ///
    /// Times that leave the process are wall times: another process, and this one when it is started again, has another time line. When the
    /// wall clock is corrected, they follow it; the times of copies in memory, and what waits, do not.
    package func wallTime(of moment: Timestamp) -> Timestamp { moment.moved(by: wallOffset) }

    /// The moment of ``now``'s time line at which the wall clock, as it is set now, shows `time`.
    package func moment(ofWallTime time: Timestamp) -> Timestamp { time.moved(by: Int64(0).subtractingSaturated(wallOffset)) }

    /// The entry as a cache keeps it outside of the process: with wall times. ``restored(_:)`` undoes it.
    public func stored(_ entry: Entry) -> Entry { entry.moved(by: wallOffset) }

    /// The entry that was kept outside of the process with wall times, as ``stored(_:)`` gives it, perhaps by another process.
    public func restored(_ entry: Entry) -> Entry { entry.moved(by: Int64(0).subtractingSaturated(wallOffset)) }

    /// The restored entry, if it is within its own limit now; else nil.
    package func restoredWithinLimit(_ entry: Entry) -> Entry? {
        let (offset, now) = wallOffsetAndNow
        let restored = entry.moved(by: Int64(0).subtractingSaturated(offset))
        return restored.isWithinLimit(at: now) ? restored : nil
    }
}

extension Entry {
    fileprivate func moved(by nanoseconds: Int64) -> Entry {
        if nanoseconds == 0 { return self }
        var moved = self
        moved.created = created.moved(by: nanoseconds)
        moved.stored = stored?.moved(by: nanoseconds)
        moved.freshUntil = freshUntil?.moved(by: nanoseconds)
        return moved
    }
}

extension Timestamp {
    /// Never, and always, stay what they are.
    fileprivate func moved(by nanoseconds: Int64) -> Timestamp {
        self == .distantFuture || self == .distantPast ? self : Timestamp(nanoseconds: self.nanoseconds.addingSaturated(nanoseconds))
    }
}
