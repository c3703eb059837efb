internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Pipeline

/// Answers one request with one fetch.
struct PipelineResponder: Sendable {
    private let pipelines: Pipelines
    private let metrics: PrometheusRegistry

    init(_ pipelines: Pipelines, metrics: PrometheusRegistry) {
        self.pipelines = pipelines
        self.metrics = metrics
    }

    /// 200 with the value, 304 for one the client has, 400 for wrong parameters, 404 for not found and for an unknown pipeline, 405 for
    /// other methods than GET and HEAD, 502 when every tier failed, 503 when the pipelines were shut down.
    func respond(to request: Request) async throws -> Response {
        switch request.method {
        case .get: try await answer(to: request)
        case .head: try await answer(to: request).createHeadResponse()
        default:
            problem(.methodNotAllowed, "`\(request.method.rawValue)` is not answered; `GET` and `HEAD` are", headers: [.allow: "GET, HEAD"])
        }
    }

    private func answer(to request: Request) async throws -> Response {
        if let path = ReservedPath(request.uri.string) { return answer(at: path) }
        do {
            let target = try RequestTarget(request.uri.string)
            let pipeline = try pipelines[target.pipeline]
            let outcome = try await pipeline.fetch(pipeline.key(target.arguments))
            return response(to: request, outcome, plan: pipeline.plan)
        } catch let error as RequestTarget.Problem {
            return problem(.badRequest, error.message)
        } catch let error as UsageError {
            let help = error.helpForRequest.map { "; \($0)" } ?? ""
            if case .unknownPipeline = error { return problem(.notFound, error.message + help) }
            return problem(.badRequest, error.message + help)
        } catch let error as ShutDownError {
            return problem(.serviceUnavailable, "\(error)")
        }
    }

    private func answer(at path: ReservedPath) -> Response {
        switch path {
        case .metrics:
            let headers: HTTPFields = [.contentType: PrometheusRegistry.contentType]
            return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.text)))
        case .unknown(let path):
            let help = "; `/-/metrics` is, and a pipeline whose name begins with `-/` is at `/-%2F…`"
            return problem(.notFound, "nothing is at `\(path)`" + help)
        }
    }

    private func response(to request: Request, _ outcome: Outcome, plan: PipelinePlan) -> Response {
        var headers = HTTPFields()
        let origins = plan.tiers.filter { $0.source.isWritable == false }.map(\.source.name)
        headers[.cacheStatus] = CacheStatus.value(of: outcome, origins: origins)
        switch outcome.result {
        case .value(let entry):
            return response(to: request, entry, age: outcome.age ?? .zero, format: plan.policy.format, headers: headers)
        case .notFound:
            return problem(.notFound, pipelines.redactor.redacted("`\(outcome.key)` not found"), headers: headers)
        case .failed(let error):
            let message = pipelines.redactor.redacted(error.description)
            let body = JSONText.object([
                ("error", .object([("code", .string(error.kind.rawValue)), ("message", .string(message))])),
                ("tiers", Envelope.tiers(of: outcome.attempts)),
            ])
            return json(.badGateway, body, headers: headers)
        }
    }

    private func response(
        to request: Request, _ entry: Entry, age: Duration, format: PayloadFormat, headers: HTTPFields
    ) -> Response {
        var headers = headers
        let payload = entry.payload ?? []
        let etag = entry.etag ?? EntityTag.of(payload)
        headers[.eTag] = etag
        headers[.age] = "\(age.components.seconds)"
        if EntityTag.matches(request.headers[.ifNoneMatch], etag) { return Response(status: .notModified, headers: headers) }
        headers[.contentType] = entry.contentType ?? format.contentType
        headers[.lastModified] = entry.lastModified
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: payload)))
    }

    private func problem(_ status: HTTPResponse.Status, _ message: String, headers: HTTPFields = HTTPFields()) -> Response {
        json(status, .object([("error", .object([("code", .string(status.code)), ("message", .string(message))]))]), headers: headers)
    }

    private func json(_ status: HTTPResponse.Status, _ body: JSONText, headers: HTTPFields) -> Response {
        var headers = headers
        headers[.contentType] = "application/json"
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: body.text + "\n")))
    }
}

extension HTTPField.Name {
    /// RFC 9211.
    fileprivate static var cacheStatus: HTTPField.Name? { HTTPField.Name("Cache-Status") }
}

extension HTTPFields {
    fileprivate subscript(name: HTTPField.Name?) -> String? {
        get { name.flatMap { self[$0] } }
        set { if let name { self[name] = newValue } }
    }
}

extension HTTPResponse.Status {
    /// A word for programs: `not_found`.
    fileprivate var code: String {
        switch self {
        case .notFound: "not_found"
        case .badRequest: "bad_request"
        case .methodNotAllowed: "method_not_allowed"
        case .serviceUnavailable: "service_unavailable"
        default: "\(self.code)"
        }
    }
}

extension UsageError {
    /// The edit that mends a request.
    fileprivate var helpForRequest: String? {
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
