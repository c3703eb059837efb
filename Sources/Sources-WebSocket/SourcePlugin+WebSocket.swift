internal import Pipeline
public import PipelineConfig

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
