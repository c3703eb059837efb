package import Pipeline
package import PipelineConfig

/// What the fields of an `http` source say.
package struct HTTPSettings: Sendable {
    package var url: URLTemplate
    package var method = RequestMethod.get
    package var headers = FieldMap<SecretTemplate>()
    package var query = FieldMap<TextTemplate>()
    package var body: TextTemplate?
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

    package init(url: URLTemplate) {
        self.url = url
    }
}
