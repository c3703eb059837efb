import Foundation

/// A server, cache or proxy of other authors that a test starts, on a free loopback port and in a folder of its own.
package enum PeerServer {
    /// A program that may be installed, also where only the superuser looks for programs.
    package struct Program: Sendable {
        let path: String?

        init(_ name: String, _ argument: String) {
            path = [name, "/usr/sbin/" + name].first { (try? ChildProcess.run([$0, argument])) == 0 }
        }

        package var isThere: Bool { path != nil }
    }

    package static let nginx = Program("nginx", "-v")
    package static let varnish = Program("varnishd", "-V")
    package static let squid = Program("squid", "-v")
    package static let tinyproxy = Program("tinyproxy", "-v")
    private static let apache = Program("apache2", "-v")
    /// Where Debian has the modules of Apache.
    private static let modules = "/usr/lib/apache2/modules"

    /// Why a test is skipped.
    package static let advice = "no nginx, varnishd, squid or tinyproxy; `scripts/setup` installs them"
    /// Whether there are caches to stand before a server.
    package static let areThere = nginx.isThere && varnish.isThere
    /// Why a test with Apache is skipped.
    package static let adviceForDAV = "no Apache with mod_dav as Debian has it; `scripts/setup` installs it on Linux"
    /// Whether there is Apache with mod_dav.
    package static let hasDAV = apache.isThere && FileManager.default.fileExists(atPath: modules + "/mod_dav_fs.so")

    /// Runs `body` with the URL of nginx, whose server has these directives, and with its folder.
    ///
    /// - Parameter identity: a certificate and its key, in PEM; with them nginx speaks TLS and HTTP/2.
    package static func nginx(
        _ directives: String, as identity: (certificate: String, key: String)? = nil, in folder: TemporaryFolder,
        _ body: (String) async throws -> Void
    ) async throws {
        let kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        let places = kinds.map { "\($0)_temp_path \(folder.path)/\($0);" }.joined(separator: " ")
        var (protocols, files) = ("", "")
        if let identity {
            try folder.put(identity.certificate, into: "certificate.pem")
            try folder.put(identity.key, into: "key.pem")
            protocols = " ssl http2"
            files = "ssl_certificate \(folder.path)/certificate.pem; ssl_certificate_key \(folder.path)/key.pem;"
        }
        try await run(nginx, in: folder) { port in
            let text = """
                daemon off; master_process off; pid \(folder.path)/pid; error_log \(folder.path)/log;
                events {}
                http {
                    access_log off; \(places)
                    proxy_cache_path \(folder.path)/cache keys_zone=answers:1m;
                    server { listen 127.0.0.1:\(port)\(protocols); \(files) \(directives) }
                }
                """
            try folder.put(text, into: "nginx.conf")
            return ["-c", folder.path + "/nginx.conf", "-e", folder.path + "/log"]
        } _: { url in
            try await body(identity == nil ? url : url.replacing("http://", with: "https://"))
        }
    }

    /// Runs `body` with the URL of nginx as a cache in front of the server at `port`.
    ///
    /// - Parameter more: further directives of the cache.
    package static func nginx(before port: Int, _ more: String = "", in folder: TemporaryFolder, _ body: (String) async throws -> Void)
        async throws
    {
        let directives = """
            location / {
                proxy_pass http://127.0.0.1:\(port); proxy_http_version 1.1; proxy_set_header Connection "";
                proxy_cache answers; proxy_cache_revalidate on; \(more)
            }
            """
        try await nginx(directives, in: folder, body)
    }

    /// Runs `body` with the URL of Varnish in front of the server at `port`.
    package static func varnish(before port: Int, _ rules: String = "", in folder: TemporaryFolder, _ body: (String) async throws -> Void)
        async throws
    {
        try folder.put("vcl 4.1;\nbackend default { .host = \"127.0.0.1\"; .port = \"\(port)\"; }\n\(rules)\n", into: "rules.vcl")
        try await run(varnish, in: folder) { port in
            // Without a jail: the folder belongs to the test, which need not be the superuser.
            ["-F", "-j", "none", "-n", folder.path + "/work", "-a", "127.0.0.1:\(port)", "-f", folder.path + "/rules.vcl", "-T", "none"]
                + ["-s", "malloc,8m"]
        } _: {
            try await body($0)
        }
    }

    /// Runs `body` with the URL of Squid, a proxy that clients name, and that keeps what it may.
    package static func squid(in folder: TemporaryFolder, _ body: (String) async throws -> Void) async throws {
        // Started by the superuser it becomes another user.
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path)
        try await run(squid, in: folder) { port in
            let text = """
                http_port 127.0.0.1:\(port)
                http_access allow all
                pid_filename none
                access_log none
                cache_store_log none
                cache_log \(folder.path)/log
                coredump_dir \(folder.path)
                cache_mem 8 MB
                memory_cache_shared off
                pinger_enable off
                visible_hostname squid.example.org
                shutdown_lifetime 0 seconds

                """
            try folder.put(text, into: "squid.conf")
            return ["-N", "-f", folder.path + "/squid.conf"]
        } _: {
            try await body($0)
        }
    }

    /// Runs `body` with the URL of tinyproxy, a proxy that clients name.
    package static func tinyproxy(in folder: TemporaryFolder, _ body: (String) async throws -> Void) async throws {
        try await run(tinyproxy, in: folder) { port in
            try folder.put("Port \(port)\nListen 127.0.0.1\nTimeout 60\nAllow 127.0.0.1\nMaxClients 20\n", into: "tinyproxy.conf")
            return ["-d", "-c", folder.path + "/tinyproxy.conf"]
        } _: {
            try await body($0)
        }
    }

    /// Runs `body` with the URL of Apache, which takes what is PUT there into `files` in the folder, gives it, and removes it (mod_dav).
    package static func dav(in folder: TemporaryFolder, _ body: (String) async throws -> Void) async throws {
        let files = folder.path + "/files"
        try FileManager.default.createDirectory(atPath: files, withIntermediateDirectories: true)
        // Started by the superuser it becomes another user.
        for path in [folder.path, files] { try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: path) }
        let loaded = ["mpm_event", "authz_core", "dav", "dav_fs"].map { "LoadModule \($0)_module \(modules)/mod_\($0).so" }
        try await run(apache, in: folder) { port in
            // Without kept connections none is closed while a request is on its way.
            let text = """
                \(loaded.joined(separator: "\n"))
                ServerName 127.0.0.1
                Listen 127.0.0.1:\(port)
                User #65534
                Group #65534
                KeepAlive Off
                ErrorLog \(folder.path)/log
                PidFile \(folder.path)/pid-\(port)
                DefaultRuntimeDir \(folder.path)
                DavLockDB \(folder.path)/locks
                DocumentRoot \(files)
                <Directory \(files)>
                    Dav On
                </Directory>

                """
            try folder.put(text, into: "apache.conf")
            // One process, which ends with its number.
            return ["-X", "-f", folder.path + "/apache.conf"]
        } _: {
            try await body($0)
        }
    }

    /// - Parameter arguments: those of the program for a port.
    private static func run(
        _ program: Program, in folder: TemporaryFolder, _ arguments: (Int) throws -> [String], _ body: (String) async throws -> Void
    ) async throws {
        guard let path = program.path else { throw ChildProcess.Failure(description: advice) }
        // Another process may take the port between finding it and using it.
        for attempt in 1... {
            let port = try LoopbackPort.free()
            let command = try [path] + arguments(port)
            let process = try ChildProcess(command, output: folder.path + "/said", errors: folder.path + "/said-wrong")
            defer { process.end() }
            guard try await LoopbackPort.isOpened(port, by: process) else {
                if attempt < 5 { continue }
                let said = ["log", "said", "said-wrong"].map { folder.text(of: $0) }.joined(separator: "\n")
                throw ChildProcess.Failure(description: "does not run: \(said)")
            }
            return try await body("http://127.0.0.1:\(port)")
        }
    }
}
