/// Keeps the feeds of a key running until it is released. It observes nothing, and fetches nothing.
final class LiveHold: Sendable {
    private let key: LiveKey

    /// - Parameter key: a key that is held; this gives it back.
    init(_ key: LiveKey) {
        self.key = key
    }

    deinit {
        key.lives.release(key)
    }
}
