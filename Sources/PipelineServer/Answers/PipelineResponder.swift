internal import NIOHTTP1
internal import Pipeline
import PipelineComposing
internal import PipelineConfig
internal import PipelineJSON
import PipelineLive
import PipelineSending
internal import PipelineNetwork
import PipelineSockets

/// Answers one request with one fetch, or one send.
package struct PipelineResponder: Sendable {
    let served: ServedPipelines
    private let metrics: PrometheusRegistry
    private let gauges: PipelineGauges
    private let lacks: LackMetrics
    let detail: ErrorDetail
    let origins: OriginRule
    private let recorder: FetchRecorder?
    private let isDraining: @Sendable () -> Bool
    private let texts = StreamTexts()

    /// - Parameters:
    ///   - version: of the program.
    ///   - recorder: records each fetch; nil for none.
    ///   - isDraining: whether the server was told to stop.
    package init(
        _ served: ServedPipelines, version: String, metrics: PrometheusRegistry, detail: ErrorDetail = .full,
        origins: OriginRule = OriginRule(), recorder: FetchRecorder? = nil, isDraining: @escaping @Sendable () -> Bool = { false }
    ) {
        self.served = served
        self.metrics = metrics
        self.detail = detail
        self.origins = origins
        self.recorder = recorder
        self.isDraining = isDraining
        lacks = LackMetrics(factory: metrics)
        served.follow { [lacks] in lacks.keep($0) }
        gauges = PipelineGauges(served, version: version, factory: metrics)
    }

    /// 200 with the value, 304 for one the client has, 400 for wrong parameters, 404 for not found and for an unknown pipeline, 405 for
    /// other methods than GET, HEAD and OPTIONS (and those of sends, and POST of `/-/wake`), 502 when every tier failed, 503 when the
    /// pipelines were shut down. Writes are answered as ``sent(for:)`` says.
    ///
    /// All but values leaves it without secrets, whoever wrote it.
    func answer(to request: ClientRequest) async -> ServedAnswer { await unmasked(for: request).masked(by: redactor) }

    private func unmasked(for request: ClientRequest) async -> ServedAnswer {
        switch request.method {
        case .GET, .HEAD:
            if let path = ReservedPath(request.target) { return await answer(at: path, to: request).about(.server) }
            return EventStream.isWanted(request.headers) ? streamed(for: request) : await fetched(for: request)
        case .POST where ReservedPath(request.target).isWake: return woken(request).about(.server)
        case .POST, .PUT, .PATCH, .DELETE: return await sent(for: request)
        case .OPTIONS: return ServedAnswer(status: .noContent, headers: allow(methods(for: request)), subject: .server)
        default: return wrongMethod(request)
        }
    }

    /// The methods that are answered at its target. Which sends there are is for those who may write.
    private func methods(for request: ClientRequest) -> [String] {
        let reading = ["GET", "HEAD", "OPTIONS"]
        let (pipelines, sends) = served.taking
        guard ReservedPath(request.target) == nil, sends.admits(request.headers), let name = try? RequestTarget(request.target).name,
            let method = sends.method(of: name)
        else { return reading }
        return ((try? pipelines.pipeline(named: name)) == nil ? ["OPTIONS"] : reading) + [method.rawValue]
    }

    private func isSend(_ name: String, for request: ClientRequest) -> Bool {
        let sends = served.taking.sends
        return sends.admits(request.headers) && sends.method(of: name) != nil
    }

    private func allow(_ methods: [String]) -> HTTPHeaders { ["Allow": methods.joined(separator: ", ")] }

    /// The answer to a method that means nothing where it is asked.
    func wrongMethod(_ request: ClientRequest) -> ServedAnswer {
        let methods = methods(for: request)
        let others = methods.dropLast().map { "`\($0)`" }.joined(separator: ", ")
        let message = "`\(request.method.rawValue)` is not answered; \(others) and `\(methods[methods.count - 1])` are"
        return .problem(.methodNotAllowed, message, headers: allow(methods))
    }

    /// Indicates whether the priority of the request, by the client's word or its pipeline's, is below `normal`: a server that stops does
    /// not wait for it.
    func isLow(_ request: ClientRequest) -> Bool {
        if let priority = ClientPriority.of(request.headers) { return priority < .normal }
        guard !request.isWrite, let target = try? RequestTarget(request.target),
            let pipeline = try? served.current.pipeline(named: target.name)
        else { return false }
        return pipeline.spec.policy.priority < .normal
    }

    private func fetched(for request: ClientRequest) async -> ServedAnswer {
        var subject = ServedAnswer.Subject.unknown
        do {
            let target = try RequestTarget(request.target)
            let pipeline = try served.current.pipeline(named: target.name)
            subject = .pipeline(target.name)
            let call = try target.fetch(of: pipeline.spec)
            let key = try pipeline.key(call.arguments)
            // A fetch starts the feeds of its key, too.
            let fed = pipeline.keepFed(key)
            defer { withExtendedLifetime(fed) {} }
            let begun = recorder?.now
            let outcome = try await fetch(key, call.following, from: pipeline, ClientPriority.of(request.headers))
            lacks.count(outcome)
            if let recorder, let begun { recorder.note(outcome, policy: .default, begun: begun) }
            return answer(to: request, outcome, spec: pipeline.spec, following: call.following).about(subject)
        } catch {
            return refusal(error, of: request).about(subject)
        }
    }

    private func fetch(_ key: Key, _ links: [String], from pipeline: DataPipeline, _ priority: Priority?) async throws -> Outcome {
        guard !links.isEmpty else { return try await pipeline.fetch(key, priority: priority) }
        return try await pipeline.fetch(key, following: links, priority: priority)
    }

    /// 200 with an event stream, 403 for a page of an origin that is not allowed, 406 for bytes, otherwise as a fetch is answered.
    private func streamed(for request: ClientRequest) -> ServedAnswer {
        var headers: HTTPHeaders = ["Vary": "Accept, Origin"]
        switch origins.verdict(on: request.headers) {
        case .own: break
        case .allowed(let origin): headers.add(name: "Access-Control-Allow-Origin", value: origin)
        case .foreign(let origin):
            let help = OriginRule.normal(origin).map { "; `--allow-origin \($0.cut)` lets them" } ?? ""
            return .problem(.forbidden, "pages of `\(origin.cut)` may not read event streams\(help)", headers: headers)
        }
        var answer = stream(for: request)
        answer.headers.add(contentsOf: headers)
        return answer
    }

    private func stream(for request: ClientRequest) -> ServedAnswer {
        var subject = ServedAnswer.Subject.unknown
        do {
            let target = try RequestTarget(request.target)
            let (pipeline, epoch) = try served.pipeline(named: target.name)
            subject = .pipeline(target.name)
            let call = try target.stream(of: pipeline.spec)
            let snapshots = pipeline.snapshots(try pipeline.key(call.arguments), priority: ClientPriority.of(request.headers))
            let format = pipeline.spec.policy.format
            guard format != .bytes else {
                return .problem(.notAcceptable, "an event stream has text, and the values of `\(target.name.cut)` are bytes").about(subject)
            }
            // Proxies are to pass on each event at once, and to keep none.
            let headers: HTTPHeaders = [
                "Content-Type": EventStream.contentType, "Cache-Control": "no-store", "X-Accel-Buffering": "no",
            ]
            let lastID = request.headers.first(name: "last-event-id")
            let stream = EventStream(
                snapshots: snapshots, output: call.output, format: format,
                epoch: { "\(epoch).\(pipeline.life(of: $0.key) ?? 0)" }, lastID: lastID,
                isCombined: pipeline.spec.combine != nil, texts: texts, redactor: redactor)
            return ServedAnswer(status: .ok, headers: headers, stream: stream).about(subject)
        } catch {
            return refusal(error, of: request).about(subject)
        }
    }

    private func refusal(_ error: any Error, of request: ClientRequest) -> ServedAnswer {
        switch error {
        case let error as RequestTarget.Problem: return .problem(.badRequest, error.message)
        case let error as UsageError:
            let help = error.helpForRequest.map { "; \($0)" } ?? ""
            if case .unknownPipeline(let name, _) = error {
                if isSend(name, for: request) { return wrongMethod(request) }
                // Which pipelines there are is for those who run the server.
                return .problem(.notFound, error.message.cut + (detail == .brief ? "" : help.cut))
            }
            return .problem(.badRequest, error.message.cut + help.cut)
        case is ShutDownError: return .problem(.serviceUnavailable, "\(error)")
        default: return .abandoned
        }
    }

    /// Ends all rests, unless the page of another origin asks for that.
    private func woken(_ request: ClientRequest) -> ServedAnswer {
        guard case .own = origins.verdict(on: request.headers) else {
            return .problem(.forbidden, "pages of other origins may not end rests")
        }
        return .json(.ok, .object([("ended", .number("\(OriginControllers.shared.endRests())"))]))
    }

    private func answer(at path: ReservedPath, to request: ClientRequest) async -> ServedAnswer {
        switch path {
        case .metrics:
            gauges.update()
            return ServedAnswer(status: .ok, headers: ["Content-Type": PrometheusRegistry.contentType], body: Array(metrics.text.utf8))
        case .health: return .json(.ok, .object([("status", .string("ok"))]))
        case .ready:
            let isReady = !isDraining()
            return .json(isReady ? .ok : .serviceUnavailable, .object([("status", .string(isReady ? "ready" : "draining"))]))
        case .wake:
            return .problem(.methodNotAllowed, "`/-/wake` is for `POST`: it ends the rests of origins", headers: ["Allow": "POST"])
        case .send(let id) where !served.taking.sends.isEmpty: return await status(ofSend: id, for: request)
        case .send, .unknown:
            let path = String(request.target.prefix { $0 != "?" }).cut
            let known = "`/-/metrics`, `/-/health` and `/-/ready` are there"
            return .problem(.notFound, "nothing is at `\(path)`; \(known), and a pipeline whose name begins with `-/` is at `/-%2F…`")
        }
    }
}

