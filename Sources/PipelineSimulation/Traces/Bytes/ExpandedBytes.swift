internal import Pipeline

/// The bytes that compressed bytes expand to, within bounds.
final class ExpandedBytes: ByteSource {
    /// The bounds within which a trace may expand. A small file that fills the disk or the memory of who reads it ends here.
    struct Limit {
        /// The most bytes of all of the trace.
        var bytes = 64 << 30
        /// The greatest ratio of the expanded to the compressed bytes, once there are ``free`` bytes.
        var ratio = 500
        /// The bytes to which it may expand in any case.
        var free = 64 << 20
    }

    private let source: any ByteSource
    private let compression: Compression
    private let decoder: any Decoder
    private let limit: Limit
    private var pending: ArraySlice<UInt8> = []
    private var hasEnded = false
    private var taken = 0
    private var given = 0

    private static let room = 1 << 18

    init(_ source: any ByteSource, _ compression: Compression, limit: Limit = Limit()) throws(TraceError) {
        self.source = source
        self.compression = compression
        self.limit = limit
        decoder = try compression.makeDecoder()
    }

    func next() throws(TraceError) -> [UInt8] {
        while true {
            if pending.isEmpty, !hasEnded {
                pending = try source.next()[...]
                hasEnded = pending.isEmpty
                taken += pending.count
            }
            let before = pending.count
            let bytes = try expand()
            if !bytes.isEmpty { return try checked(bytes) }
            if hasEnded, pending.isEmpty {
                guard decoder.isWhole else {
                    throw TraceError("the trace is cut short: its \(compression.rawValue) data break off at byte \(taken)")
                }
                return []
            }
            guard pending.count < before || !hasEnded && pending.isEmpty else { throw damaged }
        }
    }

    private func expand() throws(TraceError) -> [UInt8] {
        var written: Int?
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.room) { buffer, count in
            let room = UnsafeMutableBufferPointer(rebasing: buffer[..<Self.room])
            written = decoder.expand(&pending, isLast: hasEnded, into: room)
            count = written ?? 0
        }
        guard written != nil else { throw damaged }
        return bytes
    }

    private var damaged: TraceError {
        TraceError("the trace is damaged: its \(compression.rawValue) data cannot be expanded near byte \(taken - pending.count)")
    }

    private func checked(_ bytes: [UInt8]) throws(TraceError) -> [UInt8] {
        given += bytes.count
        guard given <= limit.bytes else {
            throw TraceError(
                "the trace expands to more than \(Size(bytes: limit.bytes).words)", help: "expand it yourself, and give the result")
        }
        guard given <= limit.free || given / limit.ratio <= taken else {
            throw TraceError(
                "the trace expands to more than \(limit.ratio) times its \(compression.rawValue) data, which no usual trace does",
                help: "expand it yourself, and give the result")
        }
        return bytes
    }
}
