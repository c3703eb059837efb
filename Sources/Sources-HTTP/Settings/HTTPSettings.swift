import NIOHTTP1
package import Pipeline
public import PipelineConfig
package import PipelineNetwork
import PipelineSockets

/// The settings of an `http` source.
package struct HTTPSettings: Sendable {
    /// The name of the source.
    package var name = ""
    package var url: URLTemplate
    package var method = RequestMethod.get
    package var headers = FieldMap<SecretTemplate>()
    package var query = FieldMap<TextTemplate>()
    package var body: TextTemplate?
    /// The way in which parameters are written in the body; nil if its type says it.
    package var escape: BodyEscaping?
    /// The time for one read, redirects and body included.
    package var timeout: Duration?
    /// The most bytes of a body, decoded.
    package var maxSize = Size.mebibytes(64)
    package var redirects = RedirectLimit.standard
    package var accepted = AcceptedStatuses.success
    /// The rule for how long copies are fresh.
    package var caching = Caching.none
    /// The time for which copies of an answer are fresh that says nothing.
    package var defaultFreshness = DefaultFreshness.fixed(.zero)
    /// Bounds for how long copies are fresh.
    package var minFreshness = Duration.zero
    package var maxFreshness = Duration.seconds(30 * 86_400)
    /// Certificates to trust besides those of the machine.
    package var trusted: CertificateFile?

    /// The limits that the source sets itself at each origin that it asks.
    package var limits = OriginLimits()
    /// The rule for a second request; nil for never.
    package var hedge: HedgePolicy?
    /// Indicates whether asking twice is the same as asking once; nil if the method says it.
    package var isIdempotent: Bool?
    /// Indicates whether a download that broke off goes on where it stopped.
    package var resumes = false
    /// The way in which several values are requested at once; nil if each is requested alone.
    package var batch: HTTPBatch?
    /// Indicates whether HTTP/2 is spoken with servers that choose it.
    package var maySpeakHTTP2 = false
    /// The time for which a connection is kept that no request uses: shorter than the servers' own limits (5 s in Node), so that a request
    /// seldom meets a connection that is just being closed. No field: tests that count connections set it.
    package var idleLimit = Duration.seconds(4)
    /// The proxy through which the servers are asked; nil for none.
    package var proxy: ProxyAddress?

    package init(url: URLTemplate) {
        self.url = url
    }

    /// Indicates whether a body that broke off can be continued: other methods have no parts (RFC 9110, section 14.2).
    var canResume: Bool { resumes && method == .get }

    /// Indicates whether a request of `method` may be sent again when it failed.
    func mayRepeat(_ method: RequestMethod) -> Bool { isIdempotent ?? method.isRepeatable }
}

extension HTTPSettings {
    /// The request for `key`. Whatever the parameters hold, it has the configured URL, fields and body, with values in their places.
    func request(for key: Key) throws -> OutgoingRequest {
        var headers = try HTTPHeaders(filling: self.headers, of: url, for: key)
        let body = try body.map { body in
            guard let escaping = BodyEscaping.of(body, self.headers, chosen: escape) else {
                throw SourceError("nothing says how a parameter is written in the body: `escape` does")
            }
            if !headers.contains(name: "Content-Type"), let type = BodyEscaping.impliedType(of: body) {
                headers.add(name: "Content-Type", value: type)
            }
            return escaping.fill(body, for: key)
        }
        return OutgoingRequest(
            method: method, url: try filled(url.filled(for: key), for: key), headers: headers, body: body,
            identity: RequestIdentity(method.rawValue, url, key))
    }

    /// The request for `keys`, which differ in the parameter of `batch` alone.
    func request(for keys: [Key], _ batch: HTTPBatch) throws -> OutgoingRequest {
        guard let first = keys.first, let parameter = batch.parameter else { throw SourceError("the batch has no ids") }
        var several = self
        several.url = batch.url
        var request = try several.request(for: first)
        request.url = try filled(batch.url.filled(for: keys, joining: parameter), for: first)
        return request
    }

    /// Indicates whether a parameter stands in the host or the port.
    var hostDependsOnKey: Bool { url.hostDependsOnKey }

    /// `text` with the query parameters for `key`.
    private func filled(_ text: String, for key: Key) throws -> HTTPURL {
        do {
            return try query.reduce(HTTPURL(text)) { url, field in
                url.appending(PercentEncoding.url.encoded(field.name), PercentEncoding.url.encoded(field.value.filled(for: key)))
            }
        } catch {
            throw SourceError("cannot ask the URL: \(error.words)", cause: error)
        }
    }
}

/// The number of redirects that are followed for one read.
public struct RedirectLimit: Sendable, Hashable, Comparable {
    /// The most redirects; 0 follows none.
    public let count: Int

    /// The limit that `true` stands for.
    public static let standard = RedirectLimit(5)

    /// Makes a limit of `count` redirects.
    public init(_ count: Int) {
        self.count = count
    }

    /// Indicates whether `left` follows fewer redirects.
    public static func < (left: RedirectLimit, right: RedirectLimit) -> Bool { left.count < right.count }
}

extension RedirectLimit: FieldValue {
    /// A number, or a bool.
    public static var fieldType: FieldType { .either([.int, .bool]) }

    /// The number written in `node`; `true` is ``standard``, `false` 0.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> RedirectLimit? {
        let expectation = "a number of redirects, `true` or `false`"
        guard let text = decoder.text(of: node, expecting: expectation) else { return nil }
        if ["true", "yes", "on", "false", "no", "off"].contains(text.lowercased()) {
            return Bool.decode(node, with: decoder).map { $0 ? .standard : RedirectLimit(0) }
        }
        if let first = text.utf8.first, "+-0123456789".utf8.contains(first) {
            return Int.decode(node, with: decoder).map(RedirectLimit.init)
        }
        decoder.report(.wrongType, "expected \(expectation) for `\(decoder.fieldName)`, found `\(text.prefix(60))`", at: node)
        return nil
    }

    /// The number.
    public var written: String? { "\(count)" }
}
