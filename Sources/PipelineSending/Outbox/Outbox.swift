import Pipeline
import PipelineLive
import Synchronization

/// The sends of one outbox: takes them in, lays them over the values of pipelines, and delivers them.
///
/// What is on the disk is written by one task at a time, which takes along all that has come meanwhile: callers share a transaction, and so do
/// the end of one try and the beginning of the next.
final class Outbox: Sendable {
    /// What a send does, as its row is.
    struct Known: Sendable {
        let arguments: [String: String]
        let payload: [UInt8]
        let understood: DeclaredSend.Understood
        /// Tells it from what the send did before.
        let version: UInt64
    }

    /// How far the database is opened.
    enum Opening: Sendable {
        case closed
        case opening([Race<Void>])
        case open
    }

    struct State {
        var machine: OutboxMachine
        var declared: [String: DeclaredSend] = [:]
        /// What each send that the machine has does.
        var known: [Int64: Known] = [:]
        /// Counts what was understood.
        var lastVersion: UInt64 = 0
        /// The sends that change a key.
        var changing: [Key: Set<Int64>] = [:]
        var changes = Changes()
        var opening = Opening.closed
        /// What to ask the database with for changes of others.
        var mark: Int64 = 0
        var writes = Writes()
        var ticking = Ticking()
        var lease = Leasing()
        /// The tries and loads that run, by number.
        var errands: [UInt64: Task<Void, Never>] = [:]
        var lastErrand: UInt64 = 0
        var watches = Watches()
        /// The sends of which followers may see something else.
        var news: Set<String> = []
        /// Finished when nothing is under way any more.
        var idle: [Race<Void>] = []
        var isStopping = false
        /// The keys of which readers may see something else.
        var touched: Set<Key> = []
        /// The bytes of the payloads of those that have failed, by number: the machine does not have them.
        var failed: [Int64: Int] = [:]
        /// The reason why the database cannot be opened, as observers know it; nil if it can be, or was not tried.
        var problem: String?
    }

    let name: String
    /// Tells what it lays over keys from what another of its name does.
    let layerName: String
    let source: any OutboxSource
    let laid: LaidKeys
    let commons: Commons
    let directory: PipelineDirectory
    let watchers = SendWatchers()
    let state: Mutex<State>

    init(_ name: String, _ source: any OutboxSource, laying laid: LaidKeys, among commons: Commons, in directory: PipelineDirectory) {
        (self.name, self.source, self.laid, self.commons, self.directory) = (name, source, laid, commons, directory)
        layerName = "\(name) \(UniqueName.next())"
        state = Mutex(State(machine: OutboxMachine(holder: source.holder, random: commons.random)))
    }

    var clock: PipelineClock { commons.clock }

    /// Another file holds: sends are understood as it declares them.
    func declare(_ declared: [String: DeclaredSend]) {
        change { [clock] state in
            state.declared = declared
            guard case .open = state.opening else { return [] }
            let rows = state.machine.rows
            // The same row may mean something else now.
            for row in rows { state.forgetEffects(of: row.number) }
            var places: [Int64: SendPlace] = [:]
            for row in rows { places[row.number] = state.place(of: row) }
            return state.machine.declare(at: clock.now) { places[$0.number] }
        }
        tickSoon()
    }

    /// Opens the database, once. Throws the reason why it cannot be used; it is tried again then. The opening itself is not cancelled with a
    /// caller, for whom others may wait.
    func open() async throws(SendError) {
        let race = Race<Void>()
        let (isOpen, mustOpen) = state.withLock { state -> (Bool, Bool) in
            switch state.opening {
            case .open: return (true, false)
            case .closed:
                state.opening = .opening([race])
                return (false, true)
            case .opening(let waiting):
                state.opening = .opening(waiting + [race])
                return (false, false)
            }
        }
        if isOpen { return }
        if mustOpen { run { await self.load() } }
        do {
            try await race.value()
        } catch {
            throw .refused(SendRefusal(.unavailable, words(of: error)))
        }
    }

