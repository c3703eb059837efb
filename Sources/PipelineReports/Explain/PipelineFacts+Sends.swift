internal import PipelineConfig
import PipelineSending

extension PipelineFacts {
    /// The effect of `sends` on the value.
    func sends(_ sends: [SendPlan]) -> [Sentence] {
        let changes = sends.flatMap { send in
            zip(send.changes, send.placesOfChanges).filter { $0.0.pipeline == plan.name }.map { (send, $0, $1) }
        }
        let effects = changes.map { send, change, place in
            Sentence(text: Self.effect(of: send, change), grounds: [.place(place)])
        }
        guard changes.contains(where: { $0.1.operation != .refresh }) else { return effects }
        let lasting = Sentence(
            text: "What a send changes is laid over each read until the origin has it; caches hold only what the origin said.",
            grounds: [.always])
        return effects + [lasting]
    }

    private static func effect(of send: SendPlan, _ change: SendChange) -> String {
        let target =
            send.target.type.map { $0 == send.target.name ? "`\($0)`" : "`\(send.target.name)` (\($0))" } ?? "`\(send.target.name)`"
        let beginning = "A send `\(send.name)` goes to \(target)"
        return switch change.operation {
        case .upsert: "\(beginning), and its item is in the list at once."
        case .patch: "\(beginning), and its item is changed at once."
        case .delete: "\(beginning), and its item is gone at once."
        case .replace: "\(beginning), and its payload is the value at once."
        case .refresh: "\(beginning); when it is sent, the value is reloaded."
        }
    }
}
