import Pipeline
import PipelineLive
import Synchronization

/// A change source that sends what it is handed, on the calling thread.
final class BurstSource: LiveSource {
    private let listener = Mutex<LiveListener?>(nil)

    func channel(for key: Key) throws -> String { "burst" }

    func listen(for key: Key, to listener: LiveListener) async throws -> LiveEnding {
        self.listener.withLock { $0 = listener }
        listener.begin()
        // Open until nothing needs it any more.
        try await PipelineClock.system.sleep(for: .seconds(3_600))
        return LiveEnding(.ended, "nothing more to tell")
    }

    /// Sends messages as fast as they are taken.
    func send(_ messages: [[UInt8]]) {
        guard let listener = listener.withLock({ $0 }) else { return }
        for message in messages { listener.receive(LiveMessage(message)) }
    }
}
