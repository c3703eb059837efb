private import CZlib

/// Expands gzip (RFC 1952), also several members one behind the other.
final class GzipDecoder: Decoder {
    private let stream: UnsafeMutablePointer<z_stream>
    private(set) var isWhole = false

    init() throws(TraceError) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 31: the largest window, with the header and the end of gzip.
        guard inflateInit2_(stream, 31, zlibVersion(), Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            stream.deallocate()
            throw TraceError("no memory to expand the trace")
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    func expand(_ input: inout ArraySlice<UInt8>, isLast: Bool, into output: UnsafeMutableBufferPointer<UInt8>) -> Int? {
        if isWhole {
            // Some tapes and tools fill a file up with zeros.
            input = input.drop { $0 == 0 }
            guard !input.isEmpty else { return 0 }
            guard inflateReset(stream) == Z_OK else { return nil }
            isWhole = false
        }
        var bytes = input
        var result = Z_OK
        bytes.withUnsafeMutableBufferPointer { bytes in
            stream.pointee.next_in = bytes.baseAddress
            stream.pointee.avail_in = UInt32(bytes.count)
            stream.pointee.next_out = output.baseAddress
            stream.pointee.avail_out = UInt32(output.count)
            result = inflate(stream, Z_NO_FLUSH)
        }
        input = input.dropFirst(input.count - Int(stream.pointee.avail_in))
        isWhole = result == Z_STREAM_END
        guard isWhole || result == Z_OK || result == Z_BUF_ERROR else { return nil }
        return output.count - Int(stream.pointee.avail_out)
    }
}
