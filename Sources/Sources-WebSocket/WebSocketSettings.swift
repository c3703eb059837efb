import NIOHTTP1
package import Pipeline
package import PipelineConfig
import PipelineSockets

/// What the fields of a `websocket` source say.
package struct WebSocketSettings: Sendable {
    package var url: URLTemplate
    package var headers = FieldMap<SecretTemplate>()
    /// What is sent after each connect.
    package var subscribe: [TextTemplate] = []
    /// The message that says that the stream has begun; nil for the handshake.
    package var ready: MessagePattern?
    package var reconnect = ReconnectPolicy()
    /// The pause between pings, and the longest wait for the answer to one.
    package var ping = Duration.seconds(20)
    /// The longest time until the stream has begun.
    package var connectTimeout = Duration.seconds(10)
    /// The most bytes of a message.
    package var maxMessage = Size.mebibytes(1)
    /// Certificates to trust besides those of the machine.
    package var trusted: CertificateFile?

    package init(url: URLTemplate) {
        self.url = url
    }
}

extension WebSocketSettings {
    /// What is sent to connect for `key`. Whatever the parameters hold, it has the configured URL, fields and messages, with values in their
    /// places.
    func opening(for key: Key) throws -> Opening {
        let address: HTTPURL
        do {
            // Both schemes differ from those of HTTP in their names alone (RFC 6455, section 3).
            address = try HTTPURL("http" + url.filled(for: key).dropFirst("ws".count))
        } catch {
            throw SourceError("cannot ask the URL: \(error.words.replacing("http", with: "ws"))", kind: .refused, cause: error)
        }
        return Opening(
            url: address, headers: try HTTPHeaders(filling: headers, of: url, for: key),
            messages: subscribe.map { JSONBody.fill($0, for: key) })
    }

    /// Whether every key makes the same handshake.
    var handshakeIsConstant: Bool { url.isConstant && headers.allSatisfy(\.value.isConstant) }

    /// For a connection that begins with the handshake.
    var withoutReady: WebSocketSettings {
        var copy = self
        copy.ready = nil
        return copy
    }

    /// The ending of a message that is too long.
    var tooLong: String { "a message is longer than max_message (\(maxMessage.spelling))" }
}
