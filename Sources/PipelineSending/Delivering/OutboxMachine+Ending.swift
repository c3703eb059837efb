package import Pipeline

/// What became of one try of a send.
package enum TryResult: Sendable, Equatable {
    /// The origin answered.
    case answered(SendAnswer, made: MadeItem)
    /// The origin surely has not made the change, for this reason.
    case unprocessed(String)
    /// The origin may have made the change: no whole answer came, for this reason.
    case uncertain(String)

    /// Indicates whether the origin has made the change.
    var isAccepted: Bool { if case .answered(let answer, _) = self { answer.isAccepted } else { false } }
}

/// What an answer says of what was made.
package struct MadeItem: Sendable, Equatable {
    /// The id as JSON text; nil if it says none.
    package var id: String?
    /// The tag for later sends of the same target; nil if it says none, or a weak one.
    package var tag: String?
    /// The words of a refusal, masked; nil without any.
    package var detail: String?

    package init(id: String? = nil, tag: String? = nil, detail: String? = nil) { (self.id, self.tag, self.detail) = (id, tag, detail) }
}

extension OutboxMachine {
    /// The statuses of an origin that has not processed a request (RFC 9110, 6585, 8470).
    private static let unprocessed: Set<Int> = [401, 407, 408, 425, 429, 503, 511]
    private static let conflicts: Set<Int> = [409, 412, 428]

    /// A try has ended.
    package mutating func ended(_ number: Int64, _ result: TryResult, at now: Timestamp) -> [Step] {
        guard let work = items[number]?.work, work.kind == .trying else { return [] }
        items[number]?.work = nil
        sources[work.place.target]?.underWay.remove(number)
        let wells = sources[work.place.target]?.wells ?? 0
        let isOurs = adopt(work.news, at: number, isSent: result.isAccepted, now: now)
        if isOurs { items[number]?.row.firstUncertain = work.before.firstUncertain }
        var steps: [Step] = []
        switch result {
        case .answered(let answer, let made) where isOurs || answer.isAccepted: steps = answered(number, answer, made, work, at: now)
        case .unprocessed(let reason) where isOurs: steps = wait(number, reason, work.place, at: now)
        case .uncertain(let reason) where isOurs: steps = uncertain(number, reason, work, at: now)
        case .answered, .unprocessed, .uncertain: break
        }
        items[number]?.wells = wells
        return steps + dropIfAsked(number, at: now)
    }

    /// Another process has taken a send over that was under way here: what that one knows of it holds, unless it is sent.
    ///
    /// - Returns: whether none has.
    mutating func adopt(_ news: SendRow?, at number: Int64, isSent: Bool, now: Timestamp) -> Bool {
        guard let news else { return true }
        keep(news, at: items[number]?.place, now: now)
        if !isSent, !news.isKept {
            outcomes.note(news)
            items[number] = nil
        }
        return false
    }

    private mutating func answered(_ number: Int64, _ answer: SendAnswer, _ made: MadeItem, _ work: Work, at now: Timestamp) -> [Step] {
        let (words, place) = ("status \(answer.status)", work.place)
        items[number]?.row.status = answer.status
        items[number]?.row.detail = answer.isAccepted ? nil : made.detail
        let isRepeated = items[number]?.row.firstUncertain != nil
        switch answer.status {
        case _ where answer.isAccepted:
            wake(place.target)
            sources[place.target]?.wells += 1
            return sent(number, answer.body, made, place, at: now)
        case let status where Self.unprocessed.contains(status): return wait(number, words, place, notBefore: answer.notBefore, at: now)
        case let status where Self.conflicts.contains(status) || status == 422 && isRepeated:
            return conflict(number, status, place, isRepeated: isRepeated, at: now)
        case 501, 505: return refused(number, words, place, at: now)
        case 500...: return uncertain(number, words, work, notBefore: answer.notBefore, at: now)
        default: return refused(number, words, place, at: now)
        }
    }

