import Foundation
import NIOSSL
import TestSupport

/// A certificate of 127.0.0.1 that only itself has signed, made anew for each test.
struct SelfSigned {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "certificate-\(UUID().uuidString)")
    /// What a server greets with.
    let context: NIOSSLContext

    /// The certificate as a file.
    var file: String { folder.appending(path: "certificate.pem").path }

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let (key, certificate) = (folder.appending(path: "key.pem").path, folder.appending(path: "certificate.pem").path)
        // scripts/setup installs it.
        try ChildProcess.run([
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
            "/CN=localhost", "-keyout", key, "-out", certificate, "-addext", "subjectAltName=IP:127.0.0.1",
        ])
        context = try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: try NIOSSLCertificate.fromPEMFile(certificate).map { .certificate($0) },
                privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem))))
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }
}
