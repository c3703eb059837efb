import Pipeline
import PipelineJSON
import PipelineLive
import PipelineSending
import PipelineTesting
import Synchronization
import TestSupport
import Testing

/// An origin that sends go to.
final class ScriptedTarget: SendingSource {
    /// What it does with a send.
    enum Reply: Sendable {
        case answers(SendAnswer)
        case fails(SourceError)
        /// It waits until the gate opens, and answers then.
        case waits(Gate, SendAnswer)
    }

    private struct State {
        var next: [Reply] = []
        var usual = Reply.answers(SendAnswer(status: 200))
        var asked: [OutgoingSend] = []
        var waiting: [(count: Int, race: Race<Void>)] = []
    }

    let repetition: SendRepetition
    private let state = Mutex(State())

    init(_ repetition: SendRepetition = .byID) { self.repetition = repetition }

    /// What it was asked, in order.
    var asked: [OutgoingSend] { state.withLock(\.asked) }
    var bodies: [String] { asked.map { String(decoding: $0.payload, as: UTF8.self) } }

    /// The replies to the next sends, and after them to all others.
    func replies(_ next: [Reply] = [], then usual: Reply) { state.withLock { ($0.next, $0.usual) = (next, usual) } }

    /// Returns when so many sends have come.
    func asked(atLeast count: Int) async throws {
        let race = state.withLock { state -> Race<Void>? in
            if state.asked.count >= count { return nil }
            let race = Race<Void>()
            state.waiting.append((count, race))
            return race
        }
        try await race?.value()
    }

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? { nil }

    func send(_ send: OutgoingSend, _ context: ReadContext) async throws -> SendAnswer {
        let (reply, races) = state.withLock { state -> (Reply, [Race<Void>]) in
            state.asked.append(send)
            let count = state.asked.count
            defer { state.waiting.removeAll { $0.count <= count } }
            return (state.next.isEmpty ? state.usual : state.next.removeFirst(), state.waiting.filter { $0.count <= count }.map(\.race))
        }
        for race in races { race.finish(.success(())) }
        switch reply {
        case .answers(let answer): return answer
        case .fails(let error): throw error
        case .waits(let gate, let answer):
            try await gate.wait()
            return answer
        }
    }
}

extension SourceError {
    /// The origin is not reached.
    static var unreached: SourceError {
        var error = SourceError("no connection")
        error.isUnreached = true
        return error
    }
    /// The connection is lost when the request was on its way.
    static var reset: SourceError { SourceError("the connection was reset") }
}

/// A process with friends in memory, an origin, and sends that change the list.
final class SendScene: Sendable {
    let clock: ManualClock
    let disk: MemoryOutbox.Disk
    let origin: StubOrigin
    let target: ScriptedTarget
    let memory: StubSource
    let pipelines: Pipelines
    /// What they are made from.
    let specs: (pipelines: [PipelineSpec], sends: [SendSpec])

    init(
        disk: MemoryOutbox.Disk = MemoryOutbox.Disk(), clock: ManualClock = ManualClock(), process: String = "one",
        memory: StubSource? = nil, target: ScriptedTarget = ScriptedTarget(), bounds: OutboxBounds = OutboxBounds(),
        others: [PipelineSpec] = [], redactor: Redactor = Redactor(), friends: String = #"[{"id":1,"name":"Ann"},{"id":2,"name":"Bob"}]"#,
        observers: [PipelineEvent.Observer] = [],
        _ declare: (inout [SendSpec]) -> Void = { _ in }
    ) throws {
        (self.clock, self.disk, self.target) = (clock, disk, target)
        let memory = memory ?? StubSource(clock: clock.clock)
        self.memory = memory
        origin = StubOrigin(clock: clock.clock, answering: StubAnswer(stringLiteral: friends))
        let outbox = SourceSpec("outbox", MemoryOutbox(disk, holder: process, bounds: bounds, on: clock.clock))
        let api = SourceSpec("add", target)
        let merging = MergePolicy(id: [JSONPointer(tokens: ["id"])], insertion: .last)
        var add = SendSpec("add_friend", to: api, outbox: outbox)
        add.changes = [SendChange(of: "friends", .upsert, merging: merging)]
        add.answer = AnswerPlaces(item: .whole)
        var rename = SendSpec("rename", parameters: ["id"], to: api, outbox: outbox)
        rename.changes = [SendChange(of: "friends", .patch, merging: merging)]
        rename.changes[0].target = .parameter("id")
        var remove = SendSpec("remove", parameters: ["id"], to: api, outbox: outbox)
        remove.changes = [SendChange(of: "friends", .delete, merging: merging)]
        remove.changes[0].target = .parameter("id")
        var sends = [add, rename, remove]
        declare(&sends)
        let friends = PipelineSpec(
            "friends", tiers: [TierSpec(SourceSpec("memory", memory), ttl: .seconds(600)), TierSpec(SourceSpec("api", origin))])
        specs = ([friends] + others, sends)
        pipelines = try Pipelines(
            specs.pipelines, sends: sends, clock: clock.clock, random: .seeded(Key(pipeline: process).hash), redactor: redactor,
            observers: observers)
    }

    func friends() throws -> DataPipeline { try pipelines.pipeline(named: "friends") }

    /// The list, as a fetch has it.
    func list(_ policy: FetchPolicy = .default) async throws -> String {
        let outcome = try await friends().fetch(policy: policy)
        guard case .value(let entry) = outcome.result else { return "\(outcome.result)" }
        return String(decoding: entry.payload ?? [], as: UTF8.self)
    }

    @discardableResult
    func send(_ name: String, _ arguments: [String: String] = [:], _ payload: String = "", id: String? = nil) async throws -> SentSend {
        try await pipelines.send(name, arguments, Array(payload.utf8), id: id)
    }

    /// The send once it has the state.
    func reach(_ state: SendState, _ sent: SentSend) async throws -> SendStatus { try await reach(sent) { $0.state == state } }

    /// The send once it is as `isSo` says.
    func reach(_ sent: SentSend, _ isSo: (SendStatus) -> Bool) async throws -> SendStatus {
        var last: SendStatus?
        for await status in sent.statuses {
            if isSo(status) { return status }
            last = status
        }
        throw NotReached(last: last)
    }

    struct NotReached: Error { let last: SendStatus? }
}

extension OutboxBounds {
    /// No send has room.
    static var none: OutboxBounds {
        var bounds = OutboxBounds()
        bounds.maxEntries = 0
        return bounds
    }
}

extension ManualClock {
    /// Lets time pass in steps until the condition holds, each when what the one before has begun had many turns.
    func pass(by step: Duration = .milliseconds(500), _ condition: @Sendable () async throws -> Bool) async throws {
        var turns = 0
        try await yieldUntil {
            turns += 1
            if turns.isMultiple(of: 500) { advance(by: step) }
            return try await condition()
        }
    }
}

extension Pipelines {
    /// Delivers while time passes.
    func deliver(within limit: Duration, endingPauses ends: Bool, passing clock: ManualClock) async throws -> Int {
        let left = Mutex<Int?>(nil)
        // Ends with the delivery.
        let task = Task {
            let count = try await deliver(within: limit, endingPauses: ends)
            left.withLock { $0 = count }
        }
        try await clock.pass { left.withLock { $0 != nil } }
        try await task.value
        return left.withLock { $0 } ?? -1
    }
}
