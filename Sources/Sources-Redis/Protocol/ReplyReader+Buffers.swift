import NIOCore

extension ReplyReader {
    /// Takes the readable bytes of `buffer`.
    func feed(_ buffer: ByteBuffer) throws {
        try buffer.withUnsafeReadableBytes { try feed($0) }
    }
}
