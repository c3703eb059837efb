import Pipeline

@testable import PipelineSending

// Requests, on their way to an origin and back.
extension SendWorld {
    /// A try begins: its row is on the disk.
    mutating func ask(_ row: SendRow, _ slot: Int) {
        guard let process = processes[slot], let rules = process.file.place(of: row, features)?.rules else {
            return end(row.number, .unprocessed("undeclared"), slot)
        }
        checkAsk(row, slot)
        witness.asked(row.number)
        requests.append(SendRequest(holder: process.holder, row: row, file: process.file, rules: rules, began: now))
    }

    mutating func exchange(_ action: SendPlay.Action) {
        switch action {
        case .go(let number): if let index = pick(number, { $0.isQueued && isRunning($0) }) { requests[index].phase = .flying }
        case .arrive(let number, let treatment): if let index = pick(number, { $0.phase == .flying }) { arrive(index, treatment) }
        case .answer(let number):
            guard let index = pick(number, { $0.answer != nil && isRunning($0) }), let result = requests[index].answer else { return }
            end(index, result)
        case .exchange(let number, let treatment):
            guard let index = pick(number, { $0.isQueued && isRunning($0) }) else { return }
            requests[index].phase = .flying
            arrive(index, treatment)
            if let result = requests[index].answer { end(index, result) }
        case .reset(let number): if let index = pick(number, { !$0.isQueued && isRunning($0) }) { end(index, .uncertain("reset")) }
        case .unreach(let number): if let index = pick(number, { $0.isQueued && isRunning($0) }) { end(index, .unprocessed("not reached")) }
        default: break
        }
    }

    private func isRunning(_ request: SendRequest) -> Bool { slot(of: request).map { running($0) != nil } ?? false }

    private func pick(_ number: Int, _ isMeant: (SendRequest) -> Bool) -> Int? {
        requests.indices.filter { isMeant(requests[$0]) }.pick(number)
    }

    /// A request has come to its origin.
    private mutating func arrive(_ index: Int, _ treatment: SendPlay.Treatment) {
        let request = requests[index]
        var (answer, made) = (SendAnswer(status: 503), MadeItem())
        switch treatment {
        case .work, .failLate:
            let before = origin.made[request.row.number] ?? 0
            (answer, made) = origin.work(request.row, request.rules, memory: memory, at: now)
            if before == 0, origin.made[request.row.number] == 1 { checkOrder(request.row, request.file) }
            checkMade(request)
            if treatment == .failLate { (answer, made) = (SendAnswer(status: 500), MadeItem()) }
        case .failEarly: answer = SendAnswer(status: 500)
        case .refuse(let status): answer = SendAnswer(status: status)
        case .later(let seconds): answer.notBefore = slot(of: request).map { time($0) + .seconds(seconds) }
        }
        if request.holder == nil { requests.remove(at: index) } else { requests[index].phase = .answered(answer, made) }
    }

    /// How long an origin remembers an id. A little longer than it says: the request of a try needs its time.
    private var memory: Duration { features.hasJumps ? .seconds(1_000_000_000) : .seconds(86_400 + 60) }

    /// A try has ended, for the process that made it.
    mutating func end(_ index: Int, _ result: TryResult) {
        let request = requests[index]
        // What flies may still come to its origin.
        requests[index].holder = nil
        if request.phase != .flying { requests.remove(at: index) }
        guard let slot = slot(of: request) else { return }
        end(request.row.number, result, slot)
    }

    private mutating func end(_ number: Int64, _ result: TryResult, _ slot: Int) {
        let moment = time(slot)
        let steps = processes[slot]?.machine.ended(number, result, at: moment) ?? []
        witness.ended(number, result)
        if result.isAccepted, let holder = processes[slot]?.holder { witness.accepted(number, by: holder) }
        if !steps.isEmpty { noteRest(number, result, slot) }
        perform(steps, slot)
    }

    /// What the result of a try says of its target.
    private mutating func noteRest(_ number: Int64, _ result: TryResult, _ slot: Int) {
        guard let target = disk.rows[number]?.row.kind?.target else { return }
        let moment = time(slot)
        guard result.isOfRest else {
            processes[slot]?.targets[target] = nil
            return
        }
        processes[slot]?.targets[target, default: .init()].rests = true
        guard case .answered(let answer, _) = result, let asked = answer.notBefore else { return }
        let before = processes[slot]?.targets[target]?.notBefore
        processes[slot]?.targets[target]?.notBefore = [before, min(asked, moment + .seconds(3_600))].compactMap(\.self).max()
    }
}

extension TryResult {
    /// Whether the target is to rest after it.
    var isOfRest: Bool {
        switch self {
        case .unprocessed, .uncertain: true
        case .answered(let answer, _):
            [401, 407, 408, 425, 429, 503, 511].contains(answer.status)
                || answer.status >= 500 && answer.status != 501 && answer.status != 505
        }
    }

    /// Whether the origin surely has not made the change with this try.
    var isUnprocessed: Bool {
        switch self {
        case .unprocessed: true
        case .uncertain: false
        case .answered(let answer, _): !answer.isAccepted && !(answer.status >= 500 && ![501, 503, 505, 511].contains(answer.status))
        }
    }
}
