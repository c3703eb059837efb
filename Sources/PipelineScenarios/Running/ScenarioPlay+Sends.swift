internal import Pipeline
internal import PipelineConfig
import PipelineSending

/// The steps that send, and that put sends back or give them up.
extension ScenarioPlay {
    /// Sends, and lets time pass until the first try has ended, or the send must wait.
    func send(_ send: SendStep, _ step: ScenarioStep, _ process: ScenarioProcess) throws -> ScenarioFailure? {
        sentCount += 1
        // No random one: tests name temporary ids.
        let id = send.id ?? send.label?.value ?? "send-\(sentCount)"
        let (pipelines, name, arguments, payload) = (process.pipelines, send.name.value, send.arguments.dictionary, send.payload)
        let began = time.now
        let result = try value(of: loop.start { await Result { try await pipelines.send(name, arguments, payload, id: id) } })
        guard case .success(let sending) = result else {
            let (refusal, took) = (setting.redactor.redacted(result.failure?.cause ?? ""), Duration.nanoseconds(time.now - began))
            story.add(name, at: stepBegan, nil, took: took, note: "\(id), not taken in (\(refusal))")
            return check(send, step, nil, refusal, took: took)
        }
        if let label = send.label?.value { sent[label] = id }
        var status: SendStatus { process.events.send(id) ?? sending.first }
        if !sending.wasKnown { try pass { !pipelines.isUnderWay(id) || status.hasBeenTried } }
        let (last, took) = (status, Duration.nanoseconds(time.now - began))
        let taken = sending.wasKnown ? nil : ScenarioEvent.SendMark(sending.first)
        story.add(
            name, at: stepBegan, .step(taken: taken, end: last.state), took: took,
            note: "\(id), \(last.state.rawValue)" + (last.reason.map { " (\($0))" } ?? ""))
        return check(send, step, last, nil, took: took)
    }

    private func check(
        _ send: SendStep, _ step: ScenarioStep, _ status: SendStatus?, _ refusal: String?, took: Duration
    ) -> ScenarioFailure? {
        func at<Value>(_ expected: Expected<Value>?) -> Placed<Value>? { expected?.value(in: run.order?.name, of: orderNames) }
        func check(_ field: String, _ isMet: Bool, _ actual: String, _ expected: String, _ range: TextRange) -> ScenarioFailure? {
            checks.append(ScenarioCheck(step: number, field: field, source: send.name.value, isMet: isMet))
            if isMet { return nil }
            return failed(step, "\(field) is \(actual), expected \(expected)", field: field, at: range, expected: expected, actual: actual)
        }
        if let expected = at(send.error) {
            let words = expected.value.text
            let isMet =
                switch (expected.value.isPlain, words) {
                case (true, "true"): refusal != nil
                case (true, "false"): refusal == nil
                default: refusal?.contains(words) ?? false
                }
            if let failure = check("error", isMet, refusal ?? "none (\(status?.state.rawValue ?? ""))", words, expected.range) {
                return failure
            }
        } else if let refusal, !step.isDrawn {
            return failed(step, "the send is not taken in: \(refusal)")
        }
        if let expected = at(send.state) {
            let (actual, reason) = (status?.state.rawValue, status?.reason ?? refusal)
            let words = (actual ?? "missing") + (reason.map { " (\($0))" } ?? "")
            if let failure = check("state", actual == expected.value, words, expected.value, expected.range) { return failure }
        }
        if let expected = at(send.took) {
            return check("took", took == expected.value, took.spelling, expected.value.spelling, expected.range)
        }
        return nil
    }

    /// What a person asks for that was sent.
    enum Settling {
        case retry, drop
    }

    /// Puts sends back, or gives them up.
    func settleSends(
        _ names: [Placed<String>], _ settling: Settling, _ step: ScenarioStep, _ process: ScenarioProcess
    ) throws -> ScenarioFailure? {
        let pipelines = process.pipelines
        for name in names {
            guard let id = sent[name.value] else {
                if step.isDrawn { continue }
                return failed(step, "`\(name.value)` was not taken in", at: name.range)
            }
            let result = try value(
                of: loop.start {
                    await Result {
                        switch settling {
                        case .retry: try await pipelines.retry(id)
                        case .drop: try await pipelines.drop(id)
                        }
                    }
                })
            let note = result.failure.map { "\(name.value), refused (\($0.cause))" } ?? name.value
            story.add(settling == .retry ? .retry : .drop, at: stepBegan, note: note)
            guard let error = result.failure, !step.isDrawn else { continue }
            return failed(step, "`\(name.value)` is not \(settling == .retry ? "put back" : "dropped"): \(error.cause)", at: name.range)
        }
        try settle()
        return nil
    }

    /// The sends of an outbox that are not done or have failed, by number.
    func sendsIn(_ outbox: String) -> [SendRow] {
        let rows = setting.outboxes[outbox]?.rows ?? []
        return rows.map { process?.events.send($0.id)?.row ?? $0 }.filter(\.state.isCounted)
    }
}

extension SendStatus {
    /// Indicates whether its first try has ended.
    fileprivate var hasBeenTried: Bool { tries > 1 || tries == 1 && state != .sending }
}

extension Result {
    fileprivate var failure: Failure? { if case .failure(let failure) = self { failure } else { nil } }
}

extension Error {
    /// The reason on one line, without what is said before it elsewhere.
    fileprivate var cause: String {
        if case SendError.refused(let refusal)? = self as? SendError { return refusal.reason }
        return (self as? SendError)?.message ?? line
    }
}
