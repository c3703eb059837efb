/// A cache that can hold a lease for each key, so that of many processes only one loads what none of them has.
public protocol LeasingSource: WritableSource {
    /// How processes share loads, or nil when the file does not ask for it. While nil, nothing below is called.
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

extension LeasingSource {
    /// Gives it back, and tells nobody why.
    public func releaseFruitlessLease(of key: Key, by holder: String, rememberedFor duration: Duration) async throws {
        try await releaseLease(of: key, by: holder)
    }

    /// Nobody.
    public func lastFruitlessHolder(of key: Key) async throws -> String? { nil }
}
