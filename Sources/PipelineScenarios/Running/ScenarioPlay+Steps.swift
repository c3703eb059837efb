internal import Pipeline
internal import PipelineConfig
import PipelineLive

extension ScenarioPlay {
    /// Does `step`; gives the first expectation that was not met.
    func perform(_ step: ScenarioStep) throws -> ScenarioFailure? {
        guard let process else { return nil }
        do {
            defer { note(step) }
            switch step.action {
            case .fetch(let fetch): return try self.fetch(fetch, step, process)
            case .start(let start): try self.start(start, process)
            case .finish(let finishes): return try finish(finishes, step)
            case .cancel(let names): try cancel(names)
            case .send(let send): return try self.send(send, step, process)
            case .retry(let names): return try settleSends(names, .retry, step, process)
            case .drop(let names): return try settleSends(names, .drop, step, process)
            case .put(let put): try self.put(put, process)
            case .remove(let arguments):
                let key = try process.pipeline.key(arguments.dictionary)
                let report = try value(of: loop.start { await Result { try await process.pipeline.remove(key) } }).get()
                story.add(.remove, at: elapsed, key: key.text, report)
            case .clear:
                let report = try value(of: loop.start { await Result { try await process.pipeline.clear() } }).get()
                story.add(.clear, at: elapsed, report)
            case .wait(let duration):
                try pass(until: (Timestamp(nanoseconds: time.now) + duration).nanoseconds) {
                    story.note(process.events.take(), fetches: [], isQuiet: isQuiet)
                }
            case .set(let scripts):
                try apply(scripts)
                story.add(.set, at: elapsed, note: scripts.members.map(\.name).joined(separator: ", "))
            case .kill:
                story.note(process.events.take(), fetches: [], isQuiet: false)
                abandon()
                try begin()
                story.add(.kill, at: elapsed)
            case .restart(let ending): return try restart(ending, step, process)
            case .flush(let ending):
                let unwritten = try value(of: loop.start { await process.pipelines.flush().map { Unwritten($0.source, $0.keys) } })
                story.add(.flush, at: elapsed, note: unwritten.words)
                return check(unwritten, ending, step)
            case .wall(let wall):
                time.stepWall(by: wall.step.saturatedNanoseconds)
                let sign = wall.step < .zero ? "-" : "+"
                story.add(.wall, at: elapsed, note: sign + (wall.step < .zero ? .zero - wall.step : wall.step).spelling)
            case .message(let messages): try tell(messages, process)
            case .disconnect(let names):
                for name in names { setting.feeds[name.value]?.disconnect() }
                story.add(.disconnect, at: elapsed, note: names.map(\.value).joined(separator: ", "))
                try settle()
            case .reconnect(let names): return try reconnect(names, step)
            case .expect(let expectations): return try check(expectations, step, process)
            }
            return nil
        } catch let unrest as Unrest {
            return failure(step, unrest)
        }
    }

    /// Adds to the story what the engine did besides.
    private func note(_ step: ScenarioStep) {
        guard let process else { return }
        story.note(process.events.take(), fetches: [], isQuiet: isQuiet)
    }

    /// Indicates whether no load is under way that a fetch or a refresh would tell of.
    private var isQuiet: Bool { started.isEmpty && process?.pipeline.hasBackgroundWork != true }

    private func restart(_ ending: EndingStep, _ step: ScenarioStep, _ process: ScenarioProcess) throws -> ScenarioFailure? {
        let unwritten = try value(of: loop.start { await process.pipelines.shutDown().map { Unwritten($0.source, $0.keys) } })
        story.note(process.events.take(), fetches: [], isQuiet: false)
        abandon()
        try begin()
        story.add(.restart, at: elapsed, note: unwritten.words)
        return check(unwritten, ending, step)
    }

    private func check(_ unwritten: [Unwritten], _ ending: EndingStep, _ step: ScenarioStep) -> ScenarioFailure? {
        let unwritten = unwritten.filter { !$0.keys.isEmpty }
        let expected = ending.unwritten.map(\.value)
        if let missing = unwritten.first(where: { !expected.contains($0.source) }) {
            let keys = missing.keys.map { "`\($0)`" }.joined(separator: ", ")
            return failed(
                step, "\(keys) could not be written to `\(missing.source)`", field: "unwritten", expected: "all written",
                actual: missing.words)
        }
        for source in ending.unwritten {
            let isMet = unwritten.contains { $0.source == source.value }
            checks.append(ScenarioCheck(step: number, field: "unwritten", source: source.value, isMet: isMet))
            guard !isMet else { continue }
            return failed(
                step, "everything was written to `\(source.value)`, expected that it cannot be", field: "unwritten", at: source.range,
                expected: source.value, actual: "all written")
        }
        return nil
    }

    private func tell(_ messages: NamedValues<MessageText>, _ process: ScenarioProcess) throws {
        for member in messages.members {
            var message = member.value.payload.map { LiveMessage($0, event: member.value.event) } ?? .signal
            message.event = member.value.event
            let key = try member.value.arguments.map { arguments in
                try process.pipelines.pipeline(named: setting.pipelineName(fedBy: member.name)).key(arguments.dictionary)
            }
            let fates = setting.feeds[member.name]?.send(message, for: key)
            story.add(
                .message, at: elapsed, key: key?.text ?? "", note: member.name + (fates == nil ? ", and no process is connected" : ""),
                feed: .message(source: member.name, fates ?? []))
        }
        try settle()
    }

