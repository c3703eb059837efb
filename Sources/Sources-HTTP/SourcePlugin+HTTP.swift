public import Pipeline
public import PipelineConfig

extension SourcePlugin {
    /// Asks an HTTP server.
    public static let http = SourcePlugin(
        "http", summary: "Asks an HTTP server for the value.", capabilities: [.neverMisses],
        fields: Field<URLTemplate>(
            "url", "Where to ask; a parameter's value is percent-encoded. A user and password in it are sent as basic authentication.",
            example: "https://api.example.org/friends/{user}"
        ).checked(stating: .text(matching: "^[Hh][Tt][Tt][Pp][Ss]?://")) {
            ["http", "https"].contains($0.scheme) ? nil : "a URL that begins with `http://` or `https://`"
        },
        Field("method", default: RequestMethod.get, "The method to ask with."),
        Field(
            "headers", default: FieldMap<SecretTemplate>(), "Header fields to send; another host gets none of them by a redirect.",
            example: "{ Authorization: \"Bearer ${TOKEN}\" }"
        ).checked(stating: .keys(matching: HeaderFields.namePattern), HeaderFields.problem),
        Field(
            "query", default: FieldMap<TextTemplate>(), "Parameters to add to the URL, percent-encoded.",
            example: "{ page: \"{page}\" }"),
        Field(
            "body", default: TextTemplate?.none,
            "The body to send; a parameter's value is escaped for JSON, XML or a form, as its Content-Type says.",
            example: "'{ \"user\": \"{user}\" }'"),
        Field(
            "timeout", default: Duration?.none, range: Duration.milliseconds(1)...,
            "The longest time for the whole answer, redirects included.", example: "2s"
        ).role(.timeLimit),
        Field("max_size", default: Size.mebibytes(64), range: Size(bytes: 1)..., "The largest body to read, after decompression."),
        Field(
            "follow_redirects", default: RedirectLimit.standard, range: RedirectLimit(0)...RedirectLimit(20),
            "How many redirects to follow; `true` is 5, `false` none."),
        Field(
            "accept_status", default: AcceptedStatuses.success,
            "The statuses whose answers are values. 206, 404 and 410 count only when listed by themselves: 404 and 410 mean not_found.",
            example: "[2xx, 404]"),
        Field(
            "ca_file", default: CertificateFile?.none,
            "A file of certificates (PEM) to trust besides those of the machine, such as that of a company's own authority; empty for none.",
            example: "certs/ca.pem"
        ).checked(stating: .text(matching: CertificateFile.pattern)) { _ in nil }
    ) { context, url, method, headers, query, body, timeout, maxSize, redirects, accepted, trusted in
        var settings = HTTPSettings(url: url)
        settings.method = method
        settings.headers = headers
        settings.query = query
        settings.body = body
        settings.timeout = timeout
        settings.maxSize = maxSize
        settings.redirects = redirects
        settings.accepted = accepted
        settings.trusted = trusted?.ifGiven
        return HTTPSource(settings, clock: context.clock)
    }
}
