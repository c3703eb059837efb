import Foundation
import TestSupport

/// A certificate authority and a server's certificate, made for one test.
struct Certificates {
    let folder: TemporaryFolder

    /// Certificates for 127.0.0.1.
    init() throws {
        folder = try TemporaryFolder()
        for name in ["ca", "other"] {
            try openssl(
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=\(name)",
                "-keyout", file("\(name).key"), "-out", file("\(name).pem"))
        }
        try openssl(
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=redis", "-keyout",
            file("server.key"),
            "-out", file("server.csr"))
        try "subjectAltName=IP:127.0.0.1\n".write(toFile: folder.path + "/names", atomically: true, encoding: .utf8)
        try openssl(
            "x509", "-req", "-in", file("server.csr"), "-CA", file("ca.pem"), "-CAkey", file("ca.key"), "-CAcreateserial", "-days", "2",
            "-extfile", file("names"),
            "-out", file("server.pem"))
    }

    var serverOptions: [String] {
        [
            "--tls-cert-file", folder.path + "/server.pem", "--tls-key-file", folder.path + "/server.key", "--tls-ca-cert-file",
            folder.path + "/ca.pem", "--tls-auth-clients", "no",
        ]
    }

    func file(_ name: String) -> String { folder.path + "/" + name }

    private func openssl(_ arguments: String...) throws {
        guard try ChildProcess.run(["openssl"] + arguments) == 0 else {
            throw RedisServer.Problem(description: "openssl \(arguments) failed")
        }
    }
}