    /// The origin has made the change.
    mutating func sent(_ number: Int64, _ answer: [UInt8], _ made: MadeItem, _ place: SendPlace, at now: Timestamp) -> [Step] {
        guard let row = items[number]?.row else { return [] }
        let steps = set(number, at: now) { row in
            row.end(.sent, nil, at: now)
            (row.answer, row.madeID) = (answer, made.id)
        }
        return steps + passTag(made.tag, from: row, place, at: now)
    }

    /// What was seen is what this one has replaced: later ones have its tag, or look for one.
    private mutating func passTag(_ tag: String?, from row: SendRow, _ place: SendPlace, at now: Timestamp) -> [Step] {
        guard let changed = place.item else { return [] }
        var steps: [Step] = []
        for number in items.conditional.sorted() where number > row.number {
            guard let item = items[number], !item.row.state.isDone, item.work == nil, item.row.tag != tag else { continue }
            guard let other = item.place, other.rules.hasCondition, other.item == changed else { continue }
            // One without a condition does not say what it saw.
            guard item.row.tag == row.tag || !place.rules.hasCondition else { continue }
            steps += set(number, at: now) { $0.tag = tag }
        }
        return steps
    }

    /// The origin was not asked, or has not processed the request.
    private mutating func wait(
        _ number: Int64, _ reason: String, _ place: SendPlace, notBefore: Timestamp? = nil, at now: Timestamp
    ) -> [Step] {
        let pause = rest(at: place, notBefore: notBefore, now: now)
        return set(number, at: now) { $0.wait(reason, until: pause, notBefore: notBefore, now: now) }
    }

    /// The origin may have processed the request of a try.
    private mutating func uncertain(
        _ number: Int64, _ reason: String, _ work: Work, notBefore: Timestamp? = nil, at now: Timestamp
    ) -> [Step] {
        guard let item = items[number] else { return [] }
        let others = sources[work.place.target]?.wells ?? 0 > item.wells
        if others || item.row.firstTry.map({ now >= $0 + Self.patience }) ?? false { items[number]?.row.faults += 1 }
        let pause = rest(at: work.place, notBefore: notBefore, now: now)
        return leaveUncertain(number, reason, at: work.place, since: work.began, until: pause, notBefore: notBefore, now: now)
    }

    /// One that may be made is tried again where that is harmless.
    mutating func leaveUncertain(
        _ number: Int64, _ reason: String, at place: SendPlace?, since began: Timestamp, until pause: Timestamp? = nil,
        notBefore: Timestamp? = nil, now: Timestamp
    ) -> [Step] {
        guard let row = items[number]?.row else { return [] }
        items[number]?.row.firstUncertain = row.firstUncertain ?? began
        guard let rules = place?.rules, rules.repetition != .never else { return hold(number, "uncertain: \(reason)", at: now) }
        if row.faults >= rules.retry.attempts {
            let words = "\(reason), in each of \(row.tries) tries while others were answered"
            return set(number, at: now) { $0.end(.failed, words, at: now) }
        }
        return set(number, at: now) { $0.wait(reason, until: pause, notBefore: notBefore, now: now) }
    }

    /// The origin does not make the change.
    private mutating func refused(_ number: Int64, _ reason: String, _ place: SendPlace, at now: Timestamp) -> [Step] {
        wake(place.target)
        return fail(number, reason, at: now)
    }

    mutating func fail(_ number: Int64, _ reason: String, at now: Timestamp) -> [Step] {
        let row = items[number]?.row
        return set(number, at: now) { $0.end(.failed, reason, at: now) } + (row.map { [.load($0)] } ?? [])
    }
}

extension SendRow {
    /// It waits until `pause`, and as long as its origin wants.
    mutating func wait(_ reason: String, until pause: Timestamp?, notBefore: Timestamp? = nil, now: Timestamp) {
        wait(reason)
        next = pause
        self.notBefore = notBefore.map { min($0, now + OutboxMachine.longestRest) }
    }
}
