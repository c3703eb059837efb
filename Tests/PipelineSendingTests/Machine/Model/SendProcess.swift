import Pipeline

@testable import PipelineSending

/// A process with an outbox: its machine, and what it has not done yet.
struct SendProcess {
    struct Load {
        let row: SendRow
        /// Indicates whether it is to show that an earlier try was made; else it is for a tag.
        let isCheck: Bool
    }

    /// How the tries at a target went, as far as the process has seen.
    struct Target {
        /// Indicates whether the last answer was none that lets all go.
        var rests = false
        /// What the origin asked for.
        var notBefore: Timestamp?
    }

    let holder: String
    /// How far its time line is ahead of the true time.
    let ahead: Duration
    var machine: OutboxMachine
    var file: SendFile
    /// Since when it is stopped; nil if it runs.
    var stopped: Timestamp?
    var isStopped: Bool { stopped != nil }
    /// What it has read of the disk, and not taken in yet.
    var snapshot: (rows: [SimulatedDisk.Row], mark: Int64)?
    /// The last transaction that it has seen, and for each row the one with which it knows it.
    var mark: Int64 = 0
    var known: [Int64: Int64] = [:]
    var pending: [Int64: SendRow] = [:]
    /// The tries that begin when their rows are written.
    var asks: Set<Int64> = []
    var loads: [Load] = []
    /// What each row was when it was placed.
    var understood: [Int64: SendRow] = [:]
    var targets: [String: Target] = [:]
    var newsNext: Timestamp?
    var leaseNext: Timestamp?
    var wake: Timestamp?
    /// Since when rows are seen that another process tries.
    var seen: [Int64: Timestamp] = [:]

    init(_ holder: String, ahead: Duration, file: SendFile, seed: UInt64) {
        (self.holder, self.ahead, self.file) = (holder, ahead, file)
        machine = OutboxMachine(holder: holder, random: .seeded(seed))
    }

    mutating func change(_ moment: Timestamp, _ body: (inout OutboxMachine, Timestamp) -> [OutboxMachine.Step]) -> [OutboxMachine.Step] {
        body(&machine, moment)
    }

    mutating func look(_ disk: SimulatedDisk) {
        if !isStopped, snapshot == nil { snapshot = (disk.news(since: mark), disk.change) }
    }

    mutating func stop(at now: Timestamp) { stopped = stopped ?? now }

    /// A row that it did not know was changed as the disk has it.
    mutating func begin(with row: SimulatedDisk.Row?) {
        if let row, known[row.row.number] == nil { known[row.row.number] = row.change }
    }

    /// A row is not to be written any more.
    mutating func drop(_ number: Int64) {
        pending[number] = nil
        asks.remove(number)
    }

    /// No rest of `target` holds any more, but what its origin asked for.
    mutating func endRests(_ isMeant: (String) -> Bool = { _ in true }) {
        for name in targets.keys where isMeant(name) { targets[name]?.rests = false }
    }
}

/// A request on its way to an origin.
struct SendRequest {
    enum Phase: Equatable {
        case queued, flying
        /// Nothing of it is on its way any more.
        case lost
        case answered(SendAnswer, MadeItem)
    }

    /// The process that waits for the answer; nil when it has ended, or gave up.
    var holder: String?
    let row: SendRow
    /// What its process knew of kinds.
    let file: SendFile
    let rules: SendRules
    let began: Timestamp
    var phase = Phase.queued

    var isQueued: Bool { phase == .queued }

    /// What its process is told; nil for nothing yet.
    var answer: TryResult? {
        if case .answered(let answer, let made) = phase { .answered(answer, made: made) } else { nil }
    }
}
