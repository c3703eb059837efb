import CZlib

/// Decompresses gzip.
enum Gunzip {
    /// Nil when the bytes are not one whole gzip stream.
    static func bytes(of compressed: [UInt8], limit: Int = 1 << 23) -> [UInt8]? {
        var stream = z_stream()
        guard inflateInit2_(&stream, 31, zlibVersion(), Int32(MemoryLayout<z_stream>.size)) == Z_OK else { return nil }
        defer { inflateEnd(&stream) }
        var input = compressed
        var output = [UInt8](repeating: 0, count: limit)
        let (result, count) = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                let result = inflate(&stream, Z_FINISH)
                return (result, output.count - Int(stream.avail_out))
            }
        }
        return result == Z_STREAM_END && stream.avail_in == 0 ? Array(output[..<count]) : nil
    }
}
