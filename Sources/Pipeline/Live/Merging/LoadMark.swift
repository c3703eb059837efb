/// Where the log stood when an origin was asked.
package struct LoadMark: Sendable, Hashable {
    /// Counts the loads of a key.
    let order: UInt64
    /// The last change before it.
    let number: UInt64
    let began: Timestamp
}
