import Foundation
import NIOSSL
import TestSupport

/// A certificate that is signed by itself alone, made anew for each test.
struct SelfSigned {
    /// The certificate as a file has it.
    let pem: String
    /// Its key, for servers that read it from a file.
    let key: String
    /// What a server greets with.
    let context: NIOSSLContext

    /// A certificate of `names`, as OpenSSL writes them: `IP:127.0.0.1`, `DNS:localhost`. Without any its common name alone is `localhost`.
    ///
    /// - Parameters:
    ///   - newest: the newest version of TLS that the server speaks; nil without a limit.
    ///   - protocols: what the server offers to speak above TLS, the one that it likes best first.
    init(for names: [String] = ["IP:127.0.0.1"], newest: TLSVersion? = nil, protocols: [String] = []) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "certificate-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (key, certificate) = (folder.appending(path: "key.pem"), folder.appending(path: "certificate.pem"))
        try Self.make(key, certificate, for: names)
        pem = try String(contentsOf: certificate, encoding: .utf8)
        self.key = try String(contentsOf: key, encoding: .utf8)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(certificate.path).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: key.path, format: .pem)))
        configuration.maximumTLSVersion = newest
        configuration.applicationProtocols = protocols
        context = try NIOSSLContext(configuration: configuration)
    }

    private static func make(_ key: URL, _ certificate: URL, for names: [String]) throws {
        let arguments = [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
            "/CN=localhost", "-keyout", key.path, "-out", certificate.path,
        ]
        let extensions = names.isEmpty ? [] : ["-addext", "subjectAltName=" + names.joined(separator: ",")]
        // scripts/setup installs it.
        guard try ChildProcess.run(arguments + extensions) == 0 else {
            throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: "openssl"])
        }
    }
}
