private import CZlib
internal import Pipeline
private import Synchronization

/// Compresses a body piece by piece, as gzip (RFC 1952).
final class GzipStream: Sendable {
    private let stream: Mutex<UnsafeMutablePointer<z_stream>>

    /// Nil when there is no memory to begin.
    init?() {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 31: the largest window, with the header and the end of gzip.
        let size = Int32(MemoryLayout<z_stream>.size)
        let result = deflateInit2_(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY, zlibVersion(), size)
        guard result == Z_OK else {
            stream.deallocate()
            return nil
        }
        self.stream = Mutex(stream)
    }

    deinit {
        stream.withLock { stream in
            deflateEnd(stream)
            stream.deallocate()
        }
    }

    /// Whether compressing makes the beginning of `bytes` smaller; what is compressed already, or encrypted, only grows.
    static func shrinks(_ bytes: [UInt8]) -> Bool {
        let sample = bytes.prefix(16 << 10)
        return GzipStream().map { $0.compress(sample, isLast: true).count < sample.count } ?? false
    }

    /// What `bytes` come to, as far as that is certain; with `isLast`, all that is left.
    func compress(_ bytes: ArraySlice<UInt8>, isLast: Bool) -> [UInt8] {
        stream.withLock { stream in
            var input = Array(bytes)
            let room = Int(deflateBound(stream, UInt(input.count))) + 64
            return input.withUnsafeMutableBufferPointer { input in
                stream.pointee.next_in = input.baseAddress
                stream.pointee.avail_in = UInt32(input.count)
                var output: [UInt8] = []
                repeat {
                    output += [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
                        stream.pointee.next_out = buffer.baseAddress
                        stream.pointee.avail_out = UInt32(room)
                        deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
                        count = room - Int(stream.pointee.avail_out)
                    }
                    // What it could not hand over for want of room comes with the next round.
                } while stream.pointee.avail_out == 0
                stream.pointee.next_in = nil
                stream.pointee.next_out = nil
                return output
            }
        }
    }
}