// The answer that an outcome comes to.
extension PipelineResponder {
    private func answer(
        to request: ClientRequest, _ outcome: Outcome, spec: PipelineSpec, following paths: [String]
    ) -> ServedAnswer {
        let origins = spec.tiers.filter(\.source.isOrigin).map(\.name)
        var headers: HTTPHeaders = ["Cache-Status": CacheStatus.value(of: outcome, origins: origins)]
        // That there is no value is remembered, too, and has an age.
        let age = outcome.answer.map(outcome.age)
        if let age { headers.add(name: "Age", value: "\(age.components.seconds)") }
        let isFed = FedValue(pipelines: served.current).isFed(spec, following: paths)
        let terms = outcome.answer.flatMap { CopyTerms.value(of: outcome, $0, spec: spec, isFed: isFed) }
        if let terms { headers.add(name: "Cache-Control", value: terms) }
        if !outcome.sends.isEmpty { headers.add(name: "Pipe-Run-Sends", value: "\(outcome.sends.count)") }
        if let places = IncompleteField.value(of: outcome) { headers.add(name: IncompleteField.name, value: places) }
        var answer =
            switch outcome.result {
            case .value(let entry):
                answer(to: request, entry, format: spec.policy.format, isFinal: outcome.sends.isEmpty, headers: headers)
            case .notFound: ServedAnswer.problem(.notFound, name(of: outcome.key) + " not found", headers: headers)
            case .failed(let error): failure(error, of: outcome, headers: headers)
            }
        answer.age = age
        return answer
    }

