/// Keeps the feeds of a key running until it is released. It observes nothing, and fetches nothing.
final class LiveHold: Sendable {
    let key: LiveKey
    /// The number of the whole at the key; nil without one.
    private let number: UInt64?

    /// - Parameters:
    ///   - key: a key that is held; this gives it back.
    ///   - whole: what the key is a part of: it is told when the feeds of the key change their states.
    init(_ key: LiveKey, for whole: LiveKey? = nil) {
        self.key = key
        number = whole.map { key.join($0) }
    }

    deinit {
        if let number { key.leaveWhole(number) }
        key.lives.release(key)
    }
}
