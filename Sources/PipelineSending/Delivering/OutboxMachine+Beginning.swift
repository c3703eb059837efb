package import Pipeline

extension OutboxMachine {
    /// Lets go out what may, and says when something may next; nil for the moment if only another event can bring that.
    package mutating func advance(at now: Timestamp) -> (steps: [Step], wake: Timestamp?) {
        guard isDelivering else { return ([], nil) }
        var steps = tend(at: now)
        var wake = items.judgement
        for number in inTurn(candidates(at: now, &wake)) { steps += begin(number, at: now, &wake) }
        return (steps, wake)
    }

    /// The sends whose turn it is.
    private func candidates(at now: Timestamp, _ wake: inout Timestamp?) -> [Int64] {
        var ready: [Int64] = []
        for number in items.firsts {
            guard let item = items[number], item.isIdle, let place = item.place, !isNeeding(place, before: number) else { continue }
            if let moment = item.begin, moment > now {
                wake = wake.map { min($0, moment) } ?? moment
            } else {
                ready.append(number)
            }
        }
        return ready
    }

    /// Whether what it names by a temporary id is not made yet. What is taken in later can only be meant by chance.
    private func isNeeding(_ place: SendPlace, before number: Int64) -> Bool {
        place.needs.contains { temporary in
            items.number(of: String(temporary.dropFirst())).map { $0 < number && items[$0]?.row.state.isDone == false } ?? false
        }
    }

    /// The most important first; of those whose target rests, the ones whose lanes have not tried since it began to.
    private func inTurn(_ numbers: [Int64]) -> [Int64] {
        let turns = numbers.map { number -> (wasProbed: Bool, priority: Priority, number: Int64) in
            guard let item = items[number], let place = item.place else { return (true, .background, number) }
            let wasProbed = sources[place.target]?.wasProbed(by: place.lanes) ?? false
            return (wasProbed, item.row.priority ?? place.rules.priority, number)
        }
        let sorted = turns.sorted { left, right in
            if left.wasProbed != right.wasProbed { return right.wasProbed }
            return (right.priority, left.number) < (left.priority, right.number)
        }
        return sorted.map(\.number)
    }

    /// Begins a try, unless the target rests.
    private mutating func begin(_ number: Int64, at now: Timestamp, _ wake: inout Timestamp?) -> [Step] {
        guard let item = items[number], let place = item.place else { return [] }
        var target = sources[place.target] ?? TargetPace()
        if let rest = target.restsUntil {
            guard rest <= now else {
                wake = wake.map { min($0, rest) } ?? rest
                return []
            }
            // After a rest one tries.
            guard target.underWay.isEmpty else { return [] }
        }
        let needsTag = place.rules.hasCondition && item.row.tag == nil && !item.row.goesWithoutCondition(place.rules)
        items[number]?.work = Work(kind: needsTag ? .findingTag : .trying, place: place, before: item.row, began: now)
        if needsTag { return [.findTag(item.row)] }
        target.begin(number, in: place.lanes)
        if item.row.firstTry == nil { items[number]?.wells = target.wells }
        sources[place.target] = target
        let steps = set(number, at: now) { [holder] in $0.begin(by: holder, at: now) }
        return steps + (items[number].map { [.ask($0.row)] } ?? [])
    }

    /// The row of a try could not be written: it does not begin.
    @discardableResult package mutating func unbegin(_ number: Int64, until moment: Timestamp) -> [Step] {
        guard let work = items[number]?.work, work.kind == .trying else { return [] }
        items[number]?.work = nil
        sources[work.place.target]?.underWay.remove(number)
        var row = work.before
        row.next = moment
        items[number]?.row = row
        var steps = [Step.changed(row)]
        if let news = work.news { steps = note(news, at: items[number]?.place, now: moment) }
        return steps + dropIfAsked(number, at: moment)
    }

    /// A row that is `sending`, and that no process tries any more: what became of it is not known.
    package mutating func recover(_ number: Int64, at now: Timestamp) -> [Step] {
        guard let item = items[number], item.row.state == .sending, item.work == nil else { return [] }
        let began = item.row.firstTry ?? now
        return leaveUncertain(number, "its process ended before the answer came", at: item.place, since: began, now: now)
            + dropIfAsked(number, at: now)
    }

    /// The rows that another process tries, as far as this one knows.
    package var triedElsewhere: [SendRow] {
        items.underWay.sorted().compactMap { number in
            items[number].flatMap { $0.row.state == .sending && $0.work == nil ? $0.row : nil }
        }
    }
}

extension OutboxMachine.Item {
    /// Whether it waits, and nothing is done with it.
    var isIdle: Bool { row.state == .waiting && work == nil }

    /// When it may begin; nil for at once.
    fileprivate var begin: Timestamp? { [row.next, row.notBefore, quietUntil].compactMap(\.self).max() }
}

extension SendRow {
    /// A try begins. Should nothing be heard of it any more, it was made at this moment.
    fileprivate mutating func begin(by holder: String, at now: Timestamp) {
        (state, reason, next, notBefore) = (.sending, nil, nil, nil)
        tries += 1
        firstTry = firstTry ?? now
        firstUncertain = firstUncertain ?? now
        self.holder = holder
    }

    /// Whether a conflict has taken its condition away.
    func goesWithoutCondition(_ rules: SendRules) -> Bool { rules.onConflict == .keep && conflicts > 0 }
}
