/// A cache that several processes use. Through it they publish which values they removed or changed, and let only one of them load what none
/// of them has.
///
/// Each half is used only where the file asks for it: messages while ``publishes`` is true, leases while ``sharedFlight`` is not nil. Its
/// ``Source/style`` is ``ReadStyle/suspending`` or ``ReadStyle/punctual``.
public protocol SharedSource: WritableSource {
    /// Whether the file asks for messages between processes. False unless implemented.
    var publishes: Bool { get }

    /// Publishes a message to every other subscribed process. When it throws, some of them may have received the message, or none.
    func publish(_ invalidation: InvalidationMessage) async throws

    /// Receives the messages of other processes until the task is cancelled. Subscribes again by itself after an outage, and after a refusal,
    /// which it reports once.
    ///
    /// Calls `receive` for one event after the other, in the order in which they arrived.
    func subscribe(_ receive: @escaping @Sendable (SubscriptionEvent) async -> Void) async

    /// How processes share loads, or nil when the file does not ask for it. Nil unless implemented.
    var sharedFlight: SharedFlight? { get }

    /// Takes the lease of `key` for `holder`, unless another holder has one that has not run out. Taking it again makes it last anew: a
    /// holder does so at each third of `duration` while it loads.
    ///
    /// A lease found to last longer than `duration` from now on is cut to that: no lease may last that long, so a clock that was ahead set
    /// it, or another program.
    ///
    /// - Parameters:
    ///   - holder: names the load, among all loads of all processes; any text.
    ///   - duration: how long the lease lasts unless it is taken again, even when its holder is gone.
    /// - Returns: whether `holder` has the lease now.
    func takeLease(of key: Key, for holder: String, lasting duration: Duration) async throws -> Bool

    /// Releases the lease, when `holder` still has it. Otherwise does nothing, which is no error.
    ///
    /// One of the waiting processes then takes the lease, and the others wait for that process. The same happens after a holder that was
    /// cancelled or shut down.
    ///
    /// - Parameter duration: for a load that has ended and left nothing in the cache, so that the waiting processes would only fail one after the
    ///   other: how long ``lastFruitlessHolder(of:)`` names `holder`, unless another takes its place. Later leases do not change it. Nil for other
    ///   loads. A source that does not name holders has the waiting processes load one after the other.
    func releaseLease(of key: Key, by holder: String, fruitlessFor duration: Duration?) async throws

    /// The last holder that released the lease of `key` as fruitless; nil when there is none, or its time is over.
    ///
    /// A waiting process goes on as soon as this names a holder that it did not name when the wait began.
    func lastFruitlessHolder(of key: Key) async throws -> String?
}

extension SharedSource {
    /// No messages.
    public var publishes: Bool { false }

    /// Publishes nothing.
    public func publish(_ invalidation: InvalidationMessage) async throws {}

    /// Receives nothing.
    public func subscribe(_ receive: @escaping @Sendable (SubscriptionEvent) async -> Void) async {}

    /// No leases.
    public var sharedFlight: SharedFlight? { nil }

    /// True: no other process takes leases of this source.
    public func takeLease(of key: Key, for holder: String, lasting duration: Duration) async throws -> Bool { true }

    /// Does nothing: there is no lease to release.
    public func releaseLease(of key: Key, by holder: String, fruitlessFor duration: Duration?) async throws {}

    /// Nil: no holder is named.
    public func lastFruitlessHolder(of key: Key) async throws -> String? { nil }
}

extension WritableSource {
    /// The source, if several processes may use it. The cast costs time at the start of a program, so it is only tried for sources that can
    /// be shared.
    var asShared: (any SharedSource)? { style.peeks ? nil : self as? any SharedSource }
}

/// A message that one process publishes to the others that share a source with it: their own earlier copies may no longer hold.
///
/// New cases may come: switch with a `default`.
public enum InvalidationMessage: Sendable, Hashable {
    /// The value of this key was removed, put or loaded anew.
    case key(Key)
    /// Every value of the pipeline of this name was removed.
    case pipeline(String)
}

/// An event that a process receives through its subscription to the messages of others.
///
/// New cases may come: switch with a `default`.
public enum SubscriptionEvent: Sendable, Hashable {
    /// From now on every message arrives. Those published before this moment, or before it and since the last, may have been missed.
    case began
    /// The source was reached and refuses the subscription for this reason: a sentence part, lower case, without a full stop. It holds until
    /// the next beginning.
    case refused(String)
    /// Another process published a message.
    case received(InvalidationMessage)
}
