import Pipeline

@testable import PipelineSending

/// Two processes with one outbox, the disk, the origins, and all that is on its way.
struct SendWorld {
    /// The longest that a try waits for its answer, and the longest that another process waits for the end of one.
    static let tryLimit = Duration.seconds(30)
    static let longestTry = Duration.seconds(35)

    let features: SendPlay.Features
    /// The true time.
    var now = Timestamp(nanoseconds: 1_000_000_000_000_000_000)
    /// How far the wall clock is ahead of it.
    var wall = Duration.zero
    var disk = SimulatedDisk()
    var origin = SimulatedOrigin()
    var processes: [SendProcess?] = [nil, nil]
    var requests: [SendRequest] = []
    var started = 0
    var witness = SendWitness()
    var kills: [KillPoint: Int] = [:]

    init(_ features: SendPlay.Features) {
        self.features = features
        start(0, .whole)
    }

    var problem: String? { witness.problem }

    mutating func perform(_ step: SendPlay.Step) {
        perform(step.action)
        if step.isEager {
            for slot in processes.indices {
                tick(slot)
                write(slot)
            }
        }
        check()
    }

    private mutating func perform(_ action: SendPlay.Action) {
        switch action {
        case .take(let slot, let kind, let lane, let item, let dies): take(slot, SendKind.allCases[kind], "\(lane)", item, dies: dies)
        case .tick(let slot): tick(slot)
        case .look(let slot): processes[slot]?.look(disk)
        case .write(let slot, let fails): write(slot, fails: fails)
        case .go, .arrive, .answer, .exchange, .reset, .unreach: exchange(action)
        case .land(let slot, let number, let isGood): land(slot, number, isGood: isGood)
        case .settle(let slot, let number): settle(slot, number)
        case .kill(let slot): kill(slot)
        case .start(let slot, let file): if processes[slot] == nil { start(slot, .numbered(file)) }
        case .stop(let slot): processes[slot]?.stop(at: now)
        case .goOn(let slot): goOn(slot)
        case .declare(let slot, let file): declare(slot, .numbered(file))
        case .retry(let slot, let number): retry(slot, number)
        case .drop(let slot, let number): drop(slot, number)
        case .flush(let slot): flush(slot)
        case .edit(let lane, let item): origin.edit("\(lane) \(item)")
        case .pass(let time): pass(time)
        case .jump(let time): if features.hasJumps { wall += time }
        }
    }

    /// A stopped process goes on. A try that it was about to begin an hour ago is one of a system that slept.
    mutating func goOn(_ slot: Int) {
        guard let since = processes[slot]?.stopped else { return }
        processes[slot]?.stopped = nil
        if since + .seconds(3_600) < now { write(slot, fails: true) }
        pass(.zero)
    }

    /// Time passes; what waits for too long for its answer gives up.
    mutating func pass(_ time: Duration) {
        // No write takes so long.
        if time > Self.tryLimit { for slot in processes.indices { write(slot) } }
        now = now + time
        for (index, request) in requests.enumerated().reversed() where request.began + Self.tryLimit <= now {
            if request.isQueued || request.phase == .flying { requests[index].phase = .lost }
            if let slot = slot(of: request), processes[slot]?.isStopped == true { continue }
            // An answer that came while its process was stopped may be read before the time is noticed.
            let late = request.row.number.isMultiple(of: 2) ? request.answer : nil
            end(index, late ?? .uncertain("timeout"))
        }
    }

    func slot(of request: SendRequest) -> Int? { processes.firstIndex { $0 != nil && $0?.holder == request.holder } }

    /// The process if it runs.
    func running(_ slot: Int) -> SendProcess? { processes[slot].flatMap { $0.isStopped ? nil : $0 } }

    /// The present on the time line of a process.
    func time(_ slot: Int) -> Timestamp { now + (processes[slot]?.ahead ?? .zero) }

    /// What is to be added to a moment of the disk for a process.
    func shift(_ slot: Int) -> Duration { (processes[slot]?.ahead ?? .zero) - wall }

