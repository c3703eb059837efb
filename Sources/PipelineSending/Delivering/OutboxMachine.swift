package import Pipeline

/// The sends of an outbox: which may go out now, and what becomes of those that went.
///
/// Pure: the caller gives the moments, keeps the rows on the disk, asks the origins, and loads keys. Of several processes only the one that
/// delivers changes rows by itself; the others do so for a person alone.
package struct OutboxMachine: Sendable {
    /// A send that is not done, or one that is `sent` whose caches do not have it yet.
    struct Item: Sendable {
        var row: SendRow
        /// Where it stands; nil if its kind is not declared, or the send cannot be understood.
        var place: SendPlace?
        /// What is done with it at the moment, by this process; nil for nothing.
        var work: Work?
        /// How often the origin had answered other sends well when the last try of this one ended.
        var wells: UInt64 = 0
        /// How often in a row the value that it needs could not be loaded.
        var failedLoads = 0
        /// How often in a row that value had only a weak tag.
        var weakTags = 0
        /// The conflicts that were taken for an earlier try that the origin was still at.
        var busyAnswers = 0
        /// The end of its quiet time, and the moment that no later send puts off.
        var quietUntil: Timestamp?
        var quietLimit: Timestamp?
        /// Indicates whether it may take the place of earlier ones, which was not looked at yet.
        var isNew = true
        /// Indicates whether it is to be given up when its try has ended.
        var isToBeDropped = false
    }

    /// What is done with a send.
    struct Work: Sendable {
        enum Kind: Sendable {
            /// The origin is asked.
            case trying
            /// The keys are loaded, for the tag of the base.
            case findingTag
            /// The keys are loaded, to see whether the origin has made the change.
            case checking
        }

        let kind: Kind
        /// Where the send stood when it began: another file may hold by its end.
        let place: SendPlace
        /// The row before it began, and when that was.
        let before: SendRow
        let began: Timestamp
        /// What another process has made of the row meanwhile; nil for nothing.
        var news: SendRow?
    }

    /// What is to be done.
    package enum Step: Sendable, Equatable {
        /// Ask the origin to make this send, once its row is on the disk.
        case ask(SendRow)
        /// Load the keys of this send, and say ``OutboxMachine/found(_:tag:at:)``.
        case findTag(SendRow)
        /// Load the keys of this send, and say ``OutboxMachine/checked(_:isThere:tag:at:)``.
        case check(SendRow)
        /// Load the keys of this send: what was seen of it is not so.
        case load(SendRow)
        /// The row has changed: it must be written, and readers may see something else. With other arguments or another payload it may stand
        /// elsewhere: ``OutboxMachine/note(_:at:now:)``.
        case changed(SendRow)
    }

    /// The longest rest that an origin may ask for.
    static let longestRest = Duration.seconds(3_600)
    /// The age of a first try from which on every try counts.
    static let patience = Duration.seconds(86_400)
    /// For so long a conflict of a repeated try may be the first one's, which the origin is still at.
    static let busyTime = Duration.seconds(60)
    /// The most conflicts in a row that are taken for that.
    static let mostBusy = 5
    /// After this time a weak entity tag may have become a strong one; so often it is waited for.
    static let weakTime = Duration.seconds(1)
    static let mostWeak = 5

    var items = OutboxItems()
    var sources: [String: TargetPace] = [:]
    /// What became of sends that are done, for those that name what they make.
    var outcomes = SendOutcomes()
    var random: RandomGenerator
    /// Names this process.
    let holder: String
    private var hasDelivered = false
    /// Indicates whether this process delivers.
    package var isDelivering = false {
        didSet {
            // A new process ends the pauses of those before.
            if isDelivering, !hasDelivered { endRests() }
            hasDelivered = hasDelivered || isDelivering
        }
    }

    /// An empty outbox of the process called `holder`.
    package init(holder: String, random: RandomGenerator) { (self.holder, self.random) = (holder, random) }

    /// The rows that it has, by number.
    package var rows: [SendRow] { items.numbers.compactMap { items[$0]?.row } }

    /// The row of a number; nil if it is done.
    package func row(_ number: Int64) -> SendRow? { items[number]?.row }

    /// The row of an id; nil if it is done.
    package func row(_ id: String) -> SendRow? { items.number(of: id).flatMap { items[$0]?.row } }

    /// Indicates whether something of it is under way in this process.
    package var isBusy: Bool { items.underWay.contains { items[$0]?.work != nil } }

    /// Indicates whether the send of an id is tried in this process, or its keys are loaded.
    func isUnderWay(_ id: String) -> Bool { items.number(of: id).map { items[$0]?.work != nil } ?? false }

    /// Notes a row that the disk has: a new one, or one that another process has changed. One that is done tells what became of it those that
    /// name what it makes.
    ///
    /// - Parameter place: where it stands; nil for one that is not declared, or cannot be understood.
    package mutating func note(_ row: SendRow, at place: SendPlace?, now: Timestamp) -> [Step] {
        let known = items[row.number]
        // What this process has done with it meanwhile is newer.
        if known?.isAhead(of: row) ?? (!row.state.isDone && outcomes.isFinal(row)) { return [] }
        if known?.work != nil {
            items[row.number]?.place = place
            if known?.row != row { items[row.number]?.work?.news = row }
            return []
        }
        // Nobody takes back that it is sent.
        if let known, known.row.state == .sent, row.state != .sent { return [.changed(known.row)] }
        return take(row, at: place, now: now)
    }

    /// A row could not be written, since another process has changed it that this one had not seen: that one's holds, unless it is sent.
    ///
    /// - Parameters:
    ///   - row: what was to be written. A try that was to begin with it does not.
    ///   - news: the row that the disk has.
    ///   - place: where that stands.
    package mutating func overruled(_ row: SendRow, by news: SendRow, at place: SendPlace?, now: Timestamp) -> [Step] {
        if let work = items[row.number]?.work {
            items[row.number]?.work = nil
            sources[work.place.target]?.underWay.remove(row.number)
        }
        if row.state == .sent, news.state != .sent { return [.changed(row)] }
        return take(news, at: place, now: now)
    }

    /// Takes over a row as the disk has it.
    private mutating func take(_ row: SendRow, at place: SendPlace?, now: Timestamp) -> [Step] {
        if row.state.isDone { outcomes.note(row) } else { outcomes.forget(row) }
        guard row.isKept else {
            items[row.number] = nil
            return []
        }
        keep(row, at: place, now: now)
        return dropIfAsked(row.number, at: now)
    }

    /// Keeps a row in the place of what is known of it.
    mutating func keep(_ row: SendRow, at place: SendPlace?, now: Timestamp) {
        var item = items[row.number] ?? Item(row: row)
        if items[row.number] == nil {
            item.wells = place.flatMap { sources[$0.target] }?.wells ?? 0
            item.beQuiet(place?.rules, now: now)
        }
        (item.row, item.place) = (row, place)
        item.clamp(at: now)
        items[row.number] = item
        restAsAsked(item, at: now)
    }

    /// Another file holds: pauses end, and each row stands where `place` says.
    package mutating func declare(at now: Timestamp, _ place: (SendRow) -> SendPlace?) -> [Step] {
        for number in items.numbers {
            guard var item = items[number] else { continue }
            item.place = place(item.row)
            item.clamp(at: now)
            items[number] = item
            restAsAsked(item, at: now)
        }
        endRests()
        return isDelivering ? tend(at: now) : []
    }

    /// Gives a row another state; says what follows.
    mutating func set(_ number: Int64, at now: Timestamp, _ change: (inout SendRow) -> Void) -> [Step] {
        guard var row = items[number]?.row else { return [] }
        let wasDone = row.state.isDone
        change(&row)
        if row.isKept { items[number]?.row = row } else { items[number] = nil }
        if row.state.isDone { outcomes.note(row) }
        return [.changed(row)] + (row.state.isDone && !wasDone ? settleNeeding(row, at: now) : [])
    }

    mutating func hold(_ number: Int64, _ reason: String, at now: Timestamp) -> [Step] {
        set(number, at: now) { $0.hold(reason) }
    }
}

