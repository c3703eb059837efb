/// How a trace is compressed.
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
    /// Whether the bytes so far end where compressed data may end.
    var isWhole: Bool { get }

    /// Expands the beginning of `input` into `output`, and removes what it took. Gives how many bytes it wrote; nil where the data are damaged.
    ///
    /// - Parameter isLast: whether nothing comes behind `input`.
    func expand(_ input: inout ArraySlice<UInt8>, isLast: Bool, into output: UnsafeMutableBufferPointer<UInt8>) -> Int?
}
