import Pipeline

@testable import PipelineSending

/// The origins of the model: they remember ids, and have items with versions.
struct SimulatedOrigin {
    /// How often the change of a send was made, by its number.
    private(set) var made: [Int64: Int] = [:]
    /// What was answered to an id, and when.
    private var known: [String: (answer: SendAnswer, made: MadeItem, at: Timestamp)] = [:]
    private var versions: [String: Int] = [:]
    private var writers: [String: String] = [:]

    /// The tag of an item; nil for one that is not there. Those with a number below 100 always are.
    func tag(of item: String) -> String? {
        let isThere = item.split(separator: " ").last.flatMap { Int($0) }.map { $0 < 100 } ?? false
        return (versions[item] ?? (isThere ? 0 : nil)).map { "\"\($0)\"" }
    }

    /// Whether what a send has made is there.
    func has(_ row: SendRow) -> Bool { row.kind != .add && writers[row.item] == row.id }

    /// Somebody else changes an item.
    mutating func edit(_ item: String) {
        versions[item, default: 0] += 1
        writers[item] = nil
    }

    /// Makes the change, unless it was made, or the condition does not hold.
    ///
    /// - Parameter memory: how long it remembers an id.
    mutating func work(_ row: SendRow, _ rules: SendRules, memory: Duration, at now: Timestamp) -> (SendAnswer, MadeItem) {
        if rules.repetition == .byID, let earlier = known[row.id], now < earlier.at + memory { return (earlier.answer, earlier.made) }
        if rules.hasCondition, !row.goesWithoutCondition(rules), row.tag != tag(of: row.item) {
            return (SendAnswer(status: 412), MadeItem())
        }
        made[row.number, default: 0] += 1
        // Every fifth create does not say its id; every third change does not say its tag.
        let id = row.kind == .add && !row.number.isMultiple(of: 5) ? "\(1_000 + row.number)" : nil
        let item = id.map { row.lane + " " + $0 } ?? row.item
        versions[item, default: 0] += 1
        writers[item] = row.id
        let answer = SendAnswer(status: row.kind == .add ? 201 : 200)
        let says = MadeItem(id: id, tag: row.number.isMultiple(of: 3) ? nil : tag(of: item))
        known[row.id] = (answer, says, now)
        return (answer, says)
    }
}
