/// A cache that several processes use: they tell each other through it which values they removed or changed, and let only one of them load
/// what none of them has.
///
/// Each half is called only where the file asks for it: messages while ``announces`` is true, leases while ``sharedFlight`` is not nil. Its
/// ``Source/style`` is ``ReadStyle/suspending`` or ``ReadStyle/punctual``.
public protocol SharedSource: WritableSource {
    /// Whether the file asks for messages between processes. False unless implemented.
    var publishes: Bool { get }

    /// Tells every other process that listens, and not this one. Throws when it could not be said; nobody has been told then, or some.
    func publish(_ invalidation: InvalidationMessage) async throws

    /// Listens until the task is cancelled, and begins again by itself after an outage. A refusal is heard once, and tried again as well.
    ///
    /// `hear` is called for one event after the other, in the order in which they arrived.
    func subscribe(_ receive: @escaping @Sendable (SubscriptionEvent) async -> Void) async

    /// How processes share loads, or nil when the file does not ask for it. Nil unless implemented.
    var sharedFlight: SharedFlight? { get }

    /// Takes the lease of `key` for `holder`, unless another holder has one that has not run out. Taking it again makes it last anew: a
    /// holder does so at each third of `duration` while it loads.
    ///
    /// A lease found to last longer than `duration` from now on is cut to that: no lease may last that long, so a clock that was ahead set
    /// it, or another program. Nobody waits for it any longer.
    ///
    /// - Parameters:
    ///   - holder: names the one who loads, among all processes; any text.
    ///   - duration: after it the lease is over unless it was taken again, whatever became of the holder.
    /// - Returns: whether `holder` has the lease now.
    func takeLease(of key: Key, for holder: String, lasting duration: Duration) async throws -> Bool

    /// Gives the lease back, when `holder` still has it. Nothing to give back is no error.
    ///
    /// Of those who wait one takes it over, and the others wait for that one: so it is with a holder that was cancelled or shut down, too.
    func releaseLease(of key: Key, by holder: String) async throws

    /// Gives the lease back as ``releaseLease(of:by:)`` does, and has ``lastFruitlessHolder(of:)`` name `holder`: its load has ended, and the
    /// cache has nothing of it, so that those who wait would only fail one after the other. Names nobody when `holder` does not have the
    /// lease any more.
    ///
    /// A source that does not implement this has those who wait load in turn.
    ///
    /// - Parameter duration: for so long the holder is named, unless another takes its place; the next leases change nothing about it.
    func releaseFruitlessLease(of key: Key, by holder: String, rememberedFor duration: Duration) async throws

    /// Who gave the lease of `key` back in vain last, by ``releaseFruitlessLease(of:by:rememberedFor:)``; nil when nobody did, or its time is over.
    ///
    /// Who waits goes on as soon as this names somebody whom it did not name when the wait began.
    func lastFruitlessHolder(of key: Key) async throws -> String?
}

extension SharedSource {
    /// No messages.
    public var publishes: Bool { false }

    /// Tells nobody.
    public func publish(_ invalidation: InvalidationMessage) async throws {}

    /// Hears nothing.
    public func subscribe(_ receive: @escaping @Sendable (SubscriptionEvent) async -> Void) async {}

    /// No leases.
    public var sharedFlight: SharedFlight? { nil }

    /// There is nobody to share with.
    public func takeLease(of key: Key, for holder: String, lasting duration: Duration) async throws -> Bool { true }

    /// There is nothing to give back.
    public func releaseLease(of key: Key, by holder: String) async throws {}

    /// Gives it back, and tells nobody why.
    public func releaseFruitlessLease(of key: Key, by holder: String, rememberedFor duration: Duration) async throws {
        try await releaseLease(of: key, by: holder)
    }

    /// Nobody.
    public func lastFruitlessHolder(of key: Key) async throws -> String? { nil }
}

extension Source {
    /// The source, where several processes use it. A cast: it costs time at the start of a program, and so only sources that may be one are
    /// tried.
    var asShared: (any SharedSource)? { style.peeks ? nil : self as? any SharedSource }
}
