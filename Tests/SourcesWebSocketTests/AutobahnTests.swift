import Foundation
import NIOCore
import NIOPosix
import NIOWebSocket
import Pipeline
import PipelineLive
import PipelineSockets
import Synchronization
import Testing

@testable import SourcesWebSocket

/// Where the server listens; nil where there is none.
private let autobahnServer = ProcessInfo.processInfo.environment["AUTOBAHN_SERVER"]

/// The cases of the Autobahn test suite, whose server `scripts/autobahn` starts. It judges them, and the script reads its report.
@Suite(.enabled(if: autobahnServer != nil, "`make autobahn` starts the server"))
struct AutobahnTests {
    @Test func `every case is played`() async throws {
        let count = try #require(try await play("/getCaseCount", echoes: false).first.flatMap { Int($0) })
        for number in 1...count { _ = try await play("/runCase?case=\(number)&agent=pipe-run", echoes: true) }
        _ = try await play("/updateReports?agent=pipe-run", echoes: false)
        #expect(count > 200)
    }

    /// The messages of one connection, which are sent back where the case wants it.
    private func play(_ path: String, echoes: Bool) async throws -> [String] {
        var settings = WebSocketSettings(url: try .written("ws://" + (autobahnServer ?? "") + path))
        settings.maxMessage = .mebibytes(32)
        let opening = try settings.opening(for: Key(pipeline: "autobahn"))
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let ended = eventLoop.makePromise(of: LiveEnding.self)
        let messages = Mutex<[String]>([])
        let channel = try await ClientBootstrap(group: eventLoop).connect(host: opening.url.host, port: opening.url.port).get()
        try await eventLoop.submit { [settings] in
            let binary = NIOLoopBound(BinaryEcho(), eventLoop: eventLoop)
            let listener = LiveListener { event in
                switch event {
                case .began: binary.value.join(channel)
                case .message(let message) where echoes: channel.echo(.text, ByteBuffer(bytes: message.payload ?? []))
                case .message(let message): messages.withLock { $0.append(String(decoding: message.payload ?? [], as: UTF8.self)) }
                case .skipped: channel.echo(.binary, binary.value.taken)
                default: break
                }
            }
            let session = Session(opening, settings: settings, clock: .system, isTrial: false, listener: listener, ended: ended)
            session.closes { _ in channel.close(promise: nil) }
            try channel.pipeline.syncOperations.addHandler(HandshakeHandler(session, isSecure: false))
        }.get()
        _ = try? await ended.futureResult.get()
        try? await channel.closeFuture.get()
        return messages.withLock { $0 }
    }
}

extension Channel {
    fileprivate func echo(_ opcode: WebSocketOpcode, _ bytes: ByteBuffer) {
        writeAndFlush(WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: bytes), promise: nil)
    }
}

/// Keeps the bytes of binary messages, which the source itself skips.
private final class BinaryEcho: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame

    private var bytes = ByteBuffer()

    /// The bytes since the last call.
    var taken: ByteBuffer {
        defer { bytes = ByteBuffer() }
        return bytes
    }

    func join(_ channel: any Channel) {
        let pipeline = channel.pipeline.syncOperations
        guard let frames = try? pipeline.handler(type: FrameHandler.self) else { return }
        try? pipeline.addHandler(self, position: .before(frames))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var frame = unwrapInboundIn(data)
        switch frame.opcode {
        case .text: bytes = ByteBuffer()
        case .binary: bytes = frame.data
        case .continuation: bytes.writeBuffer(&frame.data)
        default: break
        }
        context.fireChannelRead(data)
    }
}
