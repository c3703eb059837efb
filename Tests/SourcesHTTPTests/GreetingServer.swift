import NIOCore
import NIOPosix

/// Servers that know no HTTP.
enum GreetingServer {
    /// A listener on a free port that says `greeting` to everyone, and reads nothing.
    static func listener(greeting: String) async throws -> any Channel {
        try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.writeAndFlush(ByteBuffer(string: greeting), promise: nil)
                return channel.eventLoop.makeSucceededVoidFuture()
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }
}
