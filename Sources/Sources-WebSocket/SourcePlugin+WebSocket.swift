import NIOHTTP1
package import Pipeline
public import PipelineConfig
package import PipelineLive
import PipelineSockets

extension SourcePlugin {
    /// Listens to a WebSocket server.
    public static let websocket = SourcePlugin(
        live: "websocket", summary: "Receives changes from a WebSocket server.",
        fields: Field<URLTemplate>(
            "url",
            "The URL to connect to, as `ws://` or `wss://`. Parameter values are percent-encoded; keys with different URLs have connections of "
                + "their own. A user name and password in the URL are sent as basic authentication.",
            example: "wss://api.example.org/friends?user={user}"
        ).checked(stating: .text(matching: "^[Ww][Ss][Ss]?://")) {
            guard ["ws", "wss"].contains($0.scheme) else { return "a URL that begins with `ws://` or `wss://`" }
            // RFC 6455, section 3.
            return $0.description.contains("#")
                ? "a URL without a fragment: a WebSocket has none, and `#` in a path or query is `%23`" : nil
        },
        Field(
            "headers", default: FieldMap<SecretTemplate>(), "Header fields to send with the handshake.",
            example: "{ Authorization: \"Bearer ${TOKEN}\" }"
        ).judged(stating: .keys(matching: HeaderFields.namePattern)) { HeaderFields.problem(of: $0, reserved: Opening.reserved) },
        Field(
            "subscribe", default: [TextTemplate](),
            "Messages to send after each connect, in order. Parameter values are escaped for JSON.",
            example: "['{\"join\":\"friends:{user}\"}']"),
        Field(
            "ready", default: MessagePattern?.none,
            "The message that starts the stream: JSON Pointers, each with the value at that place. Without it, the stream starts with the handshake.",
            example: "{ /type: joined }"),
        Field("reconnect", default: ReconnectPolicy(), "The pauses between attempts to connect, chosen at random."),
        Field(
            "ping", default: Duration.seconds(20), range: Duration.milliseconds(100)...,
            "The interval of pings. When no pong arrives within the same time, the connection is dropped."),
        Field(
            "connect_timeout", default: Duration.seconds(10), range: Duration.milliseconds(1)...,
            "The longest time for connecting, the handshake and the message of `ready`."),
        Field(
            "max_message", default: Size.mebibytes(1), range: Size(bytes: 1)...Size.mebibytes(1_024),
            "The largest message to read. A larger one closes the connection."),
        Field(
            "ca_file", default: CertificateFile?.none,
            "A PEM file of certificates to trust in addition to the system's, for `wss://`. Empty for none.",
            example: "certs/ca.pem"
        ).checked(stating: .text(matching: CertificateFile.pattern)) { _ in nil }
    ) { context, url, headers, subscribe, ready, reconnect, ping, connectTimeout, maxMessage, trusted in
        var settings = WebSocketSettings(url: url)
        settings.headers = headers
        settings.subscribe = subscribe
        settings.ready = ready
        settings.reconnect = reconnect
        settings.ping = ping
        settings.connectTimeout = connectTimeout
        settings.maxMessage = maxMessage
        settings.trusted = trusted?.ifGiven
        return WebSocketSource(settings, clock: context.clock)
    }
}

/// The settings of a `websocket` source.
package struct WebSocketSettings: Sendable {
    package var url: URLTemplate
    package var headers = FieldMap<SecretTemplate>()
    /// The messages that are sent after each connect.
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
    /// The handshake and the messages to connect for `key`. Whatever the parameters hold, they have the configured URL, fields and
    /// messages, with values in their places.
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

    /// Indicates whether every key makes the same handshake.
    var handshakeIsConstant: Bool { url.isConstant && headers.allSatisfy(\.value.isConstant) }

    /// The settings for a connection that begins with the handshake.
    var withoutReady: WebSocketSettings {
        var copy = self
        copy.ready = nil
        return copy
    }

    /// The ending of a message that is too long.
    var tooLong: String { "a message is longer than max_message (\(maxMessage.spelling))" }
}
