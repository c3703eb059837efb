/// What a server answers to one command (RESP2, https://redis.io/docs/latest/develop/reference/protocol-spec/).
enum Reply: Sendable, Equatable {
    case bytes([UInt8])
    case status(String)
    case error(String)
    case integer(Int64)
    case none
    case array([Reply])

    /// Bytes as text; nil for any other reply.
    var text: String? {
        if case .bytes(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { nil }
    }
}
