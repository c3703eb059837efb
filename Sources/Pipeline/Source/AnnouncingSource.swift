/// A cache through which processes publish to each other which values they removed or changed.
public protocol AnnouncingSource: WritableSource {
    /// Whether the file asks for it. While false, nothing below is called.
    var publishes: Bool { get }

    /// Publishes a message to every other process that subscribed, and not to this one. After an error, none or some have received it.
    func publish(_ invalidation: InvalidationMessage) async throws

    /// Subscribes until the task is cancelled, and again by itself after an outage or a refusal; a refusal is reported once.
    ///
    /// `receive` is called for one event after the other, in the order in which they arrive.
    func subscribe(_ receive: @escaping @Sendable (SubscriptionEvent) async -> Void) async
}
