import Pipeline

/// How the target of sends does: its rests, and what is under way to it.
struct TargetPace: Sendable {
    /// Nothing is sent to it before; nil if it does not rest.
    var restsUntil: Timestamp?
    /// The moment before which it does not want to be asked, whatever ends a rest; nil if it named none.
    var notBefore: Timestamp?
    /// The rests in a row.
    var failures = 0
    /// The good answers to sends.
    var wells: UInt64 = 0
    /// The sends that are under way to it.
    var underWay: Set<Int64> = []
    /// The lanes whose tries brought the rests in a row, or were made between them.
    var probed: Set<String> = []

    /// Whether one of these lanes has had its turn.
    func wasProbed(by lanes: Set<String>) -> Bool { restsUntil != nil && !probed.isDisjoint(with: lanes) }

    /// A try begins. When all lanes have had their turn, they begin anew.
    mutating func begin(_ number: Int64, in lanes: Set<String>) {
        underWay.insert(number)
        guard restsUntil != nil else { return }
        if wasProbed(by: lanes) { probed = lanes } else { probed.formUnion(lanes) }
    }

    /// It rests until `end`, and not for less than before.
    mutating func rest(until end: Timestamp) {
        restsUntil = [restsUntil, notBefore, end].compactMap(\.self).max()
    }

    /// A rest is over, but not what the origin has asked for.
    mutating func endRest() { (restsUntil, failures, probed) = (notBefore, 0, []) }
}

// Pauses.
extension OutboxMachine {
    /// Ends pauses, but those that an origin asked for, and quiet times.
    package mutating func endPauses() {
        endRests()
        for number in items.numbers where items[number]?.quietUntil != nil { items[number]?.quietUntil = nil }
    }

    /// The moment until which a target rests; nil if it does not.
    func restsUntil(_ target: String) -> Timestamp? { sources[target]?.restsUntil }

    /// Ends the pauses of all sends and of their targets.
    mutating func endRests() {
        for name in sources.keys { endRest(of: name) }
        for number in items.numbers where items[number]?.row.next != nil { items[number]?.row.next = nil }
    }

    /// Ends the rest of a target, but not one that it has asked for.
    mutating func endRest(of target: String) { sources[target]?.endRest() }

    /// A target has answered something else than that it is not well: all may go.
    mutating func wake(_ target: String) {
        sources[target]?.notBefore = nil
        sources[target]?.endRest()
    }

    /// The target of a send rests for a random time, ever longer; returns the end of the pause.
    mutating func rest(at place: SendPlace, notBefore: Timestamp?, now: Timestamp) -> Timestamp {
        var target = sources[place.target] ?? TargetPace()
        // Tries that were under way when the rest began say nothing new.
        if target.restsUntil.map({ $0 <= now }) ?? true { target.failures += 1 }
        let end = now + pause(place.rules.retry, after: target.failures - 1)
        target.notBefore = [target.notBefore, notBefore.map { min($0, now + Self.longestRest) }].compactMap(\.self).max()
        target.rest(until: end)
        target.probed.formUnion(place.lanes)
        sources[place.target] = target
        return end
    }

    /// A random time up to min(max, base × 2^failures).
    mutating func pause(_ retry: SendRetry, after failures: Int) -> Duration {
        min(retry.max, retry.base * (1 << min(max(failures, 0), 20) as Int)) * (Double(random.next() >> 11) / Double(1 << 53))
    }

    /// What an origin has asked for holds in a new process, too.
    mutating func restAsAsked(_ item: Item, at now: Timestamp) {
        guard let moment = item.row.notBefore, moment > now, let place = item.place else { return }
        var target = sources[place.target] ?? TargetPace()
        target.notBefore = [target.notBefore, moment].compactMap(\.self).max()
        target.rest(until: moment)
        sources[place.target] = target
    }
}