extension OutboxMachine.Item {
    /// Whether this process has gone on from `row` by now: a mark that a try begins is older than its end, and fewer tries are older than more.
    /// The late answer to one of fewer tries says more than all that follow, and so does that it was given up: nothing becomes of it any more.
    fileprivate func isAhead(of row: SendRow) -> Bool {
        if row.state == .sent || row.state == .dropped || row.state == .merged { return false }
        if row.tries != self.row.tries { return row.tries < self.row.tries }
        return row.state == .sending && (self.row.state != .sending || work != nil)
    }

    /// Begins the quiet time of a new one, whatever the clock of its caller said.
    fileprivate mutating func beQuiet(_ rules: SendRules?, now: Timestamp) {
        guard let rules, rules.debounce > .zero, row.tries == 0 else { return }
        let taken = min(row.taken, now)
        quietLimit = taken + rules.maxDelay
        quietUntil = min(taken + rules.debounce, taken + rules.maxDelay)
    }

    fileprivate mutating func clamp(at now: Timestamp) { row.clamp(by: place?.rules, at: now) }
}

extension SendRow {
    /// No clock makes a pause longer, or a try younger than it is.
    mutating func clamp(by rules: SendRules?, at now: Timestamp) {
        if let longest = rules?.retry.max { next = next.map { min($0, now + longest) } }
        notBefore = notBefore.map { min($0, now + OutboxMachine.longestRest) }
        firstTry = firstTry.map { min($0, now) }
        firstUncertain = firstUncertain.map { min($0, now) }
    }

