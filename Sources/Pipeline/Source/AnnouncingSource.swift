/// A cache through which processes tell each other which values they removed or changed.
public protocol AnnouncingSource: WritableSource {
    /// Whether the file asks for it. While false, nothing below is called.
    var publishes: Bool { get }

    /// Tells every other process that listens, and not this one. Throws when it could not be said; nobody has been told then, or some.
    func publish(_ invalidation: InvalidationMessage) async throws

    /// Listens until the task is cancelled, and begins again by itself after an outage. A refusal is heard once, and tried again as well.
    ///
    /// `hear` is called for one event after the other, in the order in which they arrived.
    func subscribe(_ receive: @escaping @Sendable (SubscriptionEvent) async -> Void) async
}