    private func load() async {
        let result = await Result { try await source.open() }
        let waiting = state.withLock { state -> [Race<Void>] in
            guard case .opening(let waiting) = state.opening else { return [] }
            state.opening = (try? result.get()) == nil ? .closed : .open
            return waiting
        }
        switch result {
        case .success(let news):
            take(news, isFirst: true)
            tickSoon()
            reportOpening(nil)
        case .failure(let error): if !(error is CancellationError) { reportOpening(words(of: error)) }
        }
        for race in waiting { race.finish(result.map { _ in }) }
    }

    /// Notes rows that the database has.
    func take(_ news: OutboxNews, isFirst: Bool = false) {
        change { [clock] state in
            state.mark = max(state.mark, news.mark)
            return news.rows.flatMap { row -> [OutboxMachine.Step] in
                if row.state == .dropped || row.state == .merged {
                    // Nothing becomes of it any more, whatever this process was about to write.
                    state.writes.pending[row.number] = nil
                    state.writes.asks.remove(row.number)
                } else if state.writes.row(row.number) != nil {
                    // What this process is about to write is newer.
                    return []
                }
                var row = row
                // Pauses end with their process; what an origin asked for does not.
                if isFirst { row.next = nil }
                // It is seen until it has become a change of the value here.
                if row.state == .sent, !isFirst, !state.changes.done.contains(row.number) { row.isSettled = false }
                state.understand(row)
                state.show(row)
                return state.machine.note(row, at: state.place(of: row), now: clock.now)
            }
        }
        // What others have sent, or this process before it ended, becomes a change of the values here.
        for row in news.rows where row.state == .sent && (!row.isSettled || !isFirst) { settleSoon(row, isOurs: isFirst && !row.isSettled) }
    }

    /// Notes what others have changed; nothing if the database does not answer.
    func readNews() async {
        let mark = state.withLock(\.mark)
        guard let news = try? await source.news(since: mark), !news.rows.isEmpty || news.mark != mark else { return }
        take(news)
    }

    /// Changes the machine, and does what follows.
    ///
    /// - Parameter tells: whether others hear in the background that readers see something else.
    func change(telling tells: Bool = true, _ body: (inout State) -> [OutboxMachine.Step]) {
        let (steps, keys, news) = state.withLock { state -> ([OutboxMachine.Step], Set<Key>, Set<String>) in
            let steps = body(&state)
            for step in steps { state.note(step) }
            defer { (state.touched, state.news) = ([], []) }
            return (steps, state.touched, state.news)
        }
        let seen = layAgain(keys)
        // What is made from their values is another now.
        if !seen.isEmpty, tells { run { await self.tell(seen) } }
        watchers.wake(news)
        perform(steps)
    }

    private func perform(_ steps: [OutboxMachine.Step]) {
        if steps.isEmpty { return }
        for step in steps {
            switch step {
            case .findTag(let row): run { await self.findTag(row) }
            case .check(let row): run { await self.check(row) }
            case .load(let row): run { await self.loadKeys(of: row) }
            case .changed(let row): report(row)
            case .ask: break
            }
        }
        writeSoon()
        tickSoon()
    }

    /// Does `work` in the background, until it has ended or everything ends.
    func run(_ work: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            state.lastErrand += 1
            let number = state.lastErrand
            // Ends with its work; cancelled when everything ends.
            state.errands[number] = Task {
                await work()
                let idle = self.state.withLock { state -> [Race<Void>] in
                    state.errands[number] = nil
                    return state.takeIdle()
                }
                for race in idle { race.finish(.success(())) }
            }
        }
    }

    /// Tells observers what became of a send.
    func report(_ row: SendRow) {
        commons.observer?(.change(SendEvent(SendStatus(row)), source: name, pipeline: row.name))
    }

    /// The words of an error, masked.
    func words(of error: any Error) -> String {
        commons.redactor.redacted((error as? SourceError)?.reason ?? (error as? SendError)?.message ?? "\(error)")
    }
}

