import NIOHTTP1
import NIOSSL
public import Pipeline
internal import PipelineConfig
import PipelineSockets

/// An origin that asks an HTTP server.
public final class HTTPSource: Source {
    let settings: HTTPSettings
    let clock: PipelineClock
    let lease: ClientLease
    let origins: OriginAccess
    private let parts = PartialBodies()
    private let trusted: TrustedCertificates?

    package init(_ settings: HTTPSettings, clock: PipelineClock) {
        self.settings = settings
        self.clock = clock
        lease = ClientLease(for: settings)
        origins = OriginAccess(settings.limits, clock: clock)
        trusted = settings.trusted.map(TrustedCertificates.init)
        // Its limits hold for every source of its origin from now on, not from its first request on.
        if !settings.hostDependsOnKey, let request = try? settings.request(for: Key(pipeline: "limits")) {
            _ = origins.controller(for: request.url)
        }
    }

    /// Indicates whether the method may be repeated (RFC 9110, section 9.2.2), or `idempotent` says it.
    public var mayRepeat: Bool { settings.mayRepeat(settings.method) }

    /// The value for `key`, or `Entry.notFound(created:)` when the server answered 404 or 410; never nil.
    ///
    /// Throws a `SourceError` for any other answer, and for one that is not complete. With a status of 400 to 499, except 408 and 429,
    /// the server works and rejects the request.
    ///
    /// Asks whether the copy to confirm still holds (RFC 9110, section 13), where that has a payload and a validator.
    public func read(_ key: Key, _ context: ReadContext) async throws -> Entry? {
        let known = context.known.flatMap { settings.method.isConditional && !$0.isNotFound && $0.hasValidator ? $0 : nil }
        return try await load(key, confirming: known, context)
    }

    private func load(_ key: Key, confirming known: Entry?, _ context: ReadContext) async throws -> Entry {
        var request = try settings.request(for: key)
        if let known { request = request.confirming(etag: known.etag, lastModified: known.lastModified) }
        let download = settings.canResume ? Download(key, of: parts, context.permit) : nil
        return try await answering(request, confirming: known, resuming: download, context) {
            [settings] answer, exchange, created, freshness in
            if answer.status == 304, let known { return known.confirmed(at: created, by: answer.headers, freshness) }
            if settings.accepted.accepts(answer.status) {
                let payload = try await exchange.payload(of: answer)
                return Entry(payload, created: created, headers: answer.headers, freshness).answered(status: answer.status)
            }
            if answer.status == 404 || answer.status == 410 {
                return .notFound(created: created, freshness).answered(status: answer.status)
            }
            return nil
        }
    }

    /// Sends `request`, and makes of its answer what `value` does. Throws what a nil of that means: an answer that is no value.
    func answering<Value: Sendable>(
        _ request: OutgoingRequest, confirming known: Entry? = nil, resuming download: Download? = nil, _ context: ReadContext,
        _ value: @escaping @Sendable (HTTPExchange.Answer, HTTPExchange, _ created: Timestamp, OriginFreshness?) async throws -> Value?
    ) async throws -> Value {
        var exchange = HTTPExchange(
            lease: lease, origins: origins, settings: settings, tls: try tls(), context: context, clock: clock, download: download)
        // The time of the attempt begins when it may: a wait for its turn is none of the server's.
        let permit = try await exchange.permit(for: request)
        let created = clock.now
        exchange.end = settings.timeout.map { created + $0 }
        var late = late
        late.retry = origins.repetition(of: request, by: settings, context).lost
        return try await clock.race(until: exchange.end, late: { [late] in throw late }, leaving: { await $0.end() }) {
            [exchange, clock] in
            let answer = try await exchange.wantedAnswer(to: request, confirming: known, with: permit)
            let freshness = exchange.freshness(of: answer, to: request, confirming: known, requested: created, wall: clock.wallNow)
            if let value = try await value(answer, exchange, created, freshness) { return value }
            var error = exchange.failure(of: answer)
            error.detail = await exchange.detail(of: answer, to: request, clock: clock)
            throw error
        }
    }

    /// The error that ends a read or a check at the source's own limit.
    var late: SourceError {
        SourceError("no answer within \(settings.timeout?.written ?? "the time limit")", kind: .timeout)
    }
}

extension HTTPSource {
    /// Opens a connection to the host, TLS included, and closes it again; sends nothing. Does nothing when the host depends on the key.
    public func connect() async throws {
        guard !lease.isClosed else { throw SourceError("the source is closed") }
        guard !settings.hostDependsOnKey else { return }
        let url = try settings.request(for: Key(pipeline: "connect")).url
        let tls = try tls()
        try await clock.race(until: settings.timeout.map { clock.now + $0 }, late: { [late] in throw late }, leaving: { await $0.end() }) {
            // Through a proxy nothing more than the proxy is reached without a request.
            let route = Route(to: url, through: self.settings.proxy)
            let address = route.address(for: url)
            try await TrialConnection.open(
                to: address, tls: address == url ? tls : nil, limit: SharedClients.connectTimeout,
                words: FailureWords(url: address, maxSize: self.settings.maxSize).connection)
        }
    }

    /// The configuration of secure connections; nil if only the machine's certificates are trusted.
    func tls() throws -> TLSConfiguration? { try trusted?.configuration() }

    /// Gives back what the reads shared. Reads after it fail.
    public func close() async {
        await lease.close()
        origins.close()
    }
}

extension HTTPSource {
    /// One request for several values, where `batch` says how.
    public var batching: Batching? {
        guard let batch = settings.batch, let parameter = batch.parameter else { return nil }
        return Batching(of: parameter, most: batch.max, window: batch.window) { [self] keys, context in
            let request = try settings.request(for: keys, batch)
            return try await answering(request, context) { [settings] answer, exchange, created, freshness in
                // That there is no such list says nothing of its values.
                guard settings.accepted.accepts(answer.status) else { return nil }
                // What confirms the list confirms none of its values.
                let template = Entry(
                    [], created: freshness?.created ?? created, freshUntil: freshness?.freshUntil,
                    contentType: answer.headers.first(name: "Content-Type"), cacheControl: freshness?.control, variant: freshness?.variant,
                    notKept: freshness?.notKept)
                return try BatchAnswer(
                    try await exchange.payload(of: answer), items: batch.items, id: batch.id, of: parameter, for: keys,
                    missing: batch.missing, as: template)
            }
        }
    }
}
