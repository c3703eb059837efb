package import Pipeline

// Conditions, and what follows when one does not hold.
extension OutboxMachine {
    mutating func conflict(_ number: Int64, _ status: Int, _ place: SendPlace, isRepeated: Bool, at now: Timestamp) -> [Step] {
        wake(place.target)
        guard let item = items[number] else { return [] }
        guard isRepeated else { return settle(number, "status \(status)", place, at: now) }
        // The origin may still be at the first try.
        if status == 409, let first = item.row.firstUncertain, now < first + Self.busyTime, item.busyAnswers < Self.mostBusy {
            items[number]?.busyAnswers += 1
            let pause = now + place.rules.retry.base
            return set(number, at: now) { $0.wait("status 409: the origin may still be at an earlier try", until: pause, now: now) }
        }
        items[number]?.work = Work(kind: .checking, place: place, before: item.row, began: now)
        return [.check(item.row)]
    }

    /// What the rule for conflicts says.
    private mutating func settle(_ number: Int64, _ status: String, _ place: SendPlace, at now: Timestamp) -> [Step] {
        items[number]?.row.conflicts += 1
        guard let row = items[number]?.row else { return [] }
        let reason = SendRow.conflict + status
        switch place.rules.onConflict {
        case .drop: return set(number, at: now) { $0.end(.dropped, reason, at: now) } + [.load(row)]
        case .keep where row.conflicts < 2: return set(number, at: now) { $0.wait(reason) } + [.load(row)]
        case .refetch where row.conflicts < 3:
            let steps = set(number, at: now) { row in
                row.wait(reason)
                row.tag = nil
            }
            // With a condition they are loaded for its tag.
            return steps + (place.rules.hasCondition ? [] : [.load(row)])
        case .fail, .keep, .refetch: return fail(number, reason, at: now)
        }
    }

    /// The keys of a send were loaded for its tag.
    ///
    /// - Parameters:
    ///   - tag: the tag of the base; nil if it has none for a condition, a failure if it could not be loaded.
    ///   - isWeak: whether it has a weak one. An origin that tells changes apart by the second gives no other for what was changed within
    ///     the last one (RFC 9110, section 8.8.1).
    package mutating func found(_ number: Int64, tag: Result<String?, SourceError>, isWeak: Bool = false, at now: Timestamp) -> [Step] {
        guard let work = endLoad(.findingTag, of: number) else { return [] }
        guard adopt(work.news, at: number, isSent: false, now: now) else { return dropIfAsked(number, at: now) }
        switch tag {
        case .failure(let error): return waitForLoad(number, "the value could not be loaded: \(error.reason)", work, at: now)
        case .success(nil) where isWeak && items[number]?.weakTags ?? 0 < Self.mostWeak:
            items[number]?.weakTags += 1
            return waitForLoad(number, "the value has only a weak entity tag", work, atLeast: Self.weakTime, at: now)
        case .success(nil): return fail(number, "the value has \(isWeak ? "only a weak" : "no") entity tag for the condition", at: now)
        case .success(let tag?):
            items[number]?.failedLoads = 0
            items[number]?.weakTags = 0
            return set(number, at: now) { $0.tag = tag }
        }
    }

    /// The keys of a send were loaded to see whether an earlier try was made.
    ///
    /// - Parameter isThere: nil if they could not be loaded.
    package mutating func checked(_ number: Int64, isThere: Bool?, tag: String?, at now: Timestamp) -> [Step] {
        guard let work = endLoad(.checking, of: number) else { return [] }
        let isOurs = adopt(work.news, at: number, isSent: isThere == true, now: now)
        var steps: [Step] = []
        switch isThere {
        case true?: steps = sent(number, [], MadeItem(tag: tag), work.place, at: now)
        case nil where isOurs: steps = waitForLoad(number, "whether it was made could not be seen", work, at: now)
        case false? where isOurs:
            let status = items[number]?.row.status ?? 409
            steps = status == 422 ? fail(number, "status 422", at: now) : settle(number, "status \(status)", work.place, at: now)
        case nil, false?: break
        }
        return steps + dropIfAsked(number, at: now)
    }

    private mutating func endLoad(_ kind: Work.Kind, of number: Int64) -> Work? {
        guard let work = items[number]?.work, work.kind == kind else { return nil }
        items[number]?.work = nil
        return work
    }

    /// The send waits until the value can be loaded; its target is well, for all that is known.
    private mutating func waitForLoad(
        _ number: Int64, _ reason: String, _ work: Work, atLeast least: Duration = .zero, at now: Timestamp
    ) -> [Step] {
        let pause = now + max(least, pause(work.place.rules.retry, after: items[number]?.failedLoads ?? 0))
        items[number]?.failedLoads += 1
        return set(number, at: now) { $0.wait(reason, until: pause, now: now) }
    }
}
