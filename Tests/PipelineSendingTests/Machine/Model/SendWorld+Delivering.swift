import Pipeline

@testable import PipelineSending

// What a process does, as `Outbox` does it.
extension SendWorld {
    /// A send is taken in.
    mutating func take(_ slot: Int, _ kind: SendKind, _ lane: String, _ item: Int, dies: Bool) {
        guard let process = running(slot), process.file.kinds.contains(kind) else { return }
        var arguments = ["lane": lane]
        if kind == .rename || kind == .save { arguments["id"] = reference(item, lane) }
        let text = kind == .post && item < 4 ? #"{"of":"\#(reference(item, lane))"}"# : #"{"n":\#(disk.rows.count)}"#
        var row = SendRow(
            id: "s\(disk.rows.count + 1)", name: kind.rawValue, arguments: arguments, payload: Array(text.utf8), owner: "",
            taken: now + wall)
        guard fillKnown(&row, slot) else { return }
        row.tag = kind == .rename ? origin.tag(of: row.item) : nil
        disk.takeIn(row)
        if dies {
            kills[.taken, default: 0] += 1
            return kill(slot)
        }
        // Others may have taken in earlier ones of its lanes.
        processes[slot]?.snapshot = nil
        takeNews(slot)
    }

    /// An item of the origin, or one that an earlier send makes.
    private func reference(_ item: Int, _ lane: String) -> String {
        let creates = disk.numbers.compactMap { disk.rows[$0]?.row }.filter { $0.kind == .add && $0.lane == lane }.suffix(3)
        return item >= 4 ? Array(creates).pick(item)?.temporaryID ?? "\(item)" : "\(item)"
    }

    /// Puts the ids of what is made in their places; false if what the send needs will not be.
    private func fillKnown(_ row: inout SendRow, _ slot: Int) -> Bool {
        for temporary in TemporaryID.all(in: row.arguments, row.payload) {
            let id = String(temporary.dropFirst())
            if processes[slot]?.machine.row(id)?.state.isDone == false { continue }
            guard let made = disk.row(id), made.state.isDone else { continue }
            guard made.state == .sent else { return false }
            if let id = made.madeID { row.replace(temporary, by: id, in: .json) }
        }
        return true
    }

    mutating func takeNews(_ slot: Int) {
        processes[slot]?.look(disk)
        guard running(slot) != nil, let (news, mark) = processes[slot]?.snapshot else { return }
        processes[slot]?.snapshot = nil
        processes[slot]?.mark = mark
        // What this process is about to write is newer; if it is not, the disk refuses it.
        for row in news where processes[slot]?.pending[row.row.number] == nil { note(row, slot) }
    }

    private mutating func note(_ written: SimulatedDisk.Row, _ slot: Int) {
        // It has written the row itself since it has read it.
        if let known = processes[slot]?.known[written.row.number], known >= written.change { return }
        let row = written.row.moved(by: shift(slot))
        let place = place(of: row, slot)
        processes[slot]?.known[row.number] = written.change
        learn(slot, place)
        processes[slot]?.understood[row.number] = row
        change(slot) { $0.note(row, at: place, now: $1) }
    }

    /// What has become of those that a send names, where the machine does not have them.
    mutating func learn(_ slot: Int, _ place: SendPlace?) {
        for temporary in place?.needs.sorted() ?? [] {
            let id = String(temporary.dropFirst())
            guard processes[slot]?.machine.row(id) == nil, let row = disk.row(id)?.moved(by: shift(slot)), row.state.isDone else {
                continue
            }
            change(slot) { $0.note(row, at: nil, now: $1) }
        }
    }

    /// Changes the machine of a process, and does what follows.
    mutating func change(_ slot: Int, _ body: (inout OutboxMachine, Timestamp) -> [OutboxMachine.Step]) {
        let moment = time(slot)
        perform(processes[slot]?.change(moment, body) ?? [], slot)
    }

    func place(of row: SendRow, _ slot: Int) -> SendPlace? { processes[slot]?.file.place(of: row, features) }

    mutating func perform(_ steps: [OutboxMachine.Step], _ slot: Int) {
        for step in steps {
            switch step {
            case .ask(let row): processes[slot]?.asks.insert(row.number)
            case .findTag(let row): processes[slot]?.loads.append(.init(row: row, isCheck: false))
            case .check(let row): processes[slot]?.loads.append(.init(row: row, isCheck: true))
            case .load: break
            case .changed(let row): keep(row, slot)
            }
        }
    }

