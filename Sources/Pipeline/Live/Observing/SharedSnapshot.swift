/// What observers of a key see at one moment: one object for all of them.
final class SharedSnapshot: Sendable {
    let key: Key
    let revision: UInt64
    let value: SnapshotValue
    /// What changes are found by; nil where the next value cannot be compared with it.
    let contents: MergedContents?
    let status: LiveStatus

    init(_ key: Key, revision: UInt64, _ value: SnapshotValue, _ contents: MergedContents? = nil, status: LiveStatus) {
        (self.key, self.revision, self.value, self.contents, self.status) = (key, revision, value, contents, status)
    }

    /// The same, for an observer whose next value cannot be compared with it.
    var withoutContents: SharedSnapshot { SharedSnapshot(key, revision: revision, value, status: status) }

    /// Whether an observer sees no difference.
    func isSame(as other: SharedSnapshot) -> Bool {
        self === other || revision == other.revision && status == other.status
    }
}
