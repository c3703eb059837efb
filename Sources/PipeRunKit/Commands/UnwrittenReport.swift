internal import Pipeline
private import Synchronization

/// Names what could not be written before the process ends, unless it was said before.
final class UnwrittenReport: Sendable {
    private let said = Mutex<Set<String>>([])

    /// These writes have been printed with what came of them.
    func note(_ records: [WriteRecord]) {
        said.withLock { $0.formUnion(records.filter { $0.outcome == .failed }.map(\.source)) }
    }

    /// Ends `pipelines`, and says what is not written.
    func shutDown(_ pipelines: Pipelines) async {
        let unwritten = await pipelines.shutDown()
        let said = said.withLock { $0 }
        for (source, keys) in unwritten where !said.contains(source) {
            for key in keys { Console.say("not written to `\(source)`: `\(key)`") }
        }
    }
}
