/// A number of bytes, written `512KB` (thousands) or `64MiB` (powers of 1024).
public struct Size: Sendable, Hashable, Comparable {
    /// The bytes.
    public let bytes: Int

    /// `bytes` bytes.
    public init(bytes: Int) {
        self.bytes = bytes
    }

    /// `count` × 1024 × 1024 bytes.
    public static func mebibytes(_ count: Int) -> Size { Size(bytes: count << 20) }

    /// Whether `left` has fewer bytes.
    public static func < (left: Size, right: Size) -> Bool { left.bytes < right.bytes }
}
