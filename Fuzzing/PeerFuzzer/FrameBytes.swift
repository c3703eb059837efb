internal import NIOCore
internal import NIOEmbedded
internal import NIOWebSocket

/// Bytes as the frames of a WebSocket server.
///
/// Wherever they are cut, the same messages come of them, each of them text within the limit, and nothing after a fault.
enum FrameBytes {
    private static let limit = 200

    /// The first byte says where the bytes are cut.
    static func check(_ bytes: [UInt8]) {
        let frames = bytes.dropFirst()
        let cut = frames.startIndex + Int(bytes.first ?? 0) % (frames.count + 1)
        let whole = read([frames])
        require(whole == read([frames[..<cut], frames[cut...]]), "cut before \(cut), the frames give something else")
        for case .message(let text) in whole {
            require(text.count <= limit, "a message of \(text.count) bytes")
            require(String(validating: text, as: UTF8.self) != nil, "a message that is not UTF-8")
        }
    }

    private static func read(_ parts: [ArraySlice<UInt8>]) -> [MessageReader.Item] {
        let collector = Collector(limit: limit)
        let channel = EmbeddedChannel(handlers: [ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: limit)), collector])
        for part in parts { _ = try? channel.writeInbound(ByteBuffer(bytes: part)) }
        _ = try? channel.finish(acceptAlreadyClosed: true)
        return collector.items
    }
}

/// Reads frames until one ends the connection.
private final class Collector: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame

    private var reader: MessageReader
    private var isOver = false
    private(set) var items: [MessageReader.Item] = []

    init(limit: Int) { reader = MessageReader(limit: limit) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        let item = reader.read(unwrapInboundIn(data))
        items.append(item)
        switch item {
        case .close, .fault: isOver = true
        default: break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { isOver = true }
}
