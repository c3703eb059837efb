import Pipeline
internal import PipelineJSON

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
        guard let rules = item.place?.rules else { return hold(number, SendRow.undeclared, at: now) }
        if let age = rules.expires, let end = item.expiry, now >= end {
            return set(number, at: now) { $0.end(.failed, SendRow.expired + "it was not sent within \(age.spelling)", at: now) }
        }
        return hold(number, SendRow.forgottenID + " of its first try", at: now)
    }

    /// Puts the ids of what was made in the place of the temporary ones that a send names; fails it if there are none.
    mutating func fillIDs(of number: Int64, at now: Timestamp) -> [Step] {
        guard let item = items[number], item.work == nil, !item.row.state.isDone, item.row.state != .sending else { return [] }
        guard let place = item.place else { return [] }
        var steps: [Step] = []
        for temporary in place.needs.sorted() {
            switch outcomes.outcome(of: temporary, before: number) {
            case .made(let id)?:
                items[number]?.place?.needs.remove(temporary)
                steps = set(number, at: now) { $0.replace(temporary, by: id, in: place.format) }
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
        let isUndeclared = row.state == .held && row.reason == SendRow.undeclared
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

/// What became of sends that are done, for those that name what they make by its temporary id.
struct SendOutcomes: Sendable {
    enum Outcome: Sendable {
        /// The origin's id, as JSON text.
        case made(String)
        /// The reason why there is none, behind `needs ~…`.
        case missing(String)
    }

    /// The most that are known; the database knows more of them.
    private static let most = 2_000

    private var known: [String: (number: Int64, state: SendState, outcome: Outcome)] = [:]
    /// The temporary ids, in the order in which they were noted.
    private var order: [String] = []

    /// The outcome of the send that makes `temporary`, if it came before `number`.
    func outcome(of temporary: String, before number: Int64) -> Outcome? {
        known[temporary].flatMap { $0.number < number ? $0.outcome : nil }
    }

    /// Whether a send came to an end from which nobody brings it back.
    func isFinal(_ row: SendRow) -> Bool { known[row.temporaryID].map { $0.number == row.number && $0.state != .failed } ?? false }

    /// Notes one that is done.
    mutating func note(_ row: SendRow) {
        guard known.updateValue((row.number, row.state, Outcome(row)), forKey: row.temporaryID) == nil else { return }
        order.append(row.temporaryID)
        guard order.count > 2 * Self.most else { return }
        for temporary in order.prefix(Self.most) { known[temporary] = nil }
        order.removeFirst(Self.most)
    }

    /// Notes that one is not done, or not any more.
    mutating func forget(_ row: SendRow) {
        guard known.removeValue(forKey: row.temporaryID) != nil else { return }
        order.removeAll { $0 == row.temporaryID }
    }
}

extension SendOutcomes.Outcome {
    fileprivate init(_ row: SendRow) {
        switch row.state {
        case .sent: self = row.madeID.map { .made($0) } ?? .missing("and the origin did not say what its id is")
        case .dropped, .merged: self = .missing("which was \(row.state.rawValue)")
        case .failed, .waiting, .sending, .held: self = .missing("which failed")
        }
    }
}

/// Two merge patches (RFC 7396) as one.
enum JoinedPatch {
    /// The patch that does what `first` and then `second` do, on every value; nil if there is none.
    static func of(_ first: [UInt8], _ second: [UInt8]) -> [UInt8]? {
        if first == second { return second }
        return joined(first, 0..<first.count, second, 0..<second.count).map { Array($0.text.utf8) }
    }

    private static func joined(_ first: [UInt8], _ range: Range<Int>, _ second: [UInt8], _ later: Range<Int>) -> JSONText? {
        guard let changes = members(of: second, at: later) else { return .raw(Array(second[later])) }
        // What is an object after the first patch alone cannot be told from one that was there before.
        guard let members = members(of: first, at: range) else { return nil }
        var result: [(String, JSONText)] = []
        for member in members {
            guard let change = changes.first(where: { $0.name == member.name }) else {
                result.append((member.name, .raw(Array(first[member.value]))))
                continue
            }
            guard let text = joined(first, member.value, second, change.value) else { return nil }
            result.append((member.name, text))
        }
        for change in changes where !members.contains(where: { $0.name == change.name }) {
            result.append((change.name, .raw(Array(second[change.value]))))
        }
        return .object(result)
    }

    /// The members of an object, of each name the last one; nil for another value.
    private static func members(of text: [UInt8], at range: Range<Int>) -> [(name: String, value: Range<Int>)]? {
        guard let parts = JSONScanner.parts(of: text, at: range), parts.isObject else { return nil }
        var members: [(name: String, value: Range<Int>)] = []
        for part in parts.parts {
            guard let quoted = part.name else { return nil }
            let name = JSONScalar.string(text, at: quoted)
            members.removeAll { $0.name == name }
            members.append((name, part.value))
        }
        return members
    }
}
