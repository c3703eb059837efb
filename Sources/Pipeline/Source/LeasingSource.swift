/// A cache that can hold a lease for each key, so that of many processes only one loads what none of them has.
public protocol LeasingSource: WritableSource {
    /// How processes share loads, or nil when the file does not ask for it. While nil, nothing below is called.
    var sharedFlight: SharedFlight? { get }

    /// Takes the lease of `key` for `holder`, unless another holder has one that has not run out. Taking it again makes it last anew.
    ///
    /// - Parameters:
    ///   - holder: names the one who loads, among all processes; any text.
    ///   - duration: after it the lease is over, whatever became of the holder.
    /// - Returns: whether `holder` has the lease now.
    func takeLease(of key: Key, for holder: String, lasting duration: Duration) async throws -> Bool

    /// Gives the lease back, when `holder` still has it. Nothing to give back is no error.
    func releaseLease(of key: Key, by holder: String) async throws
}
