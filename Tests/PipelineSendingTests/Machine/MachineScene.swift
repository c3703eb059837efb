import Pipeline

@testable import PipelineSending

/// An outbox machine at one moment, and what it says in words.
struct MachineScene {
    var machine: OutboxMachine
    var now = Timestamp(nanoseconds: 1_800_000_000_000_000_000)
    /// When the machine wants to be asked again, since now.
    private(set) var wake: Duration?
    /// Where sends stand that are not noted anew.
    private(set) var places: [Int64: SendPlace] = [:]

    /// A process that delivers.
    ///
    /// - Parameter draw: what each random number is, from 0 up to 1.
    init(_ holder: String = "here", drawing draw: Double = 0.5, isDelivering: Bool = true) {
        machine = OutboxMachine(holder: holder, random: RandomGenerator { UInt64(draw * Double(1 << 53)) << 11 })
        machine.isDelivering = isDelivering
    }

    /// A send is taken in: it changes the item `item` of the lane's list.
    @discardableResult mutating func take(
        _ number: Int64, _ name: String = "edit", in lanes: Set<String> = ["a"], of item: String? = nil, to target: String = "origin",
        by rules: SendRules = .plain, arguments: [String: String] = [:], saying payload: String = "", tag: String? = nil,
        priority: Priority? = nil,
        isPatch: Bool = false
    ) -> [String] {
        var row = SendRow(
            number: number, id: "s\(number)", name: name, arguments: arguments, payload: Array(payload.utf8), owner: "", tag: tag,
            taken: now)
        row.priority = priority
        let place = SendPlace(
            rules, to: target, lanes: lanes, likeness: name + " " + (item ?? ""), item: item,
            needs: TemporaryID.all(in: arguments, row.payload),
            isPatch: isPatch)
        return note(row, at: place)
    }

    /// A row comes from the disk.
    @discardableResult mutating func note(_ row: SendRow, at place: SendPlace?) -> [String] {
        places[row.number] = place
        return machine.note(row, at: place, now: now).words
    }

    /// What goes on now.
    @discardableResult mutating func advance() -> [String] {
        let (steps, wake) = machine.advance(at: now)
        self.wake = wake?.duration(since: now)
        return steps.words
    }

    /// The numbers of the sends that are asked now.
    mutating func asked() -> [Int64] {
        let (steps, wake) = machine.advance(at: now)
        self.wake = wake?.duration(since: now)
        return steps.compactMap { if case .ask(let row) = $0 { row.number } else { nil } }
    }

    mutating func pass(_ time: Duration) { now = now + time }

    @discardableResult mutating func end(_ number: Int64, _ result: TryResult) -> [String] { machine.ended(number, result, at: now).words }

    /// The origin answers.
    @discardableResult mutating func answer(
        _ number: Int64, _ status: Int, isAccepted: Bool? = nil, notBefore: Duration? = nil, id: String? = nil, tag: String? = nil,
        detail: String? = nil
    ) -> [String] {
        let answer = SendAnswer(status: status, isAccepted: isAccepted, notBefore: notBefore.map { now + $0 })
        return end(number, .answered(answer, made: MadeItem(id: id, tag: tag, detail: detail)))
    }

    func row(_ number: Int64) -> SendRow? { machine.row(number) }

    /// The state of a send, as it is in the machine: nil if it is done.
    func state(_ number: Int64) -> SendState? { row(number)?.state }

    /// The pause of a send.
    func pause(_ number: Int64) -> Duration? { row(number)?.next.map { $0.duration(since: now) } }

    func place(_ number: Int64) -> SendPlace? { places[number] }

    /// Another process, that has the rows of this one from the disk.
    func nextProcess(_ holder: String = "next", isDelivering: Bool = true, later time: Duration = .zero) -> MachineScene {
        var next = MachineScene(holder, isDelivering: isDelivering)
        next.now = now + time
        for row in machine.rows { next.note(row, at: places[row.number]) }
        return next
    }
}

extension SendRules {
    /// A write that may be repeated.
    static var plain: SendRules { rules { $0.repetition = .always } }

    /// One that only its id makes repeatable.
    static var byID: SendRules { rules { _ in } }

    static func rules(_ change: (inout SendRules) -> Void) -> SendRules {
        var rules = SendRules()
        rules.repetition = .byID
        change(&rules)
        return rules
    }
}

extension [OutboxMachine.Step] {
    /// The steps as `ask 1`, `1 failed: status 403`.
    var words: [String] {
        map { step in
            switch step {
            case .ask(let row): "ask \(row.number)"
            case .findTag(let row): "find the tag of \(row.number)"
            case .check(let row): "check \(row.number)"
            case .load(let row): "load \(row.number)"
            case .changed(let row): "\(row.number) \(row.state)" + (row.reason.map { ": " + $0 } ?? "")
            }
        }
    }
}
