/// Where the bytes of a trace come from, a chunk at a time.
protocol ByteSource: AnyObject {
    /// The next bytes; empty at the end, also when it is asked again.
    func next() throws(TraceError) -> [UInt8]
}

/// Bytes that are there already.
final class ArrayBytes: ByteSource {
    private var rest: ArraySlice<UInt8>
    private let size: Int

    /// - Parameter size: of a chunk.
    init(_ bytes: [UInt8], chunks size: Int = 1 << 18) {
        rest = bytes[...]
        self.size = size
    }

    func next() -> [UInt8] {
        defer { rest = rest.dropFirst(size) }
        return Array(rest.prefix(size))
    }
}
