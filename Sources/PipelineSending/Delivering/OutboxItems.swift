import Pipeline

/// The sends of a machine, and the ways in which they are found: each change of one keeps them right.
struct OutboxItems: Sendable {
    private var items: [Int64: OutboxMachine.Item] = [:]
    private var ids: [String: Int64] = [:]
    /// For each lane the sends that hold it, by number, and how many are under way in it.
    private var lanes: [String: [Int64]] = [:]
    private var busy: [String: Int] = [:]
    /// Those that a later one may take the place of, or put off.
    private var untried: [String: Set<Int64>] = [:]
    /// All of them, ascending.
    private(set) var numbers: [Int64] = []
    /// Those that are tried, here or by another process, and those whose keys are loaded.
    private(set) var underWay: Set<Int64> = []
    /// Those that name what others make.
    private(set) var needing: Set<Int64> = []
    /// Those that have a condition.
    private(set) var conditional: Set<Int64> = []
    /// Those that have not been looked at yet.
    private(set) var newcomers: Set<Int64> = []
    /// No send must be judged before; nil if none ever must.
    private(set) var judgement: Timestamp?

    subscript(_ number: Int64) -> OutboxMachine.Item? {
        get { items[number] }
        set {
            let old = items[number]
            if old == nil, newValue == nil { return }
            reindex(number, old, newValue)
            items[number] = newValue
        }
    }

    /// The number of an id; nil if it is done.
    func number(of id: String) -> Int64? { ids[id] }

    /// Those that wait and are the first in each of their lanes, ascending. One that was put back at a smaller number waits for those that are
    /// under way, too.
    var firsts: [Int64] {
        var count: [Int64: Int] = [:]
        for (lane, queue) in lanes where busy[lane] == nil {
            if let first = queue.first { count[first, default: 0] += 1 }
        }
        return count.filter { items[$0.key]?.place?.lanes.count == $0.value }.keys.sorted()
    }

    /// Those before `number` that it is like, and that were never tried, ascending.
    func untried(like place: SendPlace, before number: Int64) -> [Int64] {
        (untried[place.likeness] ?? []).filter { $0 < number }.sorted()
    }

    /// Whether a send stands between two in one of these lanes.
    func hasOther(in lanes: Set<String>, between one: Int64, and other: Int64) -> Bool {
        lanes.contains { lane in self.lanes[lane]?.contains { one < $0 && $0 < other } ?? false }
    }

    /// All are judged.
    mutating func endJudging() { judgement = items.values.compactMap(\.judgement).min() }
}

extension OutboxItems {
    private mutating func reindex(_ number: Int64, _ old: OutboxMachine.Item?, _ new: OutboxMachine.Item?) {
        if old == nil { insert(number) } else if new == nil { numbers.removeAll { $0 == number } }
        if old?.row.id != new?.row.id {
            if let id = old?.row.id { ids[id] = nil }
            if let id = new?.row.id { ids[id] = number }
        }
        move(number, from: old?.heldLanes ?? [], to: new?.heldLanes ?? [])
        count(from: old?.busyLanes ?? [], to: new?.busyLanes ?? [])
        move(number, from: old?.joinable, to: new?.joinable)
        underWay.set(number, new?.isUnderWay ?? false)
        needing.set(number, new?.place?.needs.isEmpty == false)
        conditional.set(number, new?.place?.rules.hasCondition ?? false)
        newcomers.set(number, new?.isNew ?? false)
        if let moment = new?.judgement { judgement = judgement.map { min($0, moment) } ?? moment }
    }

    private mutating func insert(_ number: Int64) {
        if let last = numbers.last, last > number {
            numbers.insert(number, at: numbers.firstIndex { $0 > number } ?? numbers.endIndex)
        } else {
            numbers.append(number)
        }
    }

    private mutating func move(_ number: Int64, from old: Set<String>, to new: Set<String>) {
        if old == new { return }
        for lane in old.subtracting(new) {
            lanes[lane]?.removeAll { $0 == number }
            if lanes[lane]?.isEmpty ?? false { lanes[lane] = nil }
        }
        for lane in new.subtracting(old) {
            let queue = lanes[lane] ?? []
            lanes[lane, default: []].insert(
                number, at: queue.last.map { $0 < number } ?? true ? queue.endIndex : queue.firstIndex { $0 > number } ?? 0)
        }
    }

    private mutating func count(from old: Set<String>, to new: Set<String>) {
        if old == new { return }
        for lane in old { busy[lane] = busy[lane].flatMap { $0 > 1 ? $0 - 1 : nil } }
        for lane in new { busy[lane, default: 0] += 1 }
    }

    private mutating func move(_ number: Int64, from old: String?, to new: String?) {
        if old == new { return }
        if let old {
            untried[old]?.remove(number)
            if untried[old]?.isEmpty ?? false { untried[old] = nil }
        }
        if let new { untried[new, default: []].insert(number) }
    }
}

extension OutboxMachine.Item {
    /// The lanes that it holds.
    fileprivate var heldLanes: Set<String> { row.state.holdsLanes ? place?.lanes ?? [] : [] }

    fileprivate var isUnderWay: Bool { row.state == .sending || work != nil }

    /// The lanes in which it is under way.
    fileprivate var busyLanes: Set<String> { isUnderWay ? (work?.place ?? place)?.lanes ?? [] : [] }

    /// What later ones are like that may take its place, or put it off; nil if none may.
    fileprivate var joinable: String? {
        guard isIdle, row.tries == 0, let place, place.rules.debounce > .zero || place.rules.replacesUntried else { return nil }
        return place.likeness
    }
}

extension Set<Int64> {
    fileprivate mutating func set(_ number: Int64, _ isMember: Bool) {
        if isMember { insert(number) } else { remove(number) }
    }
}
