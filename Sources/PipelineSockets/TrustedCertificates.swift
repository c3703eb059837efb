package import NIOSSL
import Pipeline
package import PipelineConfig
import Synchronization

#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// The certificates of a file, trusted besides those of the machine.
package final class TrustedCertificates: Sendable {
    private let file: CertificateFile
    private let loaded = Mutex<TLSConfiguration?>(nil)

    package init(_ file: CertificateFile) {
        self.file = file
    }

    /// The configuration of a connection that trusts them. The file is read once; one that cannot be read is tried again by the next call.
    package func configuration() throws -> TLSConfiguration {
        if let configuration = loaded.withLock(\.self) { return configuration }
        var configuration = TLSConfiguration.client
        configuration.additionalTrustRoots = [.certificates(try read())]
        loaded.withLock { [configuration] in $0 = configuration }
        return configuration
    }

    private func read() throws -> [NIOSSLCertificate] {
        var status = stat()
        guard stat(file.path, &status) == 0 else {
            throw SourceError("cannot read the certificates of \(file.path): \(String(cString: strerror(errno)).lowercased())")
        }
        // A pipe would keep the reader waiting.
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw SourceError("cannot read the certificates of \(file.path): it is not a file")
        }
        do {
            let certificates = try NIOSSLCertificate.fromPEMFile(file.path)
            guard !certificates.isEmpty else { throw SourceError("there are no certificates in \(file.path)") }
            return certificates
        } catch let error as SourceError {
            throw error
        } catch {
            throw SourceError("there are no certificates in \(file.path) that can be read: PEM is expected", cause: error)
        }
    }
}

extension TLSConfiguration {
    /// The configuration of secure connections: verified, and with TLS 1.2 at least (RFC 8996 retires what came before).
    package static var client: TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        return configuration
    }
}
