internal import Pipeline
internal import PipelineConfig
import PipelineSending

/// A kind of write of a drawing: where it goes, and the pipelines that it changes.
package struct GraphSend: Hashable {
    /// What it does to the value of one pipeline.
    struct Change: Hashable {
        let pipeline: String
        let operation: String

        /// `friends (upsert)`
        var words: String { "\(pipeline) (\(operation))" }
    }

    let name: String
    /// `add_friend(user)`.
    let signature: String
    let description: String?
    let parameters: [GraphParameter]
    /// The name of the source that takes it.
    let target: String
    /// The word after `type:`; nil for a plugin that is not known.
    let type: String?
    /// The method of its requests; nil if that is not known.
    let method: String?
    let outbox: String
    let changes: [Change]
    let problems: [GraphProblem]

    init(_ plan: SendPlan, redactor: Redactor, problems: [GraphProblem]) {
        name = plan.name
        signature = plan.signature(redactor)
        description = plan.description.map(redactor.redacted)
        parameters = plan.parameters.map { GraphParameter(name: $0.name, defaultValue: $0.defaultValue.map(redactor.redacted)) }
        (target, type, method, outbox) = (plan.target.name, plan.target.type, plan.target.sending?.method, plan.outbox.name)
        changes = plan.changes.map { Change(pipeline: $0.pipeline, operation: $0.operation.rawValue) }
        self.problems = problems
    }

    /// The title of its target: `add (http)`, or the name alone if it is the name of its type.
    var targetTitle: String { type.map { $0 == target ? target : "\(target) (\($0))" } ?? target }

    /// The words at the line to its target.
    var label: String { method ?? "sends" }

    /// The send as a sentence.
    var sentence: String {
        let changed = changes.isEmpty ? "changes nothing here" : "changes \(changes.map(\.words).joined(separator: ", "))"
        return "\(signature) goes to \(targetTitle)\(method.map { " by \($0)" } ?? "") and \(changed)"
    }
}

extension GraphModel {
    /// The lines from the sends to the pipelines that they change, as far as these are drawn, by their indexes.
    var sendLines: [(send: Int, change: GraphSend.Change, to: Int)] {
        let numbers = Dictionary(pipelines.enumerated().map { ($1.name, $0) }) { first, _ in first }
        return sends.enumerated().flatMap { number, send in
            send.changes.compactMap { change in numbers[change.pipeline].map { (send: number, change: change, to: $0) } }
        }
    }

    /// The words in the box of a send, with the changes that have no line.
    func lines(in send: GraphSend) -> [String] {
        let far = send.changes.filter { change in !pipelines.contains { $0.name == change.pipeline } }
        let rest = far.isEmpty ? nil : "changes \(far.map(\.words).joined(separator: ", ")), too"
        return [send.signature] + [send.description, rest].compactMap(\.self) + send.problems.map { "⚠ " + $0.words }
    }
}
