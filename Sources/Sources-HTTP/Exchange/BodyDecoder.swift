private import CZlib
import NIOCore
import NIOHTTP1

/// Expands a body that was compressed (RFC 9110, section 8.4.1): gzip, of which several members are one value (RFC 1952, section 2.2), and
/// deflate, also without the wrapper of zlib, which some servers leave out. A body without a byte is empty.
final class BodyDecoder {
    enum Coding: Sendable {
        case gzip
        case deflate

        /// - Parameter name: the coding as a field names it, in lower case; nil for one that is unknown.
        init?(name: String) {
            switch name {
            case "gzip", "x-gzip": self = .gzip
            case "deflate": self = .deflate
            default: return nil
            }
        }
    }

    enum Problem: Error {
        case damaged
        case cutShort
        case tooLarge
    }

    private enum State {
        case new
        case inside
        case ended
    }

    private let coding: Coding
    /// The decoder that expands the bytes which this one gives; nil if they are the body.
    private let next: BodyDecoder?
    private let stream: UnsafeMutablePointer<z_stream>
    private var state = State.new
    /// The first byte of a deflated body, which does not tell alone whether there is a wrapper.
    private var held: ArraySlice<UInt8> = []

    /// The number of bytes that it has been given.
    private var given = 0

    private static let room = 32 << 10
    /// The number of bytes that may be given beyond those that come of them: what expands to nothing has no end otherwise.
    private static let mostOverhead = 1 << 20

    init(_ coding: Coding, then next: BodyDecoder? = nil) {
        self.coding = coding
        self.next = next
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Appends what `part` expands to; throws when `payload` would have more than `limit` bytes, and when so many and 1 MiB more were given to it,
    /// or to one that comes after it.
    func decode(_ part: ByteBuffer, into payload: inout [UInt8], limit: Int) throws(Problem) {
        given += part.readableBytes
        guard given - Self.mostOverhead <= limit else { throw .tooLarge }
        guard let next else { return try expand(part, into: &payload, limit: limit) }
        var bytes: [UInt8] = []
        try expand(part, into: &bytes, limit: limit)
        try next.decode(ByteBuffer(bytes: bytes), into: &payload, limit: limit)
    }

    private func expand(_ part: ByteBuffer, into payload: inout [UInt8], limit: Int) throws(Problem) {
        var bytes = held + part.readableBytesView
        held = []
        while !bytes.isEmpty {
            switch state {
            case .new:
                guard bytes.count > 1 || coding == .gzip else {
                    held = bytes
                    return
                }
                try open(bytes)
            case .inside: break
            case .ended:
                // Some tools fill a block up. Behind a deflated body there is nothing.
                bytes = bytes.drop { $0 == 0 }
                if bytes.isEmpty { return }
                guard coding == .gzip, inflateReset(stream) == Z_OK else { throw .damaged }
            }
            state = .inside
            try expand(&bytes, into: &payload, limit: limit)
        }
    }

    /// Throws when the body cannot end here.
    func end() throws(Problem) {
        guard state == .ended || state == .new && held.isEmpty else { throw .cutShort }
        try next?.end()
    }

    private func open(_ bytes: ArraySlice<UInt8>) throws(Problem) {
        let first = bytes.prefix(2).map(Int.init)
        // The wrapper of zlib begins with its method and a check (RFC 1950, section 2.2); -15 is for none, 31 for that of gzip.
        let isWrapped = first[0] & 15 == 8 && first[0] >> 4 < 8 && (first[0] << 8 + first[first.count - 1]) % 31 == 0
        let window: Int32 = coding == .gzip ? 31 : isWrapped ? 15 : -15
        guard inflateInit2_(stream, window, zlibVersion(), Int32(MemoryLayout<z_stream>.size)) == Z_OK else { throw .damaged }
    }

    /// Expands `bytes` as far as the stream goes, and removes them.
    private func expand(_ bytes: inout ArraySlice<UInt8>, into payload: inout [UInt8], limit: Int) throws(Problem) {
        var count = 0
        repeat {
            var (result, taken) = (Z_OK, 0)
            let expanded = [UInt8](unsafeUninitializedCapacity: Self.room) { room, written in
                bytes.withUnsafeMutableBufferPointer { bytes in
                    (stream.pointee.next_in, stream.pointee.avail_in) = (bytes.baseAddress, UInt32(bytes.count))
                    (stream.pointee.next_out, stream.pointee.avail_out) = (room.baseAddress, UInt32(Self.room))
                    result = inflate(stream, Z_NO_FLUSH)
                    taken = bytes.count - Int(stream.pointee.avail_in)
                }
                written = Self.room - Int(stream.pointee.avail_out)
            }
            count = expanded.count
            guard [Z_OK, Z_STREAM_END, Z_BUF_ERROR].contains(result) else { throw .damaged }
            guard count <= limit - payload.count else { throw .tooLarge }
            payload += expanded
            bytes = bytes.dropFirst(taken)
            if result == Z_STREAM_END { state = .ended }
            // What has no progress left waits for more bytes.
        } while state == .inside && (count == Self.room || !bytes.isEmpty)
    }
}

extension HTTPHeaders {
    /// The codings of the bytes of the value, in lower case; empty if they are as they were.
    var contentCodings: [String] {
        self[canonicalForm: "Content-Encoding"].map { $0.lowercased() }.filter { $0 != "identity" && !$0.isEmpty }
    }
}
