import Pipeline
import PipelineTesting

/// A cache with sound leases that names no holder of a fruitless one.
struct QuietLeases: SharedSource {
    let sharedFlight: SharedFlight? = SharedFlight()
    private let stub: StubSource

    init(clock: PipelineClock) {
        stub = StubSource(clock: clock)
    }

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? { try await stub.read(key) }
    func write(_ entry: Entry, for key: Key) async throws { try await stub.write(entry, for: key) }
    func remove(_ key: Key) async throws { try await stub.remove(key) }
    func clear(pipeline: String) async throws { try await stub.clear(pipeline: pipeline) }

    func takeLease(of key: Key, for holder: String, lasting duration: Duration) async throws -> Bool {
        try await stub.takeLease(of: key, for: holder, lasting: duration)
    }

    func releaseLease(of key: Key, by holder: String, fruitlessFor duration: Duration?) async throws {
        try await stub.releaseLease(of: key, by: holder, fruitlessFor: nil)
    }
}
