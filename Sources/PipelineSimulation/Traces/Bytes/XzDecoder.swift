private import CLzma

/// Expands xz, also several streams one behind the other.
final class XzDecoder: Decoder {
    private let stream: UnsafeMutablePointer<lzma_stream>
    private(set) var isWhole = false

    /// More than `xz -9` needs.
    private static let memory: UInt64 = 256 << 20
    /// `LZMA_CONCATENATED`, a macro.
    private static let concatenated: UInt32 = 8

    init() throws(TraceError) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: lzma_stream())
        guard lzma_stream_decoder(stream, Self.memory, Self.concatenated) == LZMA_OK else {
            stream.deallocate()
            throw TraceError("no memory to expand the trace")
        }
    }

    deinit {
        lzma_end(stream)
        stream.deallocate()
    }

    func expand(_ input: inout ArraySlice<UInt8>, isLast: Bool, into output: UnsafeMutableBufferPointer<UInt8>) -> Int? {
        guard !isWhole else { return 0 }
        var result = LZMA_OK
        input.withUnsafeBufferPointer { bytes in
            stream.pointee.next_in = bytes.baseAddress
            stream.pointee.avail_in = bytes.count
            stream.pointee.next_out = output.baseAddress
            stream.pointee.avail_out = output.count
            result = lzma_code(stream, isLast ? LZMA_FINISH : LZMA_RUN)
        }
        input = input.dropFirst(input.count - stream.pointee.avail_in)
        isWhole = result == LZMA_STREAM_END
        guard isWhole || result == LZMA_OK || result == LZMA_BUF_ERROR else { return nil }
        return output.count - stream.pointee.avail_out
    }
}
