package import Pipeline
package import PipelineConfig
package import PipelineNetwork

/// What the fields of an `http` source say.
package struct HTTPSettings: Sendable {
    /// The name of the source.
    package var name = ""
    package var url: URLTemplate
    package var method = RequestMethod.get
    package var headers = FieldMap<SecretTemplate>()
    package var query = FieldMap<TextTemplate>()
    package var body: TextTemplate?
    /// How parameters are written in the body; nil where its type says it.
    package var escape: BodyEscaping?
    /// The time for one whole read, redirects and body included.
    package var timeout: Duration?
    /// The most bytes of a body, decoded.
    package var maxSize = Size.mebibytes(64)
    package var redirects = RedirectLimit.standard
    package var accepted = AcceptedStatuses.success
    /// What decides how long copies are fresh.
    package var caching = Caching.none
    /// How long copies of an answer are fresh that says nothing.
    package var defaultFreshness = DefaultFreshness.fixed(.zero)
    /// Bounds for how long copies are fresh.
    package var minFreshness = Duration.zero
    package var maxFreshness = Duration.seconds(30 * 86_400)
    /// Certificates to trust besides those of the machine.
    package var trusted: CertificateFile?

    /// What the source allows itself at each origin that it asks.
    package var limits = OriginLimits()
    /// When a second request is sent; nil for never.
    package var hedge: HedgePolicy?
    /// Whether asking twice is the same as asking once; nil where the method says it.
    package var isIdempotent: Bool?
    /// Whether a download that broke off goes on where it stopped.
    package var resumes = false
    /// How several values are requested at once; nil where each is requested alone.
    package var batch: HTTPBatch?
    /// Whether HTTP/2 is spoken with servers that choose it.
    package var maySpeakHTTP2 = false
    /// How long a connection is kept that no request uses: shorter than the servers' own limits (5 s in Node), so that a request seldom
    /// meets a connection that is just being closed. No field: tests that count connections set it.
    package var idleLimit = Duration.seconds(4)
    /// Through what the servers are asked; nil for nothing.
    package var proxy: ProxyAddress?

    package init(url: URLTemplate) {
        self.url = url
    }

    /// Whether a body that broke off can be continued: other methods have no parts (RFC 9110, section 14.2).
    var canResume: Bool { resumes && method == .get }

    /// Whether a request of `method` may be sent again when it failed.
    func mayRepeat(_ method: RequestMethod) -> Bool { isIdempotent ?? method.isRepeatable }
}
