internal import Pipeline
internal import PipelineConfig
import PipelineSending

/// Scripts.
extension ScenarioPlay {
    /// Has the sources do what `scripts` say from now on.
    func apply(_ scripts: NamedValues<SourceScript>) throws {
        for member in scripts.members {
            if let feed = setting.feeds[member.name] {
                let outage = member.value.cache?.down
                feed.set(outage: outage, at: elapsed.saturatedNanoseconds)
                if outage.map({ $0.reads && $0.isUnderWay(after: .zero) }) == true { feed.disconnect() }
            } else if let origin = setting.origins[member.name] {
                origin.set(member.value.content)
            } else if let outbox = setting.outboxes[member.name] {
                if let outage = member.value.cache?.down { outbox.set(outage: outage, at: elapsed.saturatedNanoseconds) }
                if let takes = member.value.cache?.takes { outbox.set(takes: takes) }
            } else if let cache = member.value.cache {
                try apply(cache, to: member.name)
            }
        }
    }

    private func apply(_ script: CacheScript, to name: String) throws {
        let elapsed = elapsed.saturatedNanoseconds
        if let outage = script.down { setting.stores[name]?.set(outage: outage, at: elapsed) }
        if let takes = script.takes { setting.stores[name]?.set(takes: takes) }
        guard let process else { return }
        for (arguments, copy) in script.holds?.copies ?? [] {
            let key = try process.pipeline.key(arguments.map { ArgumentText($0.value).dictionary } ?? [:])
            let entry = entry(of: copy.value, script, in: name, process.access.clock)
            if let store = setting.stores[name] {
                store.hold(entry.map { .entry(process.access.clock.stored($0)) } ?? .invalid, for: key)
            } else if let memory = process.memories[name], let entry {
                try value(of: loop.start { await Result { try await memory.write(entry, for: key) } }).get()
            }
        }
    }

    /// The copy as the cache would have it; nil for one that cannot be used.
    private func entry(of copy: HeldCopies.Copy, _ script: CacheScript, in name: String, _ clock: PipelineClock) -> Entry? {
        let stored = clock.now - (script.age ?? .zero)
        var entry: Entry
        switch copy {
        case .payload(let payload): entry = Entry(payload, created: stored)
        case .notFound: entry = .notFound(created: stored)
        case .invalid: return nil
        }
        entry.stored = stored
        let policy = process?.pipeline.spec.tiers.first { $0.name == name }?.policy
        let ttl = entry.isNotFound ? setting.pipeline.policy.notFoundTTL ?? policy?.ttl : policy?.ttl
        entry.freshUntil = script.freshFor.map { clock.now + $0 } ?? ttl.map { stored + $0 }
        return entry
    }
}

/// The expectations of sources.
extension ScenarioPlay {
    func check(_ expectations: NamedValues<SourceExpectation>, _ step: ScenarioStep, _ process: ScenarioProcess) throws -> ScenarioFailure?
    {
        for member in expectations.members {
            let (name, expected) = (member.name, member.value)
            if step.isDrawn { look(at: name) }
            let counts = setting.log.counts(of: name)
            let numbers = [
                ("calls", expected.calls, counts.reads), ("reads", expected.reads, counts.reads),
                ("writes", expected.writes, counts.writes), ("cancelled", expected.cancelled, counts.cancelled),
                ("ids", expected.ids, Set(setting.log.requests(to: name).map(\.id)).count),
            ]
            for (field, expected, actual) in numbers {
                guard let expected = expected?.value(in: run.order?.name, of: orderNames) else { continue }
                if let failure = check(actual, expected, field, of: name, step, \.description) { return failure }
            }
            if let failure = checkSends(of: name, expected, step) ?? checkCopies(of: name, expected, step, process) { return failure }
        }
        return nil
    }

    /// Tells what a test could expect of a source that takes sends, or of an outbox, as it is written: the step was drawn at random.
    private func look(at name: String) {
        let requests = setting.log.requests(to: name)
        let bodies = requests.map { RandomStep.singleQuoted(String(decoding: $0.payload, as: UTF8.self)) }
        let (calls, ids) = (setting.log.counts(of: name).reads, Set(requests.map(\.id)).count)
        var facts = ["calls: \(calls)", "ids: \(ids)", "bodies: [\(bodies.joined(separator: ", "))]"]
        if setting.outboxes[name] != nil {
            let sends = sendsIn(name).map { RandomStep.word(TraceWord($0).description) }
            facts = ["sends: [\(sends.joined(separator: ", "))]"]
        }
        for fact in facts { story.add(.expect, at: elapsed, note: "\(RandomStep.key(name)): { \(fact) }") }
    }

    /// Checks what came to a source that takes sends, and what an outbox has.
    private func checkSends(of name: String, _ expected: SourceExpectation, _ step: ScenarioStep) -> ScenarioFailure? {
        if let bodies = expected.bodies?.value(in: run.order?.name, of: orderNames) {
            let actual = setting.log.requests(to: name).map(\.payload)
            let isMet = actual.count == bodies.value.count && zip(actual, bodies.value).allSatisfy { isSame($0, as: $1.value.bytes) }
            let (words, actualWords) = (bodies.value.map(\.value.bytes).words, actual.words)
            if let failure = check(isMet, "bodies", of: name, step, are: actualWords, expected: words, at: bodies.range) { return failure }
        }
        if let sends = expected.sends?.value(in: run.order?.name, of: orderNames) {
            let actual = sendsIn(name).map { TraceWord($0) }
            let isMet = actual == sends.value.map(\.value)
            let words = sends.value.map(\.value).words
            if let failure = check(isMet, "sends", of: name, step, are: actual.words, expected: words, at: sends.range) { return failure }
        }
        return nil
    }

