import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket
import Synchronization

/// A WebSocket server on a free loopback port that sends bytes as a script says, right or wrong ones.
final class RawServer: Sendable {
    enum Step: Sendable {
        /// The answer that agrees, whatever comes behind it in the same write.
        case accept([UInt8] = [])
        /// A head in place of it, with CR and LF for each line break, and an empty line behind.
        case head(String)
        case bytes([UInt8])
        case close
    }

    private struct State {
        var heads: [String] = []
        var channel: (any Channel)?
    }

    private let steps: [Step]
    private let state = Mutex(State())
    /// What clients sent after the handshake, frame by frame.
    private let frames: AsyncStream<ClientFrame>
    private let sent: AsyncStream<ClientFrame>.Continuation
    private let arrivals: AsyncStream<Void>
    private let arrived: AsyncStream<Void>.Continuation
    private let closings: AsyncStream<Void>
    private let closed: AsyncStream<Void>.Continuation

    private init(_ steps: [Step]) {
        self.steps = steps
        (frames, sent) = AsyncStream.makeStream()
        (arrivals, arrived) = AsyncStream.makeStream()
        (closings, closed) = AsyncStream.makeStream()
    }

    /// Runs `body` with a server that does `steps` on each connection, when its request has come.
    static func run(_ steps: [Step], tls: NIOSSLContext? = nil, _ body: (RawServer) async throws -> Void) async throws {
        let server = RawServer(steps)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    try channel.pipeline.syncOperations.addHandler(Connection(server))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        server.state.withLock { $0.channel = channel }
        do {
            try await body(server)
        } catch {
            try? await channel.close()
            throw error
        }
        try? await channel.close()
    }

    var authority: String { "127.0.0.1:\(state.withLock { $0.channel?.localAddress?.port ?? 0 })" }
    var heads: [String] { state.withLock(\.heads) }

    /// The next frame of a client that no earlier call gave; nil when there is none to come.
    func frame() async -> ClientFrame? {
        for await frame in frames { return frame }
        return nil
    }

    /// Returns when a request has come.
    func arrival() async {
        for await _ in arrivals { return }
    }

    /// Returns when a connection has been closed.
    func closing() async {
        for await _ in closings { return }
    }

    private func perform(_ request: String, on channel: any Channel) {
        state.withLock { $0.heads.append(request) }
        arrived.yield()
        var head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")
        for line in request.split(separator: "\r\n").dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            head.headers.add(name: String(parts[0]), value: parts[1].trimmingPrefix(" ").description)
        }
        let upgrader = NIOWebSocketServerUpgrader(
            shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture([:]) },
            upgradePipelineHandler: { channel, _ in channel.eventLoop.makeSucceededVoidFuture() })
        upgrader.buildUpgradeResponse(channel: channel, upgradeRequest: head, initialResponseHeaders: [:]).whenSuccess { fields in
            for step in self.steps {
                switch step {
                case .accept(let bytes):
                    let lines = ["HTTP/1.1 101 Switching Protocols", "Connection: Upgrade"] + fields.map { "\($0.name): \($0.value)" }
                    channel.writeAndFlush(
                        ByteBuffer(bytes: Array((lines + ["", ""]).joined(separator: "\r\n").utf8) + bytes), promise: nil)
                case .head(let text):
                    let accept = fields.first(name: "Sec-WebSocket-Accept") ?? ""
                    let text = text.replacing("ACCEPT", with: accept).replacing("\n", with: "\r\n") + "\r\n\r\n"
                    channel.writeAndFlush(ByteBuffer(string: text), promise: nil)
                case .bytes(let bytes): channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
                case .close: channel.close(promise: nil)
                }
            }
        }
    }

    /// The bytes of one connection: a request, then frames.
    private final class Connection: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let server: RawServer
        private var received: [UInt8] = []
        private var isOpen = false

        init(_ server: RawServer) { self.server = server }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            received += unwrapInboundIn(data).readableBytesView
            if !isOpen {
                guard let end = received.firstRange(of: Array("\r\n\r\n".utf8)) else { return }
                let request = String(decoding: received[..<end.lowerBound], as: UTF8.self)
                received.removeFirst(end.upperBound)
                isOpen = true
                server.perform(request, on: context.channel)
            }
            while let frame = ClientFrame(takingFrom: &received) { server.sent.yield(frame) }
        }

        func channelInactive(context: ChannelHandlerContext) { server.closed.yield() }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}

/// A frame of a client, unmasked.
struct ClientFrame: Equatable, Sendable {
    let opcode: UInt8
    let isMasked: Bool
    let bytes: [UInt8]

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The code of a close frame.
    var code: Int? { opcode == 8 && bytes.count >= 2 ? Int(bytes[0]) << 8 | Int(bytes[1]) : nil }

    /// Takes the first whole frame, of less than 64 KiB, out of `bytes`.
    init?(takingFrom received: inout [UInt8]) {
        guard received.count >= 2 else { return nil }
        var length = Int(received[1] & 0x7F)
        var start = 2
        if length == 126 {
            guard received.count >= 4 else { return nil }
            length = Int(received[2]) << 8 | Int(received[3])
            start = 4
        }
        isMasked = received[1] & 0x80 != 0
        let mask = isMasked ? Array(received.dropFirst(start).prefix(4)) : []
        start += mask.count
        guard received.count >= start + length else { return nil }
        opcode = received[0] & 0x0F
        bytes = received[start..<(start + length)].enumerated().map { index, byte in mask.isEmpty ? byte : byte ^ mask[index % 4] }
        received.removeFirst(start + length)
    }
}

/// The bytes of frames as a server sends them.
enum Frame {
    static func make(_ first: UInt8, _ payload: [UInt8], length: [UInt8]? = nil) -> [UInt8] {
        let count = payload.count
        let short: [UInt8] =
            count < 126
            ? [UInt8(count)]
            : count < 65_536
                ? [126, UInt8(count >> 8), UInt8(count & 255)]
                : [127] + (0..<8).map { UInt8(count >> (56 - 8 * $0) & 255) }
        return [first] + (length ?? short) + payload
    }

    static func text(_ text: String, fin: Bool = true) -> [UInt8] { make(fin ? 0x81 : 0x01, Array(text.utf8)) }
    static func more(_ text: String, fin: Bool = true) -> [UInt8] { make(fin ? 0x80 : 0x00, Array(text.utf8)) }
    static func more(_ bytes: [UInt8], fin: Bool = true) -> [UInt8] { make(fin ? 0x80 : 0x00, bytes) }
    static func close(_ code: Int?, _ words: String = "") -> [UInt8] {
        make(0x88, code.map { [UInt8($0 >> 8), UInt8($0 & 255)] + Array(words.utf8) } ?? [])
    }
}
