import CHiredis
import Pipeline

/// hiredis's parser of replies, and the only code that touches C.
///
/// It bounds the depth of arrays itself, `shim.h` their length, and ``next(limit:)`` the bytes of one reply.
final class ReplyReader {
    /// The reason why what came is no reply.
    struct Problem: Error {
        let words: String
    }

    private let reader: UnsafeMutablePointer<redisReader>
    /// The number of bytes that came since the last complete reply.
    private var pending = 0

    /// Makes a reader; nil if there is no memory for it.
    init?() {
        guard let reader = pipe_run_reader_create() else { return nil }
        self.reader = reader
    }

    deinit {
        pipe_run_reader_free(reader)
    }

    /// Takes bytes as they came from the network.
    func feed(_ bytes: UnsafeRawBufferPointer) throws {
        let result = redisReaderFeed(reader, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
        guard result == REDIS_OK else { throw problem }
        pending += bytes.count
    }

    /// The next complete reply; nil while its end has not come. Throws when it is none, or grows over `limit` bytes.
    func next(limit: Int) throws -> Reply? {
        var object: UnsafeMutableRawPointer?
        guard redisReaderGetReply(reader, &object) == REDIS_OK else { throw problem }
        guard let object else {
            guard pending <= limit else { throw Problem(words: "it is larger than \(limit) bytes") }
            return nil
        }
        defer { freeReplyObject(object) }
        pending = reader.pointee.len - reader.pointee.pos
        return try Self.reply(object.assumingMemoryBound(to: redisReply.self).pointee)
    }

    private var problem: Problem {
        let isTooLarge = reader.pointee.err == REDIS_ERR_OOM
        return Problem(words: isTooLarge ? "it has too many elements" : String(cString: pipe_run_reader_error(reader)).shortened)
    }

    private static func reply(_ reply: redisReply) throws -> Reply {
        switch reply.type {
        case REDIS_REPLY_STRING: .bytes(bytes(of: reply))
        case REDIS_REPLY_STATUS: .status(String(decoding: bytes(of: reply), as: UTF8.self))
        case REDIS_REPLY_ERROR: .error(String(decoding: bytes(of: reply), as: UTF8.self))
        case REDIS_REPLY_INTEGER: .integer(reply.integer)
        case REDIS_REPLY_NIL: .none
        case REDIS_REPLY_ARRAY:
            .array(
                try UnsafeBufferPointer(start: reply.element, count: reply.element == nil ? 0 : Int(reply.elements)).map { element in
                    guard let element else { throw Problem(words: "an element of it is missing") }
                    return try Self.reply(element.pointee)
                })
        default: throw Problem(words: "it is of an unknown type")
        }
    }

    private static func bytes(of reply: redisReply) -> [UInt8] {
        guard let start = reply.str else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(reply.len)))
    }
}

/// The reply of a server to one command (RESP2, https://redis.io/docs/latest/develop/reference/protocol-spec/).
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
