import NIOHTTP1
package import Pipeline
public import PipelineConfig
package import PipelineLive
import PipelineSockets

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

/// The settings of an `sse` source.
package struct SSESettings: Sendable {
    package var url: URLTemplate
    package var headers = FieldMap<SecretTemplate>()
    /// Indicates whether a new connection goes on behind the last event, as the server promises.
    package var resumes = false
    package var reconnect = ReconnectPolicy()
    /// The longest time without a byte.
    package var idleTimeout = Duration.seconds(60)
    /// The most bytes of an event's data.
    package var maxMessage = Size.mebibytes(1)
    /// Certificates to trust besides those of the machine.
    package var trusted: CertificateFile?

    package init(url: URLTemplate) {
        self.url = url
    }
}

extension SSESettings {
    /// The request for `key`. Whatever the parameters hold, it has the configured URL and fields, with values in their places.
    func request(for key: Key) throws -> StreamRequest {
        do {
            var headers = try HTTPHeaders(filling: headers, of: url, for: key, accept: "text/event-stream")
            if !headers.contains(name: "Cache-Control") { headers.add(name: "Cache-Control", value: "no-store") }
            return StreamRequest(url: try HTTPURL(url.filled(for: key)), headers: headers)
        } catch let problem as HTTPURL.Problem {
            throw SourceError("cannot ask the URL: \(problem.words)", kind: .refused, cause: problem)
        }
    }

    /// Indicates whether every key gives the same request.
    var isConstant: Bool { url.isConstant && headers.allSatisfy(\.value.isConstant) }
}