extension Outbox.State {
    /// Where a row stands; nil if it is not declared, or does not fit.
    mutating func place(of row: SendRow) -> SendPlace? {
        guard !row.isUnreadable else { return nil }
        understand(row)
        return known[row.number]?.understood.place
    }

    /// What a send does; nothing if the machine does not have it.
    func effects(of number: Int64) -> [KeyEffect] { known[number]?.understood.effects ?? [] }

    /// A row as it is now, where the disk may have an older one.
    func present(_ row: SendRow) -> SendRow { known(row.number) ?? row }

    /// The row of a number as this process knows it; nil if only the disk has it.
    func known(_ number: Int64) -> SendRow? { writes.row(number) ?? machine.row(number) }

    /// The row of an id as this process knows it; nil if only the disk has it.
    func known(id: String) -> SendRow? {
        machine.row(id) ?? writes.row(id)
    }

    /// Notes what a row does.
    mutating func understand(_ row: SendRow) {
        if let known = known[row.number], row.isKept, known.arguments == row.arguments, known.payload == row.payload {
            for effect in known.understood.effects { touched.insert(effect.key) }
            return
        }
        forgetEffects(of: row.number)
        guard row.isKept, let understood = try? declared[row.name]?.understand(row) else { return }
        lastVersion += 1
        known[row.number] = Outbox.Known(
            arguments: row.arguments, payload: row.payload, understood: understood, version: lastVersion)
        for effect in understood.effects {
            touched.insert(effect.key)
            changing[effect.key, default: []].insert(row.number)
        }
    }

    /// Forgets what a row does.
    mutating func forgetEffects(of number: Int64) {
        for effect in known.removeValue(forKey: number)?.understood.effects ?? [] {
            touched.insert(effect.key)
            changing[effect.key]?.remove(number)
            if changing[effect.key]?.isEmpty ?? false { changing[effect.key] = nil }
        }
    }

    /// Lets those see a row who follow it, and counts it.
    mutating func show(_ row: SendRow) {
        news.insert(row.id)
        watches.note(row)
        failed[row.number] = row.state == .failed ? row.payload.count : nil
    }

    /// Notes what is to be done.
    mutating func note(_ step: OutboxMachine.Step) {
        switch step {
        case .changed(let row):
            writes.pending[row.number] = row
            if !row.isSettled || isStopping { writes.isUrgent = true }
            understand(row)
            // Where an id was put in the place of a temporary one, it stands elsewhere.
            if let known = known[row.number] { machine.items[row.number]?.place = known.understood.place }
            show(row)
        case .ask(let row): writes.asks.insert(row.number)
        case .findTag, .check, .load: break
        }
    }

    /// The layers over a key, by the numbers of the sends.
    func layers(over key: Key) -> [LaidLayer] {
        (changing[key] ?? []).sorted().flatMap { number -> [LaidLayer] in
            guard let row = machine.row(number), !row.state.isDone || row.state == .sent && changes.keys[number]?.contains(key) != true
            else {
                return []
            }
            guard let known = known[number] else { return [] }
            let send = LaidSend(row)
            let answer = row.state == .sent ? declared[row.name]?.item(in: row.answer) : nil
            return known.understood.effects.filter { $0.key == key }.compactMap { effect in
                let made = row.state == .sent ? effect.made(answer, id: row.madeID).map { Overlay.Layer.change($0) } : nil
                return (made ?? effect.layer).map { LaidLayer(send: send, layer: $0, version: known.version, isMade: made != nil) }
            }
        }
    }

    /// Those who wait until nothing is under way, if that is so.
    mutating func takeIdle() -> [Race<Void>] {
        guard isIdle else { return [] }
        defer { idle = [] }
        return idle
    }

    /// Whether nothing is under way.
    var isIdle: Bool { errands.isEmpty && writes.isEmpty && !writes.isRunning && !machine.isBusy }
}
