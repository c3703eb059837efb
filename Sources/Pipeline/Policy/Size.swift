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

    /// Indicates whether `left` has fewer bytes.
    public static func < (left: Size, right: Size) -> Bool { left.bytes < right.bytes }
}

extension Size {
    /// As a file has it, in the largest unit that leaves no rest: `64MiB`, `512KB`, `1200`.
    package var spelling: String { inUnits ?? "\(bytes)" }

    /// As messages name it: `64MiB`, `512KB`, `1200 bytes`.
    package var words: String { inUnits ?? "\(bytes) bytes" }

    /// Units of 1024 first; nil where none leaves no rest.
    private var inUnits: String? {
        let units = [
            ("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("TB", 1_000_000_000_000), ("GB", 1_000_000_000),
            ("MB", 1_000_000), ("KB", 1_000),
        ]
        return units.first { bytes > 0 && bytes % $1 == 0 }.map { "\(bytes / $1)\($0)" }
    }
}
