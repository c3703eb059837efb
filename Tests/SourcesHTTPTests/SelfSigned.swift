import Foundation
import NIOSSL
import TestSupport

/// A certificate that nobody has signed but itself, made anew for each test.
struct SelfSigned {
    /// The certificate as a file has it.
    let pem: String
    /// What a server greets with.
    let context: NIOSSLContext

    /// A certificate of the host at `address`.
    init(for address: String = "127.0.0.1") throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "certificate-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (key, certificate) = (folder.appending(path: "key.pem"), folder.appending(path: "certificate.pem"))
        try Self.make(key, certificate, for: address)
        pem = try String(contentsOf: certificate, encoding: .utf8)
        context = try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: NIOSSLCertificate.fromPEMFile(certificate.path).map { .certificate($0) },
                privateKey: .privateKey(NIOSSLPrivateKey(file: key.path, format: .pem))))
    }

    private static func make(_ key: URL, _ certificate: URL, for address: String) throws {
        let arguments = [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
            "/CN=a test", "-addext", "subjectAltName=IP:\(address)", "-keyout", key.path, "-out", certificate.path,
        ]
        // scripts/setup installs it.
        guard try ChildProcess.run(arguments) == 0 else { throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: "openssl"]) }
    }
}
