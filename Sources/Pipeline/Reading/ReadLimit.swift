/// When a wait without a result must end.
package struct ReadLimit: Sendable {
    /// The moment.
    package let end: Timestamp

    /// It ends at `end`.
    package init(end: Timestamp) {
        self.end = end
    }
}
