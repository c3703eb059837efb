private import CZstd

/// Expands zstd, also several frames one behind the other. A frame that needs a window of more than 128 MiB is refused, as by `zstd -d`.
final class ZstdDecoder: Decoder {
    private let stream: OpaquePointer
    private(set) var isWhole = false

    init() throws(TraceError) {
        guard let stream = ZSTD_createDStream() else { throw TraceError("no memory to expand the trace") }
        self.stream = stream
    }

    deinit {
        ZSTD_freeDStream(stream)
    }

    func expand(_ input: inout ArraySlice<UInt8>, isLast: Bool, into output: UnsafeMutableBufferPointer<UInt8>) -> Int? {
        guard !isWhole || !input.isEmpty else { return 0 }
        var room = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
        let (result, taken) = input.withUnsafeBufferPointer { bytes in
            var data = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: 0)
            return (ZSTD_decompressStream(stream, &room, &data), data.pos)
        }
        input = input.dropFirst(taken)
        guard ZSTD_isError(result) == 0 else { return nil }
        isWhole = result == 0
        return room.pos
    }
}
