/// The metadata next to a payload, in `.NAME.meta`: one record, or two while a payload replaces another.
///
/// Payload and sidecar are two files, and no system renames two at once. So a sidecar first names both the payload that is
/// there and the one to come, and then the payload is renamed: at every instant the payload finds its own record, and
/// a payload that finds none was changed by other hands.
struct Sidecar: Equatable, Sendable {
    /// Oldest first; at most two.
    let records: [SidecarRecord]

    /// What is known of a payload.
    enum Finding {
        case record(SidecarRecord)
        /// The payload is one of these, less some of its bytes.
        case torn(PayloadIdentity)
        case nothing
    }

    /// What is known of the payload with `identity`.
    func finding(for identity: PayloadIdentity) -> Finding {
        // The last one first: after both renames it is the one that holds.
        if let record = records.last(where: { $0.identity == identity }) { return .record(record) }
        if let record = records.last(where: { identity.isTorn(from: $0.identity) }) { return .torn(record.identity) }
        return .nothing
    }

    /// The record of the payload with `identity`, or nil.
    func record(of identity: PayloadIdentity) -> SidecarRecord? {
        if case .record(let record) = finding(for: identity) { record } else { nil }
    }
}