    private mutating func keep(_ row: SendRow, _ slot: Int) {
        processes[slot]?.pending[row.number] = row
        let before = processes[slot]?.understood.updateValue(row, forKey: row.number)
        // An id that was put in its place may mean another lane.
        guard let before, before.arguments != row.arguments || before.payload != row.payload else { return }
        guard let present = processes[slot]?.machine.row(row.number) else { return }
        let place = place(of: present, slot)
        change(slot) { $0.note(present, at: place, now: $1) }
    }

    mutating func tick(_ slot: Int) {
        guard let process = running(slot) else { return }
        if process.newsNext.map({ $0 <= now }) ?? true {
            processes[slot]?.newsNext = now + .milliseconds(500)
            takeNews(slot)
        }
        renewLease(slot)
        recover(slot)
        let moment = time(slot)
        guard let (steps, wake) = processes[slot]?.machine.advance(at: moment) else { return }
        if let wake, wake <= moment { fail("it wakes at \(wake), which is not later than \(moment)") }
        processes[slot]?.wake = wake
        checkProbes(steps, slot)
        perform(steps, slot)
    }

    private mutating func renewLease(_ slot: Int) {
        guard let process = processes[slot], process.leaseNext.map({ $0 <= now }) ?? true else { return }
        processes[slot]?.leaseNext = now + .milliseconds(1_666)
        let isOurs = disk.lease(process.holder, until: now + .seconds(5), at: now, alive: processes.compactMap { $0?.holder })
        processes[slot]?.machine.isDelivering = isOurs
    }

    private mutating func recover(_ slot: Int) {
        guard let process = processes[slot], process.machine.isDelivering else { return }
        for row in process.machine.triedElsewhere {
            let since = process.seen[row.number] ?? now
            processes[slot]?.seen[row.number] = since
            let isOver = row.holder == process.holder || now >= since + Self.longestTry || !isAlive(row.holder ?? "")
            guard isOver else { continue }
            processes[slot]?.seen[row.number] = nil
            change(slot) { $0.recover(row.number, at: $1) }
        }
    }

    /// Writes what is to be written, in one transaction. What others have written meanwhile is refused; then no try begins, and none does either of
    /// a process that has lost the lease.
    mutating func write(_ slot: Int, fails: Bool = false) {
        guard let process = running(slot), !process.pending.isEmpty else { return }
        let rows = process.pending.values.sorted { $0.number < $1.number }
        let refused = fails ? [] : rows.filter { disk.isNewer($0.number, than: process.known[$0.number] ?? 0) }
        let mayAsk = !fails && refused.isEmpty && disk.lease.map { $0.holder == process.holder && $0.end > now } ?? false
        if !fails { disk.begin() }
        var asks: [SendRow] = []
        for row in rows where !refused.contains(where: { $0.number == row.number }) {
            let isAsk = process.asks.contains(row.number) && row.state == .sending
            if isAsk, !mayAsk {
                processes[slot]?.drop(row.number)
                change(slot) { $0.unbegin(row.number, until: $1 + .milliseconds(200)) }
            } else if !fails {
                processes[slot]?.drop(row.number)
                disk.write(row.moved(by: .zero - shift(slot)))
                processes[slot]?.known[row.number] = disk.change
                witness.written(row)
                if isAsk { asks.append(row) }
            }
        }
        for row in asks { ask(row, slot) }
        for row in refused { giveWay(row, slot) }
    }

    private mutating func giveWay(_ row: SendRow, _ slot: Int) {
        processes[slot]?.drop(row.number)
        guard let written = disk.rows[row.number] else { return }
        let news = written.row.moved(by: shift(slot))
        let place = place(of: news, slot)
        processes[slot]?.known[row.number] = written.change
        learn(slot, place)
        processes[slot]?.understood[row.number] = news
        change(slot) { $0.overruled(row, by: news, at: place, now: $1) }
    }

    mutating func land(_ slot: Int, _ number: Int, isGood: Bool) {
        guard let process = running(slot), !process.loads.isEmpty else { return }
        let index = number % process.loads.count
        let load = process.loads[index]
        processes[slot]?.loads.remove(at: index)
        let (tag, isThere) = (origin.tag(of: load.row.item), isGood && origin.has(load.row))
        change(slot) { machine, moment in
            if load.isCheck { return machine.checked(load.row.number, isThere: isThere, tag: tag, at: moment) }
            return machine.found(load.row.number, tag: isGood ? .success(tag) : .failure(SourceError("down")), at: moment)
        }
    }

    /// Caches have what one that is sent changed.
    mutating func settle(_ slot: Int, _ number: Int) {
        guard let process = running(slot) else { return }
        let sent = process.machine.rows.filter { $0.state == .sent && process.pending[$0.number] == nil }
        guard let row = sent.pick(number) else { return }
        change(slot) { machine, _ in machine.settled(row.number) }
    }
}