    /// Lets time pass until each source is connected.
    private func reconnect(_ names: [Placed<String>], _ step: ScenarioStep) throws -> ScenarioFailure? {
        for name in names {
            guard let feed = setting.feeds[name.value] else { continue }
            feed.set(outage: nil, at: elapsed.saturatedNanoseconds)
            try pass { feed.isConnected }
        }
        story.add(.reconnect, at: elapsed, note: names.map(\.value).joined(separator: ", "))
        return nil
    }

    private func put(_ put: PutStep, _ process: ScenarioProcess) throws {
        let key = try process.pipeline.key(put.arguments.dictionary)
        let outcome = try value(of: loop.start { await Result { try await process.pipeline.put(put.payload, for: key) } }).get()
        story.add(.put, at: elapsed, key: key.text, outcome.writes)
    }
}

/// Keys that wait to be written when a process ends.
struct Unwritten: Sendable {
    let source: String
    let keys: [String]

    init(_ source: String, _ keys: [Key]) {
        self.source = source
        self.keys = keys.map(\.text).sorted()
    }

    /// `disk: friends,user=42`.
    var words: String { "\(source): \(keys.joined(separator: ", "))" }
}

extension [Unwritten] {
    /// The caches that could not be written, in words; nil if all were.
    fileprivate var words: String? {
        let left = filter { !$0.keys.isEmpty }.sorted { $0.source < $1.source }
        return left.isEmpty ? nil : "not written to " + left.map(\.words).joined(separator: "; ")
    }
}

/// Fetches.
extension ScenarioPlay {
    private func fetch(_ fetch: FetchStep, _ step: ScenarioStep, _ process: ScenarioProcess) throws -> ScenarioFailure? {
        var ended: [FinishedFetch] = []
        if fetch.atOnce {
            let tasks = try (0..<fetch.times).map { _ in try begin(fetch, process) }
            for task in tasks { ended.append(try value(of: task)) }
        } else {
            for _ in 0..<fetch.times { ended.append(try value(of: try begin(fetch, process))) }
        }
        return conclude(ended, fetch.expected, .fetch, step, process)
    }

    /// Notes what fetches came to, and compares it with what is expected of each.
    private func conclude(
        _ ended: [FinishedFetch], _ expected: FetchExpectation, _ kind: ScenarioEvent.Kind, _ step: ScenarioStep, _ process: ScenarioProcess
    ) -> ScenarioFailure? {
        story.add(ended, kind, at: stepBegan)
        story.note(process.events.take(), fetches: ended, isQuiet: isQuiet)
        let checker = FetchChecker(
            expected: expected, order: run.order?.name, orders: orderNames, format: setting.pipeline.policy.format,
            redactor: setting.redactor)
        for fetch in ended {
            let (checked, mismatch) = checker.check(fetch)
            if checks.last?.step != number || mismatch != nil {
                checks += checked.map { ScenarioCheck(step: number, field: $0, source: nil, isMet: $0 != mismatch?.field) }
            }
            guard let mismatch else { continue }
            return failed(
                step, mismatch.message, field: mismatch.field, at: mismatch.range, expected: mismatch.expected, actual: mismatch.actual)
        }
        return nil
    }

    /// Starts a fetch as a task.
    private func begin(_ fetch: FetchStep, _ process: ScenarioProcess) throws -> SimulatedTask<FinishedFetch> {
        let pipeline =
            try fetch.order.map { try setting.pipeline(of: process.pipelines, asking: $0.value.map(\.value)) }
            ?? process.pipeline
        let key = try pipeline.key(fetch.arguments.dictionary)
        process.follow(key)
        let (policy, timeout, time, began) = (fetch.policy ?? .default, fetch.timeout, time, time.now)
        return loop.start {
            let result = await Result { try await pipeline.fetch(key, policy: policy, timeout: timeout) }
            return FinishedFetch(result: result, took: .nanoseconds(time.now - began))
        }
    }

    private func start(_ start: StartStep, _ process: ScenarioProcess) throws {
        started[start.name.value] = Started(fetch: start.fetch, task: try begin(start.fetch, process))
        story.add(.start, at: elapsed, note: start.name.value)
        try settle()
    }

    private func finish(_ finishes: NamedValues<FetchExpectation>, _ step: ScenarioStep) throws -> ScenarioFailure? {
        for member in finishes.members {
            guard let process, let fetch = started.removeValue(forKey: member.name) else {
                return failed(step, "`\(member.name)` has ended: its process did, or an earlier `finish`", at: member.range)
            }
            let ended = try value(of: fetch.task)
            if let failure = conclude([ended], member.value, .finish, step, process) { return failure }
        }
        return nil
    }

    private func cancel(_ names: [Placed<String>]) throws {
        for name in names { started[name.value]?.task.cancel() }
        story.add(.cancel, at: elapsed, note: names.map(\.value).joined(separator: ", "))
        try settle()
    }
}

extension NamedValues where Value == ScenarioText {
    var dictionary: [String: String] { Dictionary(members.map { ($0.name, $0.value.text) }) { _, last in last } }
}
