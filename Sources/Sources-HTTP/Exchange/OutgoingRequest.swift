import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import Pipeline
public import PipelineConfig
import PipelineNetwork
import PipelineSockets

/// A request as it goes out: templates filled, defaults set.
struct OutgoingRequest: Sendable {
    private(set) var method: RequestMethod
    var url: HTTPURL
    /// The configured fields and the defaults. A redirect to another origin leaves the harmless ones.
    private(set) var headers: HTTPHeaders
    private(set) var body: [UInt8]?
    /// The conditions of a revalidation, or the fields of a send. They go wherever the redirects lead: the answer they tell of came from
    /// there, and those of a send lead nowhere else.
    private(set) var conditions = HTTPHeaders()
    private let identity: RequestIdentity

    init(method: RequestMethod, url: HTTPURL, headers: HTTPHeaders, body: [UInt8]?, identity: RequestIdentity) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.identity = identity
    }

    /// The sender of the request, for the controller of the origin.
    func asker(of source: String, optional isOptional: Bool) -> RequestAsker {
        RequestAsker(source: source, credentials: identity.with(headers, url), isOptional: isOptional)
    }

    /// This request, to be answered with `304` if the answer still has these validators (RFC 9110, section 13.1).
    func confirming(etag: String?, lastModified: String?) -> OutgoingRequest {
        var copy = self
        // A copy that was changed by hand may hold anything.
        if let etag, HeaderFields.canBeTag(etag) {
            copy.conditions.replaceOrAdd(name: "If-None-Match", value: etag)
        }
        if let lastModified, HeaderFields.canBeValue(lastModified) {
            copy.conditions.replaceOrAdd(name: "If-Modified-Since", value: lastModified)
        }
        return copy
    }

    /// This request without conditions.
    var plain: OutgoingRequest {
        var copy = self
        copy.conditions = HTTPHeaders()
        return copy
    }

    /// The request for what follows after `part` in the same body, or for all of another one (RFC 9110, section 13.1.5).
    func continuing(_ part: PartialBody) -> OutgoingRequest {
        var copy = self
        copy.conditions.replaceOrAdd(name: "Range", value: "bytes=\(part.bytes.count)-")
        copy.conditions.replaceOrAdd(name: "If-Range", value: part.validator)
        // What is compressed has other places.
        copy.conditions.replaceOrAdd(name: "Accept-Encoding", value: "identity")
        return copy
    }

    /// This request with the body and the fields of a send, which replace configured ones. Only a body has a type: the configured one, else
    /// `type`.
    func carrying(_ body: [UInt8]?, ofType type: String?, _ fields: HTTPHeaders) -> OutgoingRequest {
        var copy = self
        copy.body = body
        copy.conditions = fields
        if body == nil {
            copy.headers.remove(name: "Content-Type")
        } else if let type, !headers.contains(name: "Content-Type") {
            copy.headers.add(name: "Content-Type", value: type)
        }
        return copy
    }

    /// Indicates whether the request asks for the rest of a body.
    var isForRest: Bool { conditions.contains(name: "Range") }

    /// Indicates whether a `304` answers this request.
    var isConditional: Bool { !conditions.isEmpty }

    /// The request that follows the answer `status` to `target` (RFC 9110, section 15.4).
    ///
    /// Throws when a body would go to another origin: it may hold a secret, and without it the request would ask for something else.
    func redirected(to target: HTTPURL, status: Int) throws(SourceError) -> OutgoingRequest {
        var copy = self
        if target.origin != url.origin {
            copy.headers = HTTPHeaders(headers.filter { HeaderFields.harmless.contains($0.name.lowercased()) })
        }
        if status == 303 || (status == 301 || status == 302) && method == .post {
            copy.method = .get
            copy.body = nil
            copy.headers.remove(name: "Content-Type")
        }
        guard copy.body == nil || target.origin == url.origin else {
            throw SourceError(
                "a redirect from \(url.place) (\(status)) would send the body to \(target.origin); if that is meant, ask there")
        }
        copy.url = target
        return copy
    }

    /// The request in the client's terms.
    func clientRequest(by route: Route) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: url.text)
        request.method = HTTPMethod(rawValue: method.rawValue)
        request.headers = headers
        if !headers.contains(name: "Accept-Encoding") { request.headers.add(name: "Accept-Encoding", value: "deflate, gzip") }
        for condition in conditions { request.headers.replaceOrAdd(name: condition.name, value: condition.value) }
        if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
        return route.adapted(request, for: url)
    }
}

/// The method a source asks with.
public enum RequestMethod: String, FieldChoice {
    /// Asks for the value; the only method, with ``query``, whose answers can be confirmed later.
    case get = "GET"
    /// Sends a body and takes the answer as the value, as GraphQL and RPC interfaces do.
    case post = "POST"
    /// Stores the body at the URL.
    case put = "PUT"
    /// Changes what is at the URL.
    case patch = "PATCH"
    /// Removes what is at the URL.
    case delete = "DELETE"
    /// Asks with a body, and changes nothing.
    case query = "QUERY"

    /// Indicates whether asking twice is the same as asking once (RFC 9110, section 9.2.2; QUERY is safe).
    var isRepeatable: Bool { self != .post && self != .patch }

    /// Indicates whether an answer may be confirmed by its validators: the others have no `304` (RFC 9110, section 13.1.2).
    var isConditional: Bool { self == .get || self == .query }
}

/// The identity of who sends a request, as a server may tell clients apart: hashes of its credentials, and never their text.
struct RequestIdentity: Sendable {
    /// The hash, another one in each process, so that nothing can be learned from its values.
    private static let hasher = KeyHash(key: (.random(in: .min ... .max), .random(in: .min ... .max)))

    private let source: UInt64

    /// The identity of a source that asks `url` for `key`: what it is, and the values of the parameters that are credentials.
    init(_ method: String, _ url: URLTemplate, _ key: Key) {
        let secrets = key.parameters.filter { Credential.isBeside($0.name) }.map { "\($0.name)=\($0.value)" }
        source = Self.hash([method, url.description] + secrets)
    }

    /// The identity with the credentials that are sent in fields and in the query.
    func with(_ headers: HTTPHeaders, _ url: HTTPURL) -> UInt64 {
        let fields = headers.filter { Credential.isBeside($0.name) }.map { "\($0.name.lowercased()): \($0.value)" }.sorted()
        let query = url.query?.split(separator: "&").filter { Credential.isBeside(String($0.prefix { $0 != "=" })) } ?? []
        return fields.isEmpty && query.isEmpty ? source : Self.hash(["\(source)"] + fields + query.map(String.init))
    }

    private static func hash(_ texts: [String]) -> UInt64 { hasher.hash(of: Array(texts.joined(separator: "\n").utf8)) }
}