    /// - Parameter isFinal: whether the value is what its origin gave, and not what it is expected to become.
    private func answer(
        to request: ClientRequest, _ entry: Entry, format: PayloadFormat, isFinal: Bool, headers: HTTPHeaders
    ) -> ServedAnswer {
        var headers = headers
        let payload = entry.payload ?? []
        // A tag that is masked would be the same for other values.
        let own = redactor
        func shown(_ field: String?) -> String? { field.flatMap { own.redacted($0) == $0 ? $0 : nil } }
        let type = shown(entry.contentType) ?? format.contentType
        let isCodable = ContentCoding.applies(to: type, count: payload.count)
        let isCompressed = isCodable && request.isChunkable && ContentCoding.acceptsGzip(request.headers)
        let etag = shown(entry.etag) ?? EntityTag.of(payload)
        // Compressed, the bytes are not the same: a strong tag would promise that they are (RFC 9110, section 8.8.3.3).
        headers.add(name: "ETag", value: isCompressed || !isFinal ? EntityTag.weakened(etag) : etag)
        if isCodable { headers.add(name: "Vary", value: "Accept-Encoding") }
        if isKnown(entry, as: etag, to: request) { return ServedAnswer(status: .notModified, headers: headers) }
        headers.add(name: "Content-Type", value: type)
        if let modified = entry.lastModified { headers.add(name: "Last-Modified", value: modified) }
        if isCompressed { headers.add(name: "Content-Encoding", value: "gzip") }
        return ServedAnswer(status: .ok, headers: headers, body: payload, isCompressed: isCompressed, isValue: true)
    }

