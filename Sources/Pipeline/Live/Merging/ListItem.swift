internal import PipelineJSON

/// An item that takes a place in a list.
struct ListItem: Sendable {
    let mark: ItemMark
    let bytes: [UInt8]
    /// Where its version stands in the bytes, and what it is sorted by; nil for what it lacks.
    let version: Int?
    let key: Int?

    init(_ id: ItemID, _ bytes: [UInt8], _ policy: MergePolicy) {
        mark = id.mark
        self.bytes = bytes
        version = policy.version.flatMap { JSONScanner.place(ofScalar: $0, in: bytes, at: bytes.indices) }
        key = policy.sortKey.flatMap { JSONScanner.place(ofScalar: $0, in: bytes, at: bytes.indices) }
    }
}

extension MergePolicy {
    /// What the list is sorted by; nil where it is not.
    var sortKey: JSONPointer? {
        if case .sorted(let pointer, _) = insertion { pointer } else { nil }
    }
}
