internal import NIOCore

/// Tells a connection that bytes came, before they are read as requests: the time for a head counts from its first byte.
final class ByteWatch: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    private let connection: ClientConnection

    init(_ connection: ClientConnection) {
        self.connection = connection
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        connection.receive(unwrapInboundIn(data))
        context.fireChannelRead(data)
    }
}
