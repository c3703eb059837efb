import Pipeline
import Synchronization

/// Writes down what pipelines tell of their listening.
final class SubscriptionRecord: Sendable {
    private let seen = Mutex<[String]>([])

    var lines: [String] { seen.withLock(\.self) }

    var observer: PipelineEvent.Observer {
        { [self] event in
            guard case .subscription(let source, let failure) = event else { return }
            seen.withLock { $0.append("\(source): \(failure ?? "began")") }
        }
    }
}