    func isAlive(_ holder: String) -> Bool { processes.contains { $0?.holder == holder } }

    mutating func fail(_ problem: String) { witness.fail(problem) }
}

extension SendWorld {
    mutating func start(_ slot: Int, _ file: SendFile) {
        started += 1
        processes[slot] = SendProcess("process \(started)", ahead: wall, file: file, seed: UInt64(started))
        takeNews(slot)
    }

    mutating func kill(_ slot: Int) {
        guard let process = processes[slot] else { return }
        noteKill(of: process)
        witness.killed(process.holder)
        processes[slot] = nil
        for index in requests.indices.reversed() where requests[index].holder == process.holder {
            requests[index].holder = nil
            // What has not gone out never will; an answer finds nobody.
            if requests[index].phase != .flying { requests.remove(at: index) }
        }
    }

    /// Counts the points at which the process has died.
    private mutating func noteKill(of process: SendProcess) {
        for request in requests where request.holder == process.holder {
            switch request.phase {
            case .queued: kills[.marked, default: 0] += 1
            case .flying, .lost: kills[.asked, default: 0] += 1
            case .answered(let answer, _): kills[answer.isAccepted ? .made : .asked, default: 0] += 1
            }
        }
        for row in process.pending.values where row.tries > 0 && row.state != .sending && !row.isSettled {
            kills[.answered, default: 0] += 1
        }
        for row in process.machine.rows where row.state == .sent && process.pending[row.number] == nil { kills[.noted, default: 0] += 1 }
    }

    mutating func declare(_ slot: Int, _ file: SendFile) {
        guard running(slot) != nil else { return }
        processes[slot]?.file = file
        processes[slot]?.endRests()
        change(slot) { [features] machine, moment in machine.declare(at: moment) { file.place(of: $0, features) } }
    }

    mutating func flush(_ slot: Int) {
        guard running(slot) != nil else { return }
        processes[slot]?.machine.endPauses()
        processes[slot]?.endRests()
    }

    /// A person puts one that is held or has failed back.
    mutating func retry(_ slot: Int, _ number: Int) {
        guard let process = running(slot) else { return }
        let rows = disk.numbers.compactMap { disk.rows[$0]?.row }.filter { $0.state == .held || $0.state == .failed }
        guard let chosen = rows.pick(number) else { return }
        let row = present(chosen, process, slot)
        let place = process.file.place(of: row, features)
        // What it needs was perhaps made meanwhile.
        learn(slot, place)
        if let place {
            processes[slot]?.machine.endRest(of: place.target)
            processes[slot]?.endRests { $0 == place.target }
        }
        var isRetried = false
        change(slot) { machine, moment in
            guard let steps = try? machine.retry(row, at: place, now: moment) else { return [] }
            isRetried = true
            return steps
        }
        guard isRetried else { return }
        processes[slot]?.begin(with: disk.rows[row.number])
        witness.retried(row.number)
    }

    /// A row as the process has it, else as the disk has it.
    private func present(_ row: SendRow, _ process: SendProcess, _ slot: Int) -> SendRow {
        process.pending[row.number] ?? process.machine.row(row.number) ?? row.moved(by: shift(slot))
    }

    /// A person gives one up.
    mutating func drop(_ slot: Int, _ number: Int) {
        guard let process = running(slot) else { return }
        let rows = disk.numbers.compactMap { disk.rows[$0]?.row }.filter { !$0.state.isDone || $0.state == .failed }
        guard let chosen = rows.pick(number) else { return }
        let row = present(chosen, process, slot)
        change(slot) { machine, moment in (try? machine.drop(row, at: moment)).flatMap(\.self) ?? [] }
        if processes[slot]?.pending[row.number] != nil { processes[slot]?.begin(with: disk.rows[row.number]) }
    }
}

extension Array {
    /// The element at `number`, which counts on from the beginning after the last one.
    func pick(_ number: Int) -> Element? { isEmpty ? nil : self[number % count] }
}