    /// Indicates whether the client has the value by its own words. A date counts only where it names no tag (RFC 9110, section 13.2.2).
    private func isKnown(_ entry: Entry, as etag: String, to request: ClientRequest) -> Bool {
        let tags = request.headers["If-None-Match"]
        guard tags.isEmpty else { return EntityTag.matches(tags.joined(separator: ", "), etag) }
        let dates = request.headers["If-Modified-Since"]
        let year = HTTPDate.year(of: entry.created.nanoseconds / 1_000_000_000)
        guard dates.count == 1, let known = HTTPDate.seconds(dates[0], year: year),
            let modified = entry.lastModified.flatMap({ HTTPDate.seconds($0, year: year) })
        else { return false }
        return modified <= known
    }

    private func failure(_ error: LoadError, of outcome: Outcome, headers: HTTPHeaders) -> ServedAnswer {
        let code = ("code", JSONText.string(error.kind.rawValue))
        // Names of tiers, also in Cache-Status, are what the client is not to learn.
        var headers = detail == .brief ? HTTPHeaders() : headers
        if let rest = error.earliestRetry?.duration(since: outcome.ended) {
            // Rounded up: a client that comes too early comes for nothing.
            headers.add(name: "Retry-After", value: "\(max(1, (rest + .nanoseconds(999_999_999)).components.seconds))")
        }
        switch detail {
        case .brief:
            let message = ("message", JSONText.string("the value could not be loaded"))
            return .json(.badGateway, .object([("error", .object([code, message]))]), headers: headers)
        case .full:
            let attempts = outcome.attempts.map { attempt in
                Attempt(attempt.source, attempt.outcome, duration: attempt.duration, reason: attempt.reason?.cut)
            }
            var members: [(String, JSONText)] = [
                ("error", .object([code, ("message", .string(words(for: error)))])), ("tiers", Envelope.tiers(of: attempts)),
            ]
            if outcome.isCombined { members.append(("parts", Envelope.parts(outcome.parts, redactor))) }
            return .json(.badGateway, .object(members), headers: headers)
        }
    }
}

// Texts that quote what the client sent. Secrets are masked first: half of one would not be found.
extension PipelineResponder {
    var redactor: Redactor { served.current.redactor }

    private func words(for error: LoadError) -> String {
        let redactor = redactor
        let key = redactor.redacted(error.key.text)
        let message = redactor.redacted(error.description)
        return (key == key.cut ? message : message.replacing(key, with: key.cut)).cut(to: 4_000)
    }

    private func name(of key: Key) -> String { "`\(redactor.redacted(key.text).cut)`" }
}

extension ReservedPath? {
    fileprivate var isWake: Bool { if case .wake = self { true } else { false } }
}

extension UsageError {
    /// The edit that makes the request one that is answered.
    fileprivate var helpForRequest: String? {
        if case .unknownPipeline(let name, _) = self, ReservedPath.names.contains(name) {
            return "what the server says of itself is at `/-/\(name)`"
        }
        guard case .missingParameters(let names, let pipeline) = self else { return help }
        return "give \(names.count == 1 ? "it" : "them") as in `GET /\(pipeline)?\(names.map { "\($0)=VALUE" }.joined(separator: "&"))`"
    }
}

extension PayloadFormat {
    /// The media type of a payload whose origin did not name one.
    fileprivate var contentType: String {
        switch self {
        case .json: "application/json"
        case .text: "text/plain; charset=utf-8"
        case .bytes: "application/octet-stream"
        }
    }
}
