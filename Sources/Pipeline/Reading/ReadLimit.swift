/// When a wait has to end that has no result.
package struct ReadLimit: Sendable {
    /// The moment.
    package let end: Timestamp

    /// It ends at `end`.
    package init(end: Timestamp) {
        self.end = end
    }
}