    /// Whether the machine keeps it: it is not done, or caches do not have what it changed.
    var isKept: Bool { !state.isDone || state == .sent && !isSettled }

    /// It waits, with no pause of its own.
    mutating func wait(_ reason: String? = nil) { (state, self.reason, next, notBefore) = (.waiting, reason, nil, nil) }

    /// It waits for a person.
    mutating func hold(_ reason: String) { (state, self.reason, next, notBefore) = (.held, reason, nil, nil) }

    /// It comes to its end.
    mutating func end(_ state: SendState, _ reason: String?, at now: Timestamp) {
        (self.state, self.reason, next, notBefore, ended) = (state, reason, nil, nil, now)
    }
}

/// Where a send stands among the others of its outbox.
package struct SendPlace: Sendable, Equatable {
    /// The rules of its kind.
    package let rules: SendRules
    /// The name of the source that it goes to.
    package let target: String
    /// Its lanes: it waits for each of a smaller number in one of them.
    package let lanes: Set<String>
    /// What is the same in two sends of which the later one can take the place of the earlier one: the name, the arguments, the targets.
    package let likeness: String
    /// What is the same in two sends that change the same items, of whatever kind; nil if it changes none.
    package let item: String?
    /// The temporary ids that it names.
    package internal(set) var needs: Set<String>
    /// Indicates whether its payload is a merge patch, which does not say all of the item.
    package let isPatch: Bool
    /// The format of its payload.
    package let format: PayloadFormat

    package init(
        _ rules: SendRules, to target: String, lanes: Set<String>, likeness: String, item: String? = nil, needs: Set<String> = [],
        isPatch: Bool = false, format: PayloadFormat = .json
    ) {
        (self.rules, self.target, self.lanes, self.needs) = (rules, target, lanes, needs)
        (self.likeness, self.item, self.isPatch, self.format) = (likeness, item, isPatch, format)
    }
}

/// The rules of a kind of send, as far as they decide when one goes out and what becomes of it.
package struct SendRules: Sendable, Equatable {
    package var priority = Priority.high
    package var debounce = Duration.zero
    package var maxDelay = Duration.zero
    package var replacesUntried = false
    package var retry = SendRetry()
    package var expires: Duration?
    package var repetition = SendRepetition.never
    package var idLifetime = Duration.seconds(86_400)
    package var hasCondition = false
    package var onConflict = ConflictRule.fail

    package init() {}

    /// The rules of `spec`, whose target repeats so.
    package init(_ spec: SendSpec, repeating repetition: SendRepetition) {
        (priority, debounce, replacesUntried, retry) = (spec.priority, spec.debounce, spec.replacesUntried, spec.retry)
        maxDelay = spec.maxDelay ?? spec.debounce * 10
        (expires, idLifetime, onConflict) = (spec.expires, spec.idLifetime, spec.onConflict)
        // An id that does not go out makes nothing repeatable.
        self.repetition = repetition == .byID && spec.idHeader == nil ? .never : repetition
        hasCondition = spec.condition != .none
    }
}
