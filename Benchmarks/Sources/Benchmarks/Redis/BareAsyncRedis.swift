import CBareHiredis
import Glibc
import NIOCore
import NIOPosix

/// The least that an asynchronous `GET` costs through the libraries that the tier uses, too: a channel of SwiftNIO, hiredis's reader, and
/// a continuation. It limits nothing, cannot be cancelled, and asks for one key, whose command was written beforehand.
struct BareAsyncRedis {
    private let channel: any Channel
    private let command: ByteBuffer

    init(port: UInt16, key: String) async throws {
        channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(BareHandler()) }
            }
            .connect(host: "127.0.0.1", port: Int(port)).get()
        command = ByteBuffer(string: "*2\r\n$3\r\nGET\r\n$\(key.utf8.count)\r\n\(key)\r\n")
    }

    /// Reads the value; its bytes are the caller's.
    func read() async -> [UInt8] {
        await withCheckedContinuation { waiter in
            channel.writeAndFlush(BareHandler.Question(command: command, waiter: waiter), promise: nil)
        }
    }

    func close() async throws {
        try await channel.close()
    }
}

/// Gives each reply to who asked first.
private final class BareHandler: ChannelDuplexHandler {
    struct Question: Sendable {
        let command: ByteBuffer
        let waiter: CheckedContinuation<[UInt8], Never>
    }

    typealias InboundIn = ByteBuffer
    typealias OutboundIn = Question
    typealias OutboundOut = ByteBuffer

    private let reader: UnsafeMutablePointer<redisReader>
    private var waiters = CircularBuffer<CheckedContinuation<[UInt8], Never>>()

    init() throws(BareRedis.Failure) {
        guard let reader = redisReaderCreate() else { throw BareRedis.Failure(description: "out of memory") }
        self.reader = reader
    }

    deinit {
        redisReaderFree(reader)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let question = unwrapOutboundIn(data)
        waiters.append(question.waiter)
        context.write(wrapOutboundOut(question.command), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        unwrapInboundIn(data).withUnsafeReadableBytes { bytes in
            _ = redisReaderFeed(reader, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
        }
        var object: UnsafeMutableRawPointer?
        while redisReaderGetReply(reader, &object) == REDIS_OK, let reply = object {
            defer { freeReplyObject(reply) }
            let text = reply.assumingMemoryBound(to: redisReply.self).pointee
            waiters.removeFirst().resume(returning: Array(UnsafeRawBufferPointer(start: text.str, count: Int(text.len))))
        }
    }
}
