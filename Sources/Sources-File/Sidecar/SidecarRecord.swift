internal import Pipeline

/// What a sidecar keeps of one payload: which one, for which key, and its metadata.
struct SidecarRecord: Equatable, Sendable {
    let identity: PayloadIdentity
    /// The text of the key that the payload was written for.
    let key: String
    /// The entry, its payload left empty.
    let entry: Entry

    /// The record of `entry` as the payload with `identity`.
    init(of entry: Entry, key: String, identity: PayloadIdentity) {
        self.identity = identity
        self.key = key
        var entry = entry
        entry.payload = []
        self.entry = entry
    }
}
