import Pipeline
import PipelineConfig
import PipelineSending
import Testing

@testable import PipelineScenarios

/// Each rule for sends on what an engine would do that breaks it, and on what comes close.
struct SendInvariantTests {
    private static func run(_ steps: [RandomStep], _ events: [ScenarioEvent]) throws -> ExploredRun {
        let plan = try #require(Tested.suite("sends.test.yaml").report?.plan)
        let outcome = ScenarioOutcome(
            file: "", config: "", name: "", range: .beginning, order: nil, pipeline: "friends", seed: 1, tags: [], failure: nil,
            events: events, checks: [], elapsed: .zero, virtual: .zero, digest: 0)
        return ExploredRun(
            steps: steps, pipeline: try plan.pipeline("friends"), outcome: outcome,
            sends: plan.sends.filter { $0.changedPipelines.contains("friends") }.kinds)
    }

    /// A send of the item `number`, known as `id`.
    private static func send(_ name: String, _ id: String, _ number: Int, user: String = "42") -> RandomStep {
        .send(RandomStep.Send(name: name, id: id, arguments: ["user": user], payload: #"{"n":\#(number)}"#, number: number))
    }

    private static func mark(_ name: String, _ id: String, _ number: Int64, _ state: SendState) -> ScenarioEvent.SendMark {
        ScenarioEvent.SendMark(id: id, send: name, number: number, state: state, reason: nil, tries: 0)
    }

    private static func taken(_ name: String, _ id: String, _ number: Int64, step: Int) -> ScenarioEvent {
        let sending = ScenarioEvent.Sending.step(taken: mark(name, id, number, .waiting), end: .waiting)
        return ScenarioEvent(kind: .send, time: .zero, step: step, key: "", sending: sending)
    }

    private static func state(_ name: String, _ id: String, _ number: Int64, _ state: SendState, step: Int) -> ScenarioEvent {
        ScenarioEvent(kind: .sending, time: .zero, step: step, key: "", sending: .state(mark(name, id, number, state)))
    }

    private static func request(_ name: String, _ id: String, to source: String, step: Int, mayBeMade: Bool = true) -> ScenarioEvent {
        let request = SentRequest(source: source, id: id, send: name, payload: [], mayBeMade: mayBeMade)
        return ScenarioEvent(kind: .request, time: .zero, step: step, key: "", sending: .request(request))
    }

    private static func fetch(_ payload: String, over base: String, _ sends: [(String, String, Int64)] = [], step: Int) -> ScenarioEvent {
        var event = ScenarioEvent(kind: .fetch, time: .zero, step: step, key: "friends,user=42")
        (event.payload, event.base) = (Array(payload.utf8), Array(base.utf8))
        event.sends = sends.map { name, id, number in
            LaidSend(
                SendRow(number: number, id: id, name: name, arguments: [:], payload: [], owner: "", taken: Timestamp(nanoseconds: 0)))
        }
        return event
    }

    @Test func `what may not be asked twice is not, unless a person says so`() throws {
        let steps = [Self.send("add_once", "a", 1), .wait(.seconds(1)), .retry("a")]
        let first = [Self.taken("add_once", "a", 1, step: 1), Self.request("add_once", "a", to: "once", step: 1)]
        let again = Self.request("add_once", "a", to: "once", step: 3)
        let retry = ScenarioEvent(kind: .retry, time: .zero, step: 3, key: "", note: "a")

        let broken = Invariant.asksOnce.violation(try Self.run(steps, first + [again]))

        #expect(broken?.message == "add_once a was made twice")
        #expect(broken?.expected == "once: { calls: 1 }" && broken?.showing == .look(["once"]))
        #expect(Invariant.asksOnce.violation(try Self.run(steps, first + [retry, again])) == nil)
        let refused = ScenarioEvent(kind: .retry, time: .zero, step: 3, key: "", note: "a, refused (it is sent)")
        #expect(Invariant.asksOnce.violation(try Self.run(steps, first + [refused, again])) == broken)
        let unmade = [first[0], Self.request("add_once", "a", to: "once", step: 1, mayBeMade: false), again]
        #expect(Invariant.asksOnce.violation(try Self.run(steps, unmade)) == nil)
        // One whose id is recognised may be.
        let known = [Self.request("add_friend", "a", to: "add", step: 1), Self.request("add_friend", "a", to: "add", step: 3)]
        #expect(Invariant.asksOnce.violation(try Self.run(steps, known)) == nil)
    }

    @Test func `what is sent was made by its origin`() throws {
        let steps = [Self.send("add_friend", "a", 1)]
        let sent = Self.state("add_friend", "a", 1, .sent, step: 1)
        func made(_ mayBeMade: Bool) -> ScenarioEvent { Self.request("add_friend", "a", to: "add", step: 1, mayBeMade: mayBeMade) }

        #expect(Invariant.asksOnce.violation(try Self.run(steps, [made(true), sent])) == nil)
        #expect(
            Invariant.asksOnce.violation(try Self.run(steps, [made(false), sent]))?.message
                == "add_friend a is sent, and no origin has made it")
    }

    @Test func `a send waits for an earlier one of its value`() throws {
        func violation(_ state: SendState?, other: String = "42") throws -> Invariant.Violation? {
            let steps = [Self.send("add_friend", "a", 1), Self.send("add_friend", "b", 2, user: other)]
            let events = [
                Self.taken("add_friend", "a", 1, step: 1), state.map { Self.state("add_friend", "a", 1, $0, step: 1) },
                Self.taken("add_friend", "b", 2, step: 2), Self.request("add_friend", "b", to: "add", step: 2),
            ]
            return Invariant.lanes.violation(try Self.run(steps, events.compactMap(\.self)))
        }

        #expect(try violation(nil)?.message == "add_friend b went before add_friend a")
        #expect(try violation(.waiting) != nil)
        for state in [SendState.sent, .held, .failed, .dropped, .merged] { #expect(try violation(state) == nil, "\(state)") }
        #expect(try violation(nil, other: "7") == nil)
    }

    @Test func `readers see what is not done, and caches nothing of it`() throws {
        let steps = [Self.send("add_friend", "a", 5), .fetch]
        let taken = Self.taken("add_friend", "a", 1, step: 1)
        func violation(_ state: SendState?, _ fetch: ScenarioEvent, _ more: [ScenarioEvent] = []) throws -> String? {
            let marks = [taken] + [state.map { Self.state("add_friend", "a", 1, $0, step: 1) }].compactMap(\.self)
            return Invariant.laid.violation(try Self.run(steps, marks + [fetch] + more))?.message
        }
        let (base, shown, laid) = (#"[{"id":1,"n":4}]"#, #"[{"id":1,"n":4},{"n":5}]"#, [("add_friend", "a", Int64(1))])
        let good = Self.fetch(shown, over: base, laid, step: 2)
        let unseen = Self.fetch(base, over: base, step: 2)

        #expect(try violation(nil, good) == nil)
        #expect(try violation(nil, unseen) == "add_friend a is waiting, and is not seen")
        #expect(try violation(.held, unseen) == "add_friend a is held, and is not seen")
        #expect(try violation(.failed, unseen) == nil)
        #expect(try violation(.failed, good) == "add_friend a is failed, and is seen")
        #expect(try violation(.dropped, Self.fetch(shown, over: base, step: 2)) == "add_friend a is dropped, and its change is seen")
        #expect(try violation(nil, Self.fetch(shown, over: shown, laid, step: 2)) == "add_friend a is waiting, and is in what caches hold")
        #expect(try violation(.sent, Self.fetch(shown, over: shown, step: 2)) == nil)
        // Another number that begins so.
        #expect(try violation(.failed, Self.fetch(#"[{"n":51}]"#, over: #"[{"n":51}]"#, step: 2)) == nil)
        // It does not fit, or something happens at that moment.
        #expect(try violation(nil, Self.fetch("{}", over: "{}", step: 2)) == nil)
        #expect(try violation(nil, unseen, [Self.state("add_friend", "a", 1, .failed, step: 2)]) == nil)
    }

    @Test func `what a process could not note before it ended is not looked at`() throws {
        let steps = [Self.send("add_friend", "a", 5), .down("outbox", "writes"), .kill, .fetch]
        let events = [
            Self.taken("add_friend", "a", 1, step: 1), Self.fetch(#"[{"n":4}]"#, over: #"[{"n":4}]"#, step: 4),
        ]

        #expect(Invariant.laid.violation(try Self.run(steps, events)) == nil)
        #expect(Invariant.laid.violation(try Self.run([steps[0], .wait(.seconds(1)), .kill, .fetch], events)) != nil)
    }

    @Test func `a send comes to an end when its origin answers for long enough`() throws {
        let taken = Self.taken("add_friend", "a", 1, step: 1)
        func violation(_ state: SendState?, _ end: [RandomStep]) throws -> Invariant.Violation? {
            let events = [taken, state.map { Self.state("add_friend", "a", 1, $0, step: 2) }].compactMap(\.self)
            return Invariant.endsSends.violation(try Self.run([Self.send("add_friend", "a", 5)] + end, events))
        }
        let answers = ["add", "once", "edit", "remove"].map { RandomStep.answer($0, .payload("{}")) }
        let settled = answers + [.wait(.seconds(3600)), .fetch]

        let lost = try violation(nil, settled)

        #expect(lost?.message == "add_friend a is not sent, though its origin answers" && lost?.step == settled.count + 1)
        for state in [SendState.sent, .held, .failed] { #expect(try violation(state, settled) == nil, "\(state)") }
        #expect(try violation(nil, answers + [.wait(.seconds(1)), .fetch]) == nil)
        #expect(try violation(nil, [.answer("add", .error("error"))] + settled.dropFirst()) == nil)
        #expect(try violation(nil, [.down("outbox", "writes")] + settled) == nil)
        #expect(try violation(nil, settled + [.kill]) == nil)
    }
}
