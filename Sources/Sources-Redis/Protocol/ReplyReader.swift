import CHiredis
import Pipeline
internal import PipelineServer

/// hiredis's parser of replies, and the only code that touches C.
///
/// It bounds the depth of arrays itself, `shim.h` their length, and ``next(limit:)`` the bytes of one reply.
final class ReplyReader {
    /// Why what came is no reply.
    struct Problem: Error {
        let words: String
    }

    private let reader: UnsafeMutablePointer<redisReader>
    /// How many bytes came since the last whole reply.
    private var pending = 0

    /// Nil when there is no memory for it.
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

    /// The next whole reply, or nil while it is not whole. Throws when it is none, or grows over `limit` bytes.
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
