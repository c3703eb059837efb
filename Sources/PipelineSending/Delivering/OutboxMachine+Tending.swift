import Pipeline

// What the process that delivers does with sends before they go out.
extension OutboxMachine {
    /// Fails, holds, fills and merges what is to be.
    mutating func tend(at now: Timestamp) -> [Step] {
        var steps = judge(at: now)
        for number in items.needing.sorted() { steps += fillIDs(of: number, at: now) }
        for number in items.newcomers.sorted() { steps += join(number, at: now) }
        return steps
    }

    private mutating func judge(at now: Timestamp) -> [Step] {
        guard let moment = items.judgement, moment <= now else { return [] }
        var steps: [Step] = []
        for number in items.numbers { steps += judge(number, at: now) }
        items.endJudging()
        return steps
    }

    /// Fails one that has waited for too long; holds one that the file does not have, or that its origin may have forgotten.
    private mutating func judge(_ number: Int64, at now: Timestamp) -> [Step] {
        guard let item = items[number], let moment = item.judgement, moment <= now else { return [] }
        if item.row.state == .held {
            return set(number, at: now) { $0.wait() } + judge(number, at: now)
        }
        guard let rules = item.place?.rules else { return hold(number, Self.undeclared, at: now) }
        if let age = rules.expires, let end = item.expiry, now >= end {
            return set(number, at: now) { $0.end(.failed, "expired: it was not sent within \(age.spelling)", at: now) }
        }
        return hold(number, "uncertain: the origin may have forgotten the id of its first try", at: now)
    }

    fileprivate static let undeclared = "undeclared"

    /// Puts the ids of what was made in the place of the temporary ones that a send names; fails it if there are none.
    mutating func fillIDs(of number: Int64, at now: Timestamp) -> [Step] {
        guard let item = items[number], item.work == nil, !item.row.state.isDone, item.row.state != .sending else { return [] }
        var steps: [Step] = []
        for temporary in item.place?.needs.sorted() ?? [] {
            switch outcomes.outcome(of: temporary, before: number) {
            case .made(let id)?:
                items[number]?.place?.needs.remove(temporary)
                steps = set(number, at: now) { $0.replace(temporary, by: id) }
            case .missing(let words)?:
                return set(number, at: now) { $0.end(.failed, "needs \(temporary), \(words)", at: now) }
            case nil: continue
            }
        }
        return steps
    }

    /// One is done: those that name what it makes get its id, or fail.
    mutating func settleNeeding(_ row: SendRow, at now: Timestamp) -> [Step] {
        var steps: [Step] = []
        for number in items.needing.sorted() where number > row.number && items[number]?.place?.needs.contains(row.temporaryID) ?? false {
            steps += fillIDs(of: number, at: now)
        }
        return steps
    }

    /// A send of the same kind was taken in: earlier ones wait longer, or are merged.
    private mutating func join(_ number: Int64, at now: Timestamp) -> [Step] {
        items[number]?.isNew = false
        guard let item = items[number], item.isIdle, let place = item.place else { return [] }
        guard place.rules.debounce > .zero || place.rules.replacesUntried else { return [] }
        var steps: [Step] = []
        for earlier in items.untried(like: place, before: number) {
            if place.rules.replacesUntried, let merged = merge(earlier, into: number, at: now) {
                steps += merged
            } else {
                items[earlier]?.beQuiet(as: place.rules, after: item.row, now: now)
            }
        }
        return steps
    }

    /// Lets a send take the place of an earlier one; nil if it cannot.
    private mutating func merge(_ earlier: Int64, into number: Int64, at now: Timestamp) -> [Step]? {
        guard let item = items[number], let before = items[earlier], let place = item.place, item.row.tries == 0 else { return nil }
        guard !items.hasOther(in: place.lanes, between: earlier, and: number) else { return nil }
        var changed: [Step] = []
        if place.isPatch {
            guard let patch = JoinedPatch.of(before.row.payload, item.row.payload) else { return nil }
            if patch != item.row.payload { changed = set(number, at: now) { $0.payload = patch } }
        }
        // Who goes on and on puts off the first one, not each one anew.
        if let limit = before.quietLimit {
            items[number]?.quietLimit = limit
            items[number]?.quietUntil = item.quietUntil.map { min($0, limit) }
        }
        return set(earlier, at: now) { $0.end(.merged, "send \(number) took its place", at: now) } + changed
    }
}

extension OutboxMachine.Item {
    /// When it must be failed, held, or put back; nil if nothing of that comes with time.
    var judgement: Timestamp? {
        guard work == nil else { return nil }
        let isUndeclared = row.state == .held && row.reason == OutboxMachine.undeclared
        guard isIdle || isUndeclared else { return nil }
        guard let place, !isUndeclared else { return isUndeclared && place == nil ? nil : .distantPast }
        return [expiry, place.rules.repetition == .byID ? row.firstUncertain.map { $0 + place.rules.idLifetime } : nil].compactMap(\.self)
            .min()
    }

    /// When it has waited for too long, since it was taken in or put back by a person; nil for never.
    fileprivate var expiry: Timestamp? { place?.rules.expires.map { max(row.taken, row.ended ?? row.taken) + $0 } }

    /// Another one of its kind was taken in.
    fileprivate mutating func beQuiet(as rules: SendRules, after row: SendRow, now: Timestamp) {
        guard let limit = quietLimit else { return }
        quietUntil = min(min(row.taken, now) + rules.debounce, limit)
    }
}
