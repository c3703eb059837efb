import Foundation
import NIOCore
import NIOPosix
import TestSupport

/// The cache under test as a program: `pipe-run serve` with one file for all cases.
final class SuiteProgram {
    struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    private let folder: TemporaryFolder
    private let process: ChildProcess
    private var port = 0
    private var text: String

    /// Starts it.
    init(_ program: String, _ file: SuiteFile) async throws {
        folder = try TemporaryFolder()
        text = file.text
        try folder.put(text, into: "suite.yaml")
        let place = folder.path
        process = try ChildProcess(
            [program, "serve", "--port", "0", "-c", place + "/suite.yaml"], output: place + "/said", errors: place + "/said-wrong")
        port = try await said { $0.firstMatch(of: /serving on http:\/\/[^ ]*:([0-9]+)\n/).flatMap { Int($0.1) } }
    }

    func end() {
        process.signal(SIGTERM)
        process.wait()
    }

    /// Lets another file take over.
    func use(_ file: SuiteFile) async throws {
        guard file.text != text else { return }
        text = file.text
        try folder.put(text, into: "suite.yaml")
        let count = reloads
        process.signal(SIGHUP)
        _ = try await said { _ in self.reloads > count ? true : nil }
    }

    private var reloads: Int { folder.text(of: "said-wrong").split(separator: "\n").count { $0.contains("reloaded ") } }

    /// What `read` finds in what the program says.
    private func said<Found>(_ read: (String) -> Found?) async throws -> Found {
        let deadline = ContinuousClock.now + .seconds(60)
        while process.isRunning, ContinuousClock.now < deadline {
            if let found = read(folder.text(of: "said-wrong")) { return found }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw Problem(description: "pipe-run says: \(folder.text(of: "said-wrong"))")
    }

    /// The answer to a client, byte by byte.
    func answer(_ question: SuitePlay.Question) async throws -> [UInt8] {
        let fields = ["Host: 127.0.0.1", "Connection: close"] + question.conditions.map { "\($0.name): \($0.value)" }
        let head = (["GET \(question.target) HTTP/1.1"] + fields + ["", ""]).joined(separator: "\r\n")
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture { try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel) }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: head))
            var bytes: [UInt8] = []
            for try await part in inbound { bytes.append(contentsOf: part.readableBytesView) }
            return bytes
        }
    }
}
