internal import Pipeline
public import PipelineConfig
import PipelineNetwork
import PipelineSockets

extension SourcePlugin {
    /// Asks an HTTP server.
    public static let http = SourcePlugin(
        origin: "http", summary: "Requests the value from an HTTP server.", capabilities: [.neverMisses],
        fields: HTTPField.url, HTTPField.method, HTTPField.headers, HTTPField.query, HTTPField.body, HTTPField.escape, HTTPField.timeout,
        HTTPField.maxSize, HTTPField.redirects, HTTPField.accepted, HTTPField.caching, HTTPField.defaultFreshness, HTTPField.minFreshness,
        HTTPField.maxFreshness, HTTPField.limits, HTTPField.retryBudget, HTTPField.hedge, HTTPField.idempotent, HTTPField.resume,
        HTTPField.proxy, HTTPField.trusted, HTTPField.http2, HTTPField.batch
    ) {
        context, url, method, headers, query, body, escape, timeout, maxSize, redirects, accepted, caching, defaultFreshness, minFreshness,
        maxFreshness, limits, retryBudget, hedge, idempotent, resume, proxy, trusted, http2, batch in
        var settings = HTTPSettings(url: url)
        settings.name = context.name
        settings.method = method
        settings.headers = headers
        settings.query = query
        settings.body = body
        settings.escape = escape
        settings.timeout = timeout
        settings.maxSize = maxSize
        settings.redirects = redirects
        settings.accepted = accepted
        settings.caching = caching
        settings.defaultFreshness = defaultFreshness
        settings.minFreshness = minFreshness
        settings.maxFreshness = maxFreshness
        settings.limits = limits
        settings.limits.retryBudget = retryBudget.value
        settings.hedge = hedge
        settings.isIdempotent = idempotent
        settings.resumes = resume
        settings.proxy = proxy.proxy
        settings.trusted = trusted?.ifGiven
        settings.maySpeakHTTP2 = http2
        settings.batch = batch
        return HTTPSource(settings, clock: context.clock)
    } conflicts: {
        url, method, headers, query, body, escape, _, _, _, _, _, _, _, _, _, retryBudget, hedge, isIdempotent, resumes, _, _, _, batch in
        HTTPSettings.conflicts(of: method, hedge, retryBudget: retryBudget.value, isIdempotent: isIdempotent, resumes: resumes)
            + HTTPSettings.conflicts(of: batch, url, headers, query, body) + HTTPSettings.conflicts(of: body, headers, escape)
    } sending: {
        url, method, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, isIdempotent, _, _, _, _, _ in
        var settings = HTTPSettings(url: url)
        (settings.method, settings.isIdempotent) = (method, isIdempotent)
        return SendTarget(method: method.rawValue, repetition: settings.repetition)
    }
}