    private func check(
        _ isMet: Bool, _ field: String, of source: String, _ step: ScenarioStep, are actual: String, expected: String, at range: TextRange
    ) -> ScenarioFailure? {
        checks.append(ScenarioCheck(step: number, field: "\(source) \(field)", source: source, isMet: isMet))
        if isMet { return nil }
        return failed(
            step, "\(source) \(field) are \(actual), expected \(expected)", field: "\(source) \(field)", at: range, expected: expected,
            actual: actual)
    }

    private func check<Value: Equatable>(
        _ actual: Value, _ expected: Placed<Value>, _ field: String, of source: String, _ step: ScenarioStep, _ words: (Value) -> String
    ) -> ScenarioFailure? {
        let isMet = actual == expected.value
        checks.append(ScenarioCheck(step: number, field: "\(source) \(field)", source: source, isMet: isMet))
        guard !isMet else { return nil }
        return failed(
            step, "\(source) \(field) is \(words(actual)), expected \(words(expected.value))", field: "\(source) \(field)",
            at: expected.range, expected: words(expected.value), actual: words(actual))
    }

    private func checkCopies(
        of name: String, _ expected: SourceExpectation, _ step: ScenarioStep, _ process: ScenarioProcess
    ) -> ScenarioFailure? {
        if let empty = expected.isEmpty?.value(in: run.order?.name, of: orderNames) {
            let keys = keysHeld(by: name, process)
            if empty.value, !keys.isEmpty {
                checks.append(ScenarioCheck(step: number, field: "\(name) empty", source: name, isMet: false))
                return failed(
                    step, "\(name) holds \(keys.joined(separator: ", ")), expected nothing", field: "\(name) empty", at: empty.range,
                    expected: "empty", actual: keys.joined(separator: ", "))
            }
            if let failure = check(keys.isEmpty, empty, "empty", of: name, step, \.description) { return failure }
        }
        for (arguments, copy) in expected.holds?.value(in: run.order?.name, of: orderNames)?.value.copies ?? [] {
            guard let key = try? process.pipeline.key(arguments.map { ArgumentText($0.value).dictionary } ?? [:]) else { continue }
            let held = self.copy(in: name, key, process)
            let isMet = held.map { isSame($0, as: copy.value) } ?? false
            checks.append(ScenarioCheck(step: number, field: "\(name) holds", source: name, isMet: isMet))
            guard !isMet else { continue }
            return failed(
                step, "\(name) holds \(held?.words ?? "nothing"), expected \(copy.value.words)", field: "\(name) holds", at: copy.range,
                expected: copy.value.words, actual: held?.words ?? "nothing")
        }
        return nil
    }

    private func isSame(_ held: HeldCopies.Copy, as expected: HeldCopies.Copy) -> Bool {
        if case .payload(let held) = held, case .payload(let expected) = expected { return isSame(held, as: expected) }
        return held == expected
    }

    private func isSame(_ payload: [UInt8], as expected: [UInt8]) -> Bool {
        payload == expected || setting.pipeline.policy.format == .json && JSONEquality.areEqual(payload, expected)
    }

    /// The copy that the source called `name` holds for `key`, in its cache and not only in the queue to it.
    private func copy(in name: String, _ key: Key, _ process: ScenarioProcess) -> HeldCopies.Copy? {
        if let store = setting.stores[name] {
            switch store.copies[key] {
            case .entry(let entry): return entry.payload.map { .payload($0) } ?? .notFound
            case .invalid: return .invalid
            case nil: return nil
            }
        }
        guard let entry = try? process.memories[name]?.peek(key) else { return nil }
        return entry.payload.map { .payload($0) } ?? .notFound
    }

    private func keysHeld(by name: String, _ process: ScenarioProcess) -> [String] {
        if setting.outboxes[name] != nil { return sendsIn(name).map { TraceWord($0).description } }
        let pipeline = setting.pipeline.name
        if let store = setting.stores[name] {
            return store.copies.keys.filter { $0.pipeline.utf8.elementsEqual(pipeline.utf8) }.map(\.text).sorted()
        }
        guard let memory = process.memories[name] else { return [] }
        let contents = try? value(of: loop.start { try? await memory.contents(of: pipeline, limit: 1_000) })
        return contents?.copies.map(\.name) ?? []
    }
}

extension [[UInt8]] {
    /// The payloads as they are shown.
    fileprivate var words: String { "[" + map { String(decoding: $0, as: UTF8.self).shortened(to: 200) }.joined(separator: ", ") + "]" }
}

extension HeldCopies.Copy {
    /// The copy as it is shown.
    fileprivate var words: String {
        switch self {
        case .payload(let payload): String(decoding: payload, as: UTF8.self).shortened(to: 200)
        case .notFound: "not_found"
        case .invalid: "invalid"
        }
    }
}
