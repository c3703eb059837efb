import NIOCore
import NIOEmbedded
import NIOHTTP2
import Testing

@testable import SourcesHTTP

/// What is made of a connection of HTTP/2 whose requests are given up.
@Suite
struct ConnectionWatchTests {
    private let channel = EmbeddedChannel(handler: ConnectionWatch())

    init() throws {
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    private func giveUp(_ stream: Int) throws {
        try channel.writeOutbound(HTTP2Frame(streamID: HTTP2StreamID(stream), payload: .rstStream(.cancel)))
    }

    /// The frames that were sent, in a word each.
    private func sent() throws -> [String] {
        var words: [String] = []
        while let frame = try channel.readOutbound(as: HTTP2Frame.self) {
            switch frame.payload {
            case .rstStream: words.append("reset")
            case .ping: words.append("ping")
            default: words.append("other")
            }
        }
        return words
    }

    @Test func `after a request that is given up the server is asked for a sign of life, one in five seconds`() throws {
        try giveUp(1)
        try giveUp(3)
        #expect(try sent() == ["reset", "ping", "reset"])

        try channel.writeInbound(HTTP2Frame(streamID: .rootStream, payload: .ping(HTTP2PingData(), ack: true)))
        try giveUp(5)
        #expect(try sent() == ["reset"])
        channel.embeddedEventLoop.advanceTime(by: ConnectionWatch.patience)
        try giveUp(7)
        #expect(try sent() == ["reset", "ping"])
        _ = try channel.finish()
    }

    @Test func `a connection without a sign of life is closed`() throws {
        try giveUp(1)
        channel.embeddedEventLoop.advanceTime(by: ConnectionWatch.patience - .milliseconds(1))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(!channel.isActive)
    }

    @Test func `any frame is a sign of life`() throws {
        try giveUp(1)
        try channel.writeInbound(HTTP2Frame(streamID: HTTP2StreamID(3), payload: .windowUpdate(windowSizeIncrement: 1)))
        channel.embeddedEventLoop.advanceTime(by: ConnectionWatch.patience * 2)
        #expect(channel.isActive)
        _ = try channel.finish()
    }
}
