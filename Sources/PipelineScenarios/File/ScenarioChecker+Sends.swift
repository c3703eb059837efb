internal import Pipeline
internal import PipelineConfig
import PipelineSending

/// The rules for sends.
extension ScenarioChecker {
    func check(_ send: SendStep, at step: ScenarioStep) {
        checkOrders(send)
        for state in send.state?.values(of: orderNames) ?? [] { checkState(state.value, at: state.range) }
        guard let kind = kind(send.name.value) else {
            return reportUnknown("send", send.name.value, at: send.name.range, among: plan.sends.map(\.name))
        }
        let (known, given) = (kind.parameters.map(\.name), send.arguments.members)
        for argument in given where !known.contains(argument.name) {
            reportUnknown("parameter", argument.name, at: argument.range, among: known)
        }
        for parameter in kind.parameters where parameter.defaultValue == nil && !given.contains(where: { $0.name == parameter.name }) {
            decoder.report(
                .unknownInTest, "`\(step.word)` needs the parameter `\(parameter.name.shortened)` of the send `\(kind.name.shortened)`",
                range: step.range, help: "add `with: { \(parameter.name.shortened): … }`")
        }
    }

    /// Reports a name for two sends, and one that no send has.
    func checkSends(of step: ScenarioStep, _ sent: inout [String: TextRange]) {
        switch step.action {
        case .send(let send):
            guard let label = send.label, let first = sent.updateValue(label.range, forKey: label.value) else { return }
            decoder.report(
                .repeatedTest, "two sends are called `\(label.value.shortened)`", range: label.range,
                help: "give one of them another name", related: [Diagnostic.Related("the first is here", at: first)])
        case .retry(let names), .drop(let names):
            for name in names where sent[name.value] == nil {
                reportUnknown(
                    "send", name.value, at: name.range, among: sent.keys.sorted(), plural: "sends with a name of their own (`as`)")
            }
        default: break
        }
    }

    /// Reports the source of a send that has no script.
    func checkTarget(of send: SendStep, at step: ScenarioStep, _ scripted: Set<String>, _ reported: inout Set<String>) {
        guard !scriptsUnknownSource, let target = kind(send.name.value)?.target else { return }
        checkOrigin(target.name, at: step, scripted, &reported)
    }

    func checkSends(_ words: [Placed<TraceWord>]) {
        let known = plan.sends.map(\.name)
        for word in words {
            if !known.contains(word.value.source) {
                reportUnknown("send", word.value.source, at: word.range, written: word.sourceRange, among: known)
            }
            checkState(word.value.outcome, at: word.range, written: word.outcomeRange)
        }
    }

    private func checkState(_ name: String, at range: TextRange, written place: TextRange? = nil) {
        guard SendState(rawValue: name) == nil else { return }
        reportUnknown("state", name, at: range, written: place, among: SendState.allCases.map(\.rawValue))
    }

    /// Checks the script of an outbox, which says only when it is down, and how long it takes.
    func checkOutboxScript(_ member: NamedValues<SourceScript>.Member) {
        if let script = member.value.cache, script.holds == nil { return }
        decoder.report(
            .notAllowed, "`\(member.name.shortened)` keeps sends, which are the step `send`", range: member.value.range,
            help: "write `{ down: true }`, or `{ takes: 5ms }`")
    }

    /// Reports what only answers to sends have.
    func checkSendAnswers(_ member: NamedValues<SourceScript>.Member, of source: SourceConfig) {
        guard !takesSends(source), let answer = member.value.answers.first(where: { $0.isLost || $0.retryAfter != nil }) else { return }
        let field = answer.isLost ? "lost" : "retry_after"
        decoder.report(
            .notAllowed, "`\(field)` is of an answer to a send, and `\(member.name.shortened)` takes none", range: answer.range,
            help: "remove `\(field)`")
    }

    private func kind(_ name: String) -> SendPlan? { plan.sends.first { $0.name == name } }

    func takesSends(_ source: SourceConfig) -> Bool { plan.sends.contains { $0.target === source } }
}
