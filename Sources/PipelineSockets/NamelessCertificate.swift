package import NIOCore
import NIOSSL

/// A certificate without a subject alternative name: it says of no host that it is the host's own (RFC 9525, section 2).
package struct NamelessCertificate: Error {
    /// The problem with the certificate of the server behind `channel`; nil without TLS.
    ///
    /// NIOSSL takes the common name in that case, which may hold anything.
    package static func problem(on channel: any Channel) -> NamelessCertificate? {
        guard let certificate = try? channel.pipeline.syncOperations.nioSSL_peerCertificate() else { return nil }
        return certificate._subjectAlternativeNames().isEmpty ? NamelessCertificate() : nil
    }
}
