/// A number of bytes, written `512KB` (thousands) or `64MiB` (powers of 1024).
public struct Size: Sendable, Hashable, Comparable {
    /// The number of bytes.
    public let bytes: Int

    /// A size of `bytes` bytes.
    public init(bytes: Int) {
        self.bytes = bytes
    }

    /// `count` × 1024 × 1024 bytes.
    package static func mebibytes(_ count: Int) -> Size { Size(bytes: count << 20) }

    /// Whether `left` has fewer bytes.
    public static func < (left: Size, right: Size) -> Bool { left.bytes < right.bytes }
}

extension Size {
    /// As a file has it, in the largest unit that leaves no rest: `64MiB`, `1000`.
    package var spelling: String {
        for (unit, shift) in [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)] where bytes > 0 && bytes % (1 << shift) == 0 {
            return "\(bytes >> shift)\(unit)"
        }
        return "\(bytes)"
    }

    /// As messages name it: `64MiB`, `1000 bytes`.
    package var words: String { bytes % 1_024 == 0 && bytes > 0 ? spelling : "\(bytes) bytes" }
}
