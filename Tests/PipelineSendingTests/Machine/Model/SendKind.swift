import Pipeline

@testable import PipelineSending

/// The kinds of sends of the model.
enum SendKind: String, CaseIterable {
    /// A create whose id the origin gives, which recognises the ids of sends.
    case add
    /// A change of an item that was seen, or of one that an `add` makes, under a condition.
    case rename
    /// A whole value, again and again: the last one counts.
    case save
    /// What must not be made twice, in order with its key and with all of its kind.
    case post
    /// In no order, and soon out of date.
    case note

    var target: String { self == .save || self == .note ? "b" : "a" }

    /// The lanes of a send of this kind.
    func lanes(_ lane: String, id: String) -> Set<String> {
        switch self {
        case .add, .rename: ["key \(lane)"]
        case .save: ["profile \(lane)"]
        case .post: ["key \(lane)", "scope"]
        case .note: ["send \(id)"]
        }
    }

    func rules(_ features: SendPlay.Features) -> SendRules {
        var rules = SendRules()
        rules.retry = SendRetry(base: .seconds(1), max: .seconds(60), attempts: 3)
        switch self {
        case .add: rules.repetition = .byID
        case .rename:
            (rules.repetition, rules.hasCondition, rules.onConflict) = (features.repetition, true, features.onConflict)
        case .save:
            (rules.repetition, rules.replacesUntried) = (.always, true)
            (rules.debounce, rules.maxDelay) = (.seconds(2), .seconds(10))
        case .post: (rules.repetition, rules.priority) = (.never, .low)
        case .note: (rules.repetition, rules.expires) = (.byID, .seconds(3_600))
        }
        return rules
    }
}

/// What a file declares.
struct SendFile: Equatable {
    var kinds: Set<SendKind>
    /// The longest pause.
    var longest: Duration

    static let whole = SendFile(kinds: Set(SendKind.allCases), longest: .seconds(60))
    /// One that lacks the kinds that stand in the bits of `number`, and one with shorter pauses.
    static func numbered(_ number: Int) -> SendFile {
        switch number {
        case 0..<3: whole
        case 3: SendFile(kinds: [.add, .save, .post], longest: .seconds(60))
        case 4: SendFile(kinds: [.rename, .note, .post], longest: .seconds(60))
        default: SendFile(kinds: Set(SendKind.allCases), longest: .seconds(5))
        }
    }

    /// Where a send stands; nil if the file does not have its kind.
    func place(of row: SendRow, _ features: SendPlay.Features) -> SendPlace? {
        guard let kind = SendKind(rawValue: row.name), kinds.contains(kind) else { return nil }
        var rules = kind.rules(features)
        rules.retry.max = longest
        return SendPlace(
            rules, to: kind.target, lanes: row.lanes, likeness: [row.name, row.lane, row.arguments["id"] ?? ""].joined(separator: "\n"),
            item: row.item, needs: TemporaryID.all(in: row.arguments, row.payload))
    }
}

extension SendRow {
    var kind: SendKind? { SendKind(rawValue: name) }
    var lane: String { arguments["lane"] ?? "" }
    var lanes: Set<String> { kind?.lanes(lane, id: id) ?? [] }
    /// The item that it changes.
    var item: String { lane + " " + (kind == .add ? id : arguments["id"] ?? "") }

    /// The row with its moments later by so much: on the time line of another clock.
    func moved(by shift: Duration) -> SendRow {
        if shift == .zero { return self }
        var row = SendRow(
            number: number, id: id, name: name, arguments: arguments, payload: payload, owner: owner, tag: tag, taken: taken + shift,
            state: state)
        (row.priority, row.reason, row.tries, row.faults, row.conflicts) = (priority, reason, tries, faults, conflicts)
        (row.firstTry, row.firstUncertain) = (firstTry.map { $0 + shift }, firstUncertain.map { $0 + shift })
        (row.next, row.notBefore, row.ended) = (next.map { $0 + shift }, notBefore.map { $0 + shift }, ended.map { $0 + shift })
        (row.status, row.detail, row.answer, row.madeID, row.isSettled, row.holder) = (status, detail, answer, madeID, isSettled, holder)
        return row
    }
}
