import CBareHiredis
import Glibc

/// The least that the driver needs for the same bytes: hiredis, a connection of its own, and a thread that waits for each reply.
final class BareRedis {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let context: UnsafeMutablePointer<redisContext>
    private let arguments: [UnsafePointer<CChar>?]
    private let lengths: [Int]

    init(port: UInt16, key: String) throws(Failure) {
        guard let context = redisConnect("127.0.0.1", CInt(port)) else { throw Failure(description: "out of memory") }
        guard context.pointee.err == 0 else {
            redisFree(context)
            throw Failure(description: "no connection to the server")
        }
        self.context = context
        let words = ["GET", key]
        arguments = words.map { UnsafePointer(strdup($0)) }
        lengths = words.map(\.utf8.count)
    }

    deinit {
        redisFree(context)
        for argument in arguments { free(UnsafeMutablePointer(mutating: argument)) }
    }

    /// Reads the value; gives how many bytes it has.
    func read() -> Int {
        var arguments = arguments
        let answer = redisCommandArgv(context, CInt(arguments.count), &arguments, lengths)
        guard let answer else { preconditionFailure("the server has gone") }
        defer { freeReplyObject(answer) }
        return answer.assumingMemoryBound(to: redisReply.self).pointee.len
    }
}
