import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif
import Synchronization

/// nginx with nchan, on a free loopback port, in a folder of its own: a hub that other projects use, to meet a peer that is not ours.
///
/// `/live?channel=a` tells subscribers of messages, as an event stream or over a WebSocket, as they ask. `/brief` does the same and ends each
/// connection after five seconds.
package final class NginxServer: Sendable {
    /// Why a test with nginx is skipped.
    package static let advice = "no nginx with nchan; `scripts/setup` installs it on Linux"

    private static let program = "/usr/sbin/nginx"
    private static let module = "/usr/lib/nginx/modules/ngx_nchan_module.so"

    /// Whether it is installed, as Debian has it.
    package static let isThere =
        FileManager.default.isExecutableFile(atPath: program) && FileManager.default.fileExists(atPath: module)

    package let port: Int
    private let folder: TemporaryFolder
    private let process: Mutex<ChildProcess>

    package var authority: String { "127.0.0.1:\(port)" }

    private init(port: Int) throws {
        self.port = port
        folder = try TemporaryFolder()
        try folder.put(Self.configuration(in: folder.path, port: port), into: "nginx.conf")
        process = Mutex(try Self.started(in: folder.path))
    }

    /// Runs `body` with a server that takes connections, and ends it.
    package static func run(_ body: (NginxServer) async throws -> Void) async throws {
        for attempt in 1... {
            let server = try NginxServer(port: try LoopbackPort.free())
            // Another program may have taken the port since.
            guard try await server.answers() || attempt == 5 else { continue }
            do {
                try await body(server)
            } catch {
                server.kill()
                throw error
            }
            return server.kill()
        }
    }

    /// Ends it as a power cut would: connections break, and messages are forgotten.
    package func kill() { process.withLock { $0.end() } }

    /// Starts it again, on the same port.
    package func start() async throws {
        let next = try Self.started(in: folder.path)
        process.withLock { $0 = next }
        guard try await answers() else { throw ChildProcess.Failure(description: "nginx does not start: \(folder.text(of: "error.log"))") }
    }

    /// Publishes a message as a program would: by a POST.
    package func publish(_ text: String, to channel: String, event: String? = nil) throws {
        let field = event.map { "X-EventSource-Event: \($0)\r\n" } ?? ""
        let status = try Self.status(
            of:
                "POST /publish?channel=\(channel) HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\(field)Content-Length: \(text.utf8.count)\r\n\r\n\(text)",
            port: port)
        // 201: a subscriber has it; 202: none is there.
        guard [201, 202].contains(status) else { throw ChildProcess.Failure(description: "status \(status) for a message") }
    }

    private func answers() async throws -> Bool {
        let limit = Date(timeIntervalSinceNow: 30)
        while process.withLock({ $0.isRunning }), Date() < limit {
            if (try? Self.status(of: "GET / HTTP/1.0\r\n\r\n", port: port)) == 404 { return true }
            try await Task.sleep(for: .milliseconds(10))
        }
        return false
    }

    private static func started(in folder: String) throws -> ChildProcess {
        try ChildProcess([program, "-p", folder, "-c", folder + "/nginx.conf"])
    }

    private static func configuration(in folder: String, port: Int) -> String {
        let subscriber = """
            nchan_subscriber eventsource websocket;
            nchan_channel_id $arg_channel;
            nchan_subscriber_first_message newest;
            """
        let folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(folder)/\($0);" }
        return """
            load_module \(module);
            daemon off;
            master_process off;
            pid \(folder)/nginx.pid;
            error_log \(folder)/error.log;
            events { worker_connections 64; }
            http {
                access_log off;
                \(folders.joined(separator: "\n    "))
                server {
                    listen 127.0.0.1:\(port);
                    location = /publish { nchan_publisher; nchan_channel_id $arg_channel; nchan_message_timeout 5m; }
                    location = /live { \(subscriber) }
                    location = /brief { \(subscriber) nchan_subscriber_timeout 5s; }
                    location / { return 404; }
                }
            }

            """
    }
}

extension NginxServer {
    /// The status of the answer to `request`, sent as it is.
    private static func status(of request: String, port: Int) throws -> Int {
        try LoopbackPort.withConnection(to: port) { descriptor in
            let bytes = Array(request.utf8)
            guard write(descriptor, bytes, bytes.count) == bytes.count else { throw LoopbackPort.failure("write") }
            var answer = [UInt8](repeating: 0, count: 64)
            let count = read(descriptor, &answer, answer.count)
            let parts = String(decoding: answer.prefix(max(0, count)), as: UTF8.self).split(separator: " ", maxSplits: 2)
            guard parts.count == 3, let status = Int(parts[1]) else { throw LoopbackPort.failure("read") }
            return status
        }
    }
}
