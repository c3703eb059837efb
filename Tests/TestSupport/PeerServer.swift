import Foundation
import NIOCore
import NIOPosix
import TestSupport

/// An HTTP server of other authors that a test starts, on a free loopback port and in a folder of its own.
enum PeerServer {
    struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    /// A program that may be installed, also where only the superuser looks for programs.
    struct Program: Sendable {
        let path: String?

        init(_ name: String, _ argument: String) {
            path = [name, "/usr/sbin/" + name].first { (try? ChildProcess.run([$0, argument])) == 0 }
        }
    }

    static let nginx = Program("nginx", "-v")
    static let varnish = Program("varnishd", "-V")

    /// Why a test is skipped.
    static let advice = "no nginx or no varnishd; `scripts/setup` installs them"
    static let areThere = nginx.path != nil && varnish.path != nil

    /// Runs `body` with the URL of nginx, whose server has these directives, and with its folder.
    static func nginx(_ directives: String, in folder: TemporaryFolder, _ body: (String) async throws -> Void) async throws {
        guard let program = nginx.path else { throw Problem(description: advice) }
        let kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        let places = kinds.map { "\($0)_temp_path \(folder.path)/\($0);" }.joined(separator: " ")
        try await run(in: folder) { port in
            let text = """
                daemon off; master_process off; pid \(folder.path)/pid; error_log \(folder.path)/log;
                events {}
                http {
                    access_log off; \(places)
                    proxy_cache_path \(folder.path)/cache keys_zone=answers:1m;
                    server { listen 127.0.0.1:\(port); \(directives) }
                }
                """
            try folder.put(text, into: "nginx.conf")
            return [program, "-c", folder.path + "/nginx.conf", "-e", folder.path + "/log"]
        } _: {
            try await body($0)
        }
    }

    /// Runs `body` with the URL of Varnish in front of the server at `port`.
    static func varnish(before port: Int, _ rules: String = "", in folder: TemporaryFolder, _ body: (String) async throws -> Void)
        async throws
    {
        guard let program = varnish.path else { throw Problem(description: advice) }
        try folder.put("vcl 4.1;\nbackend default { .host = \"127.0.0.1\"; .port = \"\(port)\"; }\n\(rules)\n", into: "rules.vcl")
        try await run(in: folder) { port in
            // Without a jail: the folder belongs to the test, which need not be the superuser.
            [
                program, "-F", "-j", "none", "-n", folder.path + "/work", "-a", "127.0.0.1:\(port)", "-f", folder.path + "/rules.vcl", "-T",
                "none",
            ]
                + ["-s", "malloc,8m"]
        } _: {
            try await body($0)
        }
    }

    /// - Parameter command: the program and its arguments for a port.
    private static func run(
        in folder: TemporaryFolder, _ command: (Int) throws -> [String], _ body: (String) async throws -> Void
    ) async throws {
        // Another process may take the port between finding it and using it.
        for attempt in 1... {
            let port = try await freePort()
            let process = try ChildProcess(command(port), output: folder.path + "/said", errors: folder.path + "/said-wrong")
            defer { process.end() }
            do {
                try await listening(port, process, in: folder)
            } catch  where attempt < 5 {
                continue
            }
            return try await body("http://127.0.0.1:\(port)")
        }
    }

    private static func listening(_ port: Int, _ process: ChildProcess, in folder: TemporaryFolder) async throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while process.isRunning, ContinuousClock.now < deadline {
            let channel = try? await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(host: "127.0.0.1", port: port).get()
            if let channel {
                try? await channel.close()
                if process.isRunning { return }
            }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw Problem(description: "does not run: " + ["log", "said", "said-wrong"].map { folder.text(of: $0) }.joined(separator: "\n"))
    }

    private static func freePort() async throws -> Int {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton).bind(host: "127.0.0.1", port: 0).get()
        let port = channel.localAddress?.port ?? 0
        try await channel.close()
        return port
    }
}
