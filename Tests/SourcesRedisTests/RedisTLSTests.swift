import Pipeline
import PipelineConfig
import TestSupport
import Testing

@testable import SourcesRedis

@Suite(.timeLimit(.minutes(15)))
struct RedisTLSTests {
    @Test func `a server behind TLS is used when its certificate is one of the file's`() async throws {
        let certificates = try Certificates()
        try await RedisServer.run(certificates.serverOptions, isSecure: true) { server async throws in
            try await withSource(server.url(), { $0.caFile = CertificateFile(certificates.file("ca.pem")) }) { source async throws in
                try await source.write("v1")

                #expect(try await source.text() == "v1")
                #expect(try await source.check() == .reachable)
            }
        }
    }

    @Test func `a certificate of another server is refused`() async throws {
        let certificates = try Certificates()
        try await RedisServer.run(certificates.serverOptions, isSecure: true) { server async throws in
            for file in [certificates.file("other.pem"), nil] {
                try await withSource(server.url(), { $0.caFile = file.map { CertificateFile($0) } }) { source async throws in
                    #expect(await source.failure()?.reason == "TLS with \(server.authority): certificate verify failed")
                    #expect(await source.failure()?.help == "name the file with the certificate of its authority: `ca_file: PATH`")
                }
            }
        }
    }

    @Test func `a server without TLS is no server behind TLS, and the other way round`() async throws {
        let certificates = try Certificates()
        try await RedisServer.run { server async throws in
            let url = server.url().replacing("redis://", with: "rediss://")
            try await withSource(url, { $0.timeout = .seconds(2) }) { source async throws in
                #expect(await source.failure()?.reason.contains(server.authority) == true)
            }
        }
        try await RedisServer.run(certificates.serverOptions, isSecure: true) { server async throws in
            let url = server.url().replacing("rediss://", with: "redis://")
            try await withSource(url, { $0.timeout = .seconds(2) }) { source async throws in
                #expect(await source.failure()?.reason.contains(server.authority) == true)
            }
        }
    }

    @Test func `a file without certificates is named`() async throws {
        let port = LoopbackPort.closed()
        try await withSource("rediss://127.0.0.1:\(port)", { $0.caFile = CertificateFile("/nowhere/ca.pem") }) { source async throws in
            #expect(await source.failure()?.reason == "cannot read the certificates in /nowhere/ca.pem")
        }
    }
}
