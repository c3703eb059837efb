/// One observer of a key.
final class LiveObserver: Sendable {
    func next() async -> Snapshot? { nil }
}
