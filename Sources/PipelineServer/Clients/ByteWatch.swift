internal import NIOCore

/// Tells a connection that bytes came, before they are read as requests: the time for a head counts from its first byte.
///
/// What came at once goes on in pieces, none of which has the end of one request and the begin of the next.
final class ByteWatch: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let connection: ClientConnection

    init(_ connection: ClientConnection) {
        self.connection = connection
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var rest = Self.spaced(unwrapInboundIn(data))
        while rest.readableBytes > 0 {
            let bodyBytes = connection.bodyBytes
            let end = bodyBytes > 0 ? min(bodyBytes, rest.readableBytes) : rest.withUnsafeReadableBytes(Self.endOfEmptyLine)
            guard let piece = rest.readSlice(length: end) else { return }
            connection.receive(piece)
            context.fireChannelRead(wrapInboundOut(piece))
        }
    }

    /// How far `bytes` go to the end of an empty line and of those after it, where a head or a body in chunks can end. A line end that they
    /// begin with may be that of such a line.
    private static func endOfEmptyLine(in bytes: UnsafeRawBufferPointer) -> Int {
        var lineEnds = 1
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "\n"): lineEnds += 1
            case UInt8(ascii: "\r"): break
            default:
                if lineEnds > 1 { return index }
                lineEnds = 0
            }
        }
        return bytes.count
    }

    /// The same bytes with a space in place of each tab, which is as good in a head (RFC 9110, section 5.6.3; RFC 9112, section 3): the decoder
    /// knows no tab behind a length or a coding. Bodies are not read.
    private static func spaced(_ bytes: ByteBuffer) -> ByteBuffer {
        let tab = UInt8(ascii: "\t")
        guard bytes.readableBytesView.contains(tab) else { return bytes }
        return ByteBuffer(bytes: bytes.readableBytesView.map { $0 == tab ? UInt8(ascii: " ") : $0 })
    }
}
