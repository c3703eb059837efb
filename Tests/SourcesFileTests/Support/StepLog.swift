import Pipeline
import Synchronization

@testable import SourcesFile

/// Writes down the steps that a source takes.
final class StepLog: Sendable {
    private let steps = Mutex<[FileStep]>([])

    var seen: [FileStep] { steps.withLock { $0 } }

    var hook: FileStepHook {
        { step throws(SystemFailure) in self.steps.withLock { $0.append(step) } }
    }
}