/// The fields of a source, each declared by itself: in one expression the compiler would take a quarter of a minute over their types.
private enum HTTPField {
    static let url = Field<URLTemplate>(
        "url",
        "The URL to request. Parameter values are percent-encoded. A user name and password in the URL are sent as basic authentication.",
        example: "https://api.example.org/friends/{user}"
    ).checked(stating: .text(matching: "^[Hh][Tt][Tt][Pp][Ss]?://")) {
        ["http", "https"].contains($0.scheme) ? nil : "a URL that begins with `http://` or `https://`"
    }.role(.originAddress)
    static let method = Field("method", default: RequestMethod.get, "The request method.")
    static let headers = Field(
        "headers", default: FieldMap<SecretTemplate>(), "Header fields to send. They are not sent to another host after a redirect.",
        example: "{ Authorization: \"Bearer ${TOKEN}\" }"
    ).judged(stating: .keys(matching: HeaderFields.namePattern)) { HeaderFields.problem(of: $0) }
    static let query = Field(
        "query", default: FieldMap<TextTemplate>(), "Query parameters to add to the URL, percent-encoded.",
        example: "{ page: \"{page}\" }")
    static let body = Field(
        "body", default: TextTemplate?.none,
        "The request body. Parameter values are escaped for JSON, XML or a form, depending on the Content-Type.",
        example: "'{ \"user\": \"{user}\" }'")
    static let escape = Field(
        "escape", default: BodyEscaping?.none,
        "How parameter values are written in `body`; `none` is as they are. By default, the Content-Type says it; with a type that is neither JSON, XML, a form, `text/plain` nor `application/octet-stream`, it must be given.",
        example: "json"
    ).needing("body", "it says how values are written there")
    static let timeout = Field(
        "timeout", default: Duration?.none, range: Duration.milliseconds(1)...,
        "The longest time for the whole response, including redirects. Waiting for `limits` does not count.", example: "2s"
    ).role(.timeLimit)
    static let maxSize = Field(
        "max_size", default: Size.mebibytes(64), range: Size(bytes: 1)..., "The largest response body to read, after decompression.")
    static let redirects = Field(
        "follow_redirects", default: RedirectLimit.standard, range: RedirectLimit(0)...RedirectLimit(20),
        "How many redirects to follow. `true` means 5, `false` none.")
    static let accepted = Field(
        "accept_status", default: AcceptedStatuses.success,
        "The statuses whose responses are values. 206, 404 and 410 count only when listed individually; otherwise 404 and 410 mean `not_found`.",
        example: "[2xx, 404]")
    static let caching = Field(
        "caching", default: Caching.none,
        "What decides how long a copy is fresh: `headers` (or `private`) what the response says to a cache of a single user, `shared` what it says to a cache of several users, `none` the `ttl` of the tier alone. Unless it is `none`, a `ttl` can only shorten that.",
        example: "headers"
    ).role(.limitsFreshness)
    static let defaultFreshness = Field(
        "default_freshness", default: DefaultFreshness.fixed(.zero),
        "How long a copy is fresh when the response does not say. `heuristic` is a tenth of the time since `Last-Modified`, at most a day.",
        example: "10m"
    ).role(.defaultFreshness)
    static let minFreshness = Field(
        "min_freshness", default: Duration.zero, range: Duration.zero...,
        "The shortest time that a copy is fresh, whatever the response says. `no-store` and `no-cache` still hold.",
        example: "10s"
    ).role(.leastFreshness)
    static let maxFreshness = Field(
        "max_freshness", default: Duration.seconds(30 * 86_400), range: Duration.zero...,
        "The longest time that a copy is fresh, whatever the response says.",
        example: "1d"
    ).role(.mostFreshness)
    static let limits = Field(
        "limits", default: OriginLimits(),
        "Limits of the requests to one origin: scheme, host and port. All sources that ask it share them.",
        example: "{ concurrency: 4, rate: 50/s }"
    ).role(.originLimits)
    static let retryBudget = Field(
        "retry_budget", default: Ratio(OriginLimits().retryBudget), range: Ratio(0)...Ratio(1),
        "Retries and second requests allowed per answered request of an origin, plus a reserve of five; 0 allows none.",
        example: "20%"
    ).role(.retryBudget)
    static let hedge = Field(
        "hedge", default: HedgePolicy?.none,
        "When to send a second request because the first takes longer than usual. The first response wins."
    ).role(.secondRequest)
    static let idempotent = Field(
        "idempotent", default: Bool?.none,
        "Whether a failed request may be sent again. By default, this holds for all methods except `POST` and `PATCH`.")
    static let resume = Field(
        "resume", default: false,
        "Whether a new attempt resumes an interrupted download, if the server supports it."
    ).role(.resumesLoads)
    static let proxy = Field(
        "proxy", default: ProxyChoice(proxy: nil),
        "The HTTP proxy. Empty for none. Hosts in the environment variable NO_PROXY bypass it.",
        example: "\"${HTTPS_PROXY:-}\""
    ).checked(stating: .text(matching: ProxyChoice.pattern)) { _ in nil }
    static let trusted = Field(
        "ca_file", default: CertificateFile?.none,
        "A PEM file of certificates to trust in addition to the system's, such as that of a company's own authority. Empty for none.",
        example: "certs/ca.pem"
    ).checked(stating: .text(matching: CertificateFile.pattern)) { _ in nil }
    static let http2 = Field(
        "http2", default: false,
        "Whether to use HTTP/2 when the server negotiates it over TLS. Requests then share one connection. By default, HTTP/1.1."
    )
    static let batch = Field(
        "batch", default: HTTPBatch?.none,
        "How to request several values at once. Values that a cache has, or that are being loaded, are not requested again.",
        example: "{ url: \"https://api.example.org/friends?users={user}\", id: /id }"
    ).role(.batch)
}
