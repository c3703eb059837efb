private import CLzma
private import CZlib
private import CZstd
package import PipelineConfig

/// A way in which a trace is compressed.
enum Compression: String, CaseIterable {
    case gzip
    case xz
    case zstd

    /// The compression whose first bytes `bytes` begins with.
    init?(magicOf bytes: [UInt8]) {
        if let found = Self.allCases.first(where: { bytes.starts(with: $0.magic) }) {
            self = found
        } else if let first = bytes.first, first & 0xF0 == 0x50, bytes.dropFirst().starts(with: [0x2A, 0x4D, 0x18]) {
            // A frame to be skipped, which may stand before all others (RFC 8878, section 3.1.2).
            self = .zstd
        } else {
            return nil
        }
    }

    /// The compression that the end of a file's name stands for.
    init?(nameOf path: String) {
        guard let found = Self.allCases.first(where: { path.hasSuffix($0.suffix) }) else { return nil }
        self = found
    }

    private var magic: [UInt8] {
        switch self {
        case .gzip: [0x1F, 0x8B, 0x08]
        case .xz: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]
        case .zstd: [0x28, 0xB5, 0x2F, 0xFD]
        }
    }

    private var suffix: String {
        switch self {
        case .gzip: ".gz"
        case .xz: ".xz"
        case .zstd: ".zst"
        }
    }

    func makeDecoder() throws(TraceError) -> any Decoder {
        switch self {
        case .gzip: try GzipDecoder()
        case .xz: try XzDecoder()
        case .zstd: try ZstdDecoder()
        }
    }
}

/// Expands compressed bytes.
protocol Decoder: AnyObject {
    /// Indicates whether the bytes so far end where compressed data may end.
    var isWhole: Bool { get }

    /// Expands the beginning of `input` into `output`, and removes what it took. Returns the number of bytes that it wrote; nil if the data
    /// are damaged.
    ///
    /// - Parameter isLast: whether nothing comes behind `input`.
    func expand(_ input: inout ArraySlice<UInt8>, isLast: Bool, into output: UnsafeMutableBufferPointer<UInt8>) -> Int?
}

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

extension LinkedLibrary {
    package static var zlib: LinkedLibrary { LinkedLibrary(name: "zlib", version: zlibVersion()) }
}

/// Expands xz, also several streams one behind the other.
final class XzDecoder: Decoder {
    private let stream: UnsafeMutablePointer<lzma_stream>
    private(set) var isWhole = false

    /// The most memory: more than `xz -9` needs.
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

extension LinkedLibrary {
    package static var xz: LinkedLibrary { LinkedLibrary(name: "xz", version: lzma_version_string()) }
}

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

extension LinkedLibrary {
    package static var zstd: LinkedLibrary { LinkedLibrary(name: "zstd", version: ZSTD_versionString()) }
}
