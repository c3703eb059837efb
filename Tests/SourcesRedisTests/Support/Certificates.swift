import Foundation

/// A certificate authority and a server's certificate, made for one test.
struct Certificates {
    let folder: TemporaryFolder

    /// Certificates for 127.0.0.1.
    init() throws {
        folder = try TemporaryFolder()
        for name in ["ca", "other"] {
            try openssl(
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=\(name)",
                "-keyout", "\(name).key", "-out", "\(name).pem")
        }
        try openssl(
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=redis", "-keyout", "server.key",
            "-out",
            "server.csr")
        try "subjectAltName=IP:127.0.0.1\n".write(toFile: folder.path + "/names", atomically: true, encoding: .utf8)
        try openssl(
            "x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "names",
            "-out",
            "server.pem")
    }

    var serverOptions: [String] {
        [
            "--tls-cert-file", folder.path + "/server.pem", "--tls-key-file", folder.path + "/server.key", "--tls-ca-cert-file",
            folder.path + "/ca.pem", "--tls-auth-clients", "no",
        ]
    }

    func file(_ name: String) -> String { folder.path + "/" + name }

    private func openssl(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw RedisServer.Problem(description: "openssl \(arguments) failed") }
    }
}
