import Pipeline
import Synchronization

/// Observes a pipeline, and writes each event down in a line.
final class EventRecorder: Sendable {
    private let seen = Mutex<[String]>([])

    /// The lines so far, in the order in which the events came.
    var lines: [String] { seen.withLock { $0 } }

    var observer: PipelineEvent.Observer {
        { [self] event in
            let line =
                switch event {
                case .attempt(let attempt, let key): "\(key) \(attempt)"
                case .fetch(let end, _): "\(end.key) fetched \(end.ending.rawValue) from \(end.source ?? "nobody")"
                case .refresh(let end, _): "\(end.key) refreshed \(end.ending.rawValue) from \(end.source ?? "nobody")"
                case .write(let write, let key): "\(key) write \(write)"
                case .removal(let report, let pipeline, let key):
                    "\(key?.text ?? pipeline) removed from \(report.lines.map(\.source).joined(separator: ", "))"
                case .eviction(let source, let key): "\(key?.text ?? "a copy") evicted from \(source)"
                case .subscription(let source, let failure): "listening to \(source): \(failure ?? "began")"
                case .change(let event, let source, let pipeline): "feed \(source) of \(pipeline): \(event)"
                }
            seen.withLock { $0.append(line) }
        }
    }

    /// Forgets what it has seen.
    func reset() { seen.withLock { $0 = [] } }
}
