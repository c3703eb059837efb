/// The load that gave the value of a snapshot.
package struct SnapshotLoad: Sendable {
    /// The tier that answered; nil where none has a value.
    package let source: String?
    /// What the tiers did, in order.
    package let attempts: [Attempt]

    package init(from source: String?, _ attempts: [Attempt]) { (self.source, self.attempts) = (source, attempts) }
}
