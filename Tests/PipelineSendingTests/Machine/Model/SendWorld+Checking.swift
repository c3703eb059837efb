import Pipeline

@testable import PipelineSending

// What must hold.
extension SendWorld {
    /// At each moment.
    mutating func check() {
        for slot in processes.indices {
            guard let process = processes[slot] else { continue }
            let moment = time(slot)
            for row in process.machine.rows where row.state == .waiting {
                guard let rules = process.file.place(of: row, features)?.rules else { continue }
                if let next = row.next, next > moment + rules.retry.max { fail("\(row.number) waits for longer than max") }
                if let notBefore = row.notBefore, notBefore > moment + .seconds(3_600) {
                    fail("\(row.number) waits for longer than an hour")
                }
            }
        }
    }

    /// When a try begins.
    mutating func checkAsk(_ row: SendRow, _ slot: Int) {
        if row.kind == .post, witness.mayBeMade(row.number) { fail("\(row.number) is asked again, though it may be made") }
        for other in disk.rows.values.map(\.row)
        where other.number != row.number && other.state == .sending && !other.lanes.isDisjoint(with: row.lanes) {
            // The lanes of a kind that the file does not have cannot be known.
            if place(of: other, slot) != nil { fail("\(row.number) is under way together with \(other.number)") }
        }
        for temporary in TemporaryID.all(in: row.arguments, row.payload) where disk.row(String(temporary.dropFirst())) != nil {
            fail("\(row.number) is asked with \(temporary)")
        }
        if let age = row.kind?.rules(features).expires, !witness.retriedNumbers.contains(row.number), row.taken + age <= time(slot) {
            fail("\(row.number) is asked though it has expired")
        }
    }

    /// When tries are to begin.
    mutating func checkProbes(_ steps: [OutboxMachine.Step], _ slot: Int) {
        guard let process = processes[slot] else { return }
        for case .ask(let row) in steps {
            guard let notBefore = process.targets[row.kind?.target ?? ""]?.notBefore, notBefore > time(slot) else { continue }
            fail("\(row.number) is asked before its origin wants that")
        }
        for (name, target) in process.targets where target.rests {
            let begun = steps.count { if case .ask(let row) = $0 { row.kind?.target == name } else { false } }
            let before = process.asks.count { disk.rows[$0]?.row.kind?.target == name }
            let under = requests.count { $0.holder == process.holder && $0.row.kind?.target == name }
            if begun > 1 || begun == 1 && before + under > 0 { fail("\(name) rests, and is asked \(begun) times beside \(before + under)") }
        }
    }

    /// When an origin makes a change for the first time.
    mutating func checkOrder(_ row: SendRow, _ file: SendFile) {
        for other in disk.rows.values.map(\.row) where other.number < row.number && !other.lanes.isDisjoint(with: row.lanes) {
            guard let kind = other.kind, file.kinds.contains(kind) else { continue }
            if origin.made[other.number] == nil, !witness.free.contains(other.number) {
                fail("\(row.number) is made before \(other.number)")
            }
        }
    }

    /// When an origin has made a change.
    mutating func checkMade(_ request: SendRequest) {
        let (number, count) = (request.row.number, origin.made[request.row.number] ?? 0)
        if request.rules.repetition == .always || witness.retriedNumbers.contains(number) { return }
        if count > 1 { fail("\(number) is made \(count) times") }
    }
}

extension SendWorld {
    /// The network is well, everything goes on, and there is enough time.
    mutating func rest() {
        for slot in processes.indices {
            if processes[slot] == nil { start(slot, .whole) }
            goOn(slot)
            declare(slot, .whole)
        }
        for _ in 0..<3_000 {
            if problem != nil { return }
            let before = (disk.change, requests.count, processes.map { $0?.loads.count ?? 0 })
            work()
            check()
            if before == (disk.change, requests.count, processes.map { $0?.loads.count ?? 0 }) {
                guard let next = nextWake else { return checkEnd() }
                pass(next)
            }
        }
        fail("it never rests")
    }

    private mutating func work() {
        for slot in processes.indices {
            tick(slot)
            write(slot)
            while processes[slot]?.loads.isEmpty == false { land(slot, 0, isGood: true) }
            settle(slot, 0)
            write(slot)
        }
        for _ in requests.indices { exchange(.go(0)) }
        for _ in requests.indices { exchange(.arrive(0, .work)) }
        for _ in requests.indices { exchange(.answer(0)) }
    }

    /// The time until something may happen by itself; nil if nothing will.
    private var nextWake: Duration? {
        let isDelivered = processes.contains { $0?.machine.isDelivering ?? false }
        if !isDelivered { return .seconds(2) }
        let tried = disk.rows.values.contains { $0.row.state == .sending }
        if tried { return .seconds(2) }
        let busy = processes.contains { $0?.pending.isEmpty == false }
        if busy { return .milliseconds(200) }
        // Each process must have seen what the other one has done.
        if processes.contains(where: { $0?.mark != disk.change }) { return .milliseconds(500) }
        let wakes = processes.indices.compactMap { slot in processes[slot]?.wake.map { $0.duration(since: time(slot)) } }
        return wakes.min()
    }

    /// Nothing moves any more.
    private mutating func checkEnd() {
        for row in disk.numbers.compactMap({ disk.rows[$0]?.row }) {
            if row.state != .sent, witness.isKnownMade(row.number) { fail("\(row.number) is \(row.state), though it is known to be made") }
            switch row.state {
            case .sent: if origin.made[row.number] == nil { fail("\(row.number) is sent, and was not made") }
            case .waiting, .sending: if !isExplained(row) { fail("\(row.number) is left: \(row.state), \(row.reason ?? "no reason")") }
            case .held: if row.reason?.hasPrefix("uncertain") != true { fail("\(row.number) is held: \(row.reason ?? "no reason")") }
            case .failed, .dropped, .merged: break
            }
        }
    }

    /// Whether a send waits for one that is held.
    private func isExplained(_ row: SendRow) -> Bool {
        let needs = TemporaryID.all(in: row.arguments, row.payload)
        let others = disk.rows.values.map(\.row).filter { $0.number < row.number && !$0.state.isDone }
        return others.contains { needs.contains($0.temporaryID) && ($0.state == .held || isExplained($0)) }
            || others.contains { !$0.lanes.isDisjoint(with: row.lanes) && $0.state == .waiting && isExplained($0) }
    }
}
