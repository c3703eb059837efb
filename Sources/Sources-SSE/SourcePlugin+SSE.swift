internal import Pipeline
public import PipelineConfig

extension SourcePlugin {
    /// Listens to an event stream.
    public static let sse = SourcePlugin(
        live: "sse", summary: "Receives changes as Server-Sent Events over HTTP.", capabilities: [.namesEvents],
        fields: Field<URLTemplate>(
            "url",
            "The URL of the event stream. Parameter values are percent-encoded; keys with different URLs have connections of their own. A user name "
                + "and password in the URL are sent as basic authentication.",
            example: "https://hub.example.org/books"
        ).checked(stating: .text(matching: "^[Hh][Tt][Tt][Pp][Ss]?://")) {
            ["http", "https"].contains($0.scheme) ? nil : "a URL that begins with `http://` or `https://`"
        },
        Field(
            "headers", default: FieldMap<SecretTemplate>(), "Header fields to send. They are not sent to another host after a redirect.",
            example: "{ Authorization: \"Bearer ${TOKEN}\" }"
        ).judged(stating: .keys(matching: HeaderFields.namePattern)) { HeaderFields.problem(of: $0) },
        Field(
            "resume", default: false,
            "Whether the server resumes the stream after a reconnect, by `Last-Event-ID`. The value is then not reloaded. Only for servers that guarantee it."
        ).role(.resumes),
        Field(
            "idle_timeout", default: Duration.seconds(60), range: Duration.milliseconds(1)...,
            "The longest silence. When no byte arrives within this time, the connection is dropped. Also limits connecting."),
        Field(
            "reconnect", default: ReconnectPolicy(),
            "The pauses between attempts to connect, chosen at random. `retry:` of the stream replaces `base`."),
        Field(
            "max_message", default: Size.mebibytes(1), range: Size(bytes: 1)...Size.mebibytes(1_024),
            "The largest event to read. A larger one closes the connection."),
        Field(
            "ca_file", default: CertificateFile?.none,
            "A PEM file of certificates to trust in addition to the system's, for `https://`. Empty for none.",
            example: "certs/ca.pem"
        ).checked(stating: .text(matching: CertificateFile.pattern)) { _ in nil }
    ) { context, url, headers, resumes, idleTimeout, reconnect, maxMessage, trusted in
        var settings = SSESettings(url: url)
        settings.headers = headers
        settings.resumes = resumes
        settings.idleTimeout = idleTimeout
        settings.reconnect = reconnect
        settings.maxMessage = maxMessage
        settings.trusted = trusted?.ifGiven
        return SSESource(settings, clock: context.clock)
    }
}
