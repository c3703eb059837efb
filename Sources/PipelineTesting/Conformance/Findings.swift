import Synchronization

/// The sentences of one check; tasks that run at the same time may add to it.
final class Findings: Sendable {
    private let noted = Mutex<[String]>([])

    var sentences: [String] { noted.withLock { $0 } }

    func note(_ sentence: String) {
        noted.withLock { $0.append(sentence) }
    }

    func expect(_ condition: Bool, _ sentence: @autoclosure () -> String) {
        if !condition { note(sentence()) }
    }
}
