internal import Pipeline
internal import PipelineConfig
private import Synchronization

/// Masks the secrets of a configuration that is read again: those that hold now, and those of before, which fetches under way may still
/// report.
struct FollowedSecrets {
    /// So many configurations are remembered.
    private static let most = 4

    private final class Masks: Sendable {
        let all: Mutex<[(secrets: Set<String>, redactor: Redactor)]>

        init(_ report: ConfigReport) {
            all = Mutex([(report.secrets, report.redactor)])
        }
    }

    private let masks: Masks
    /// Masks the secrets of now and of before, wherever it was handed to.
    let redactor: Redactor

    init(_ report: ConfigReport) {
        let masks = Masks(report)
        self.masks = masks
        redactor = Redactor { text in masks.all.withLock { $0 }.reduce(text) { $1.redactor.redacted($0) } }
    }

    /// Masks the secrets of `report`, too.
    func add(_ report: ConfigReport) {
        let redactor = report.redactor
        masks.all.withLock { masks in
            masks = Array(masks.filter { $0.secrets != report.secrets }.suffix(Self.most - 1)) + [(report.secrets, redactor)]
        }
    }
}
