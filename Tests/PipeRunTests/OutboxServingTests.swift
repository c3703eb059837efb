import Foundation
import Testing

/// The pauses of `friendsWithSends`, so long that none ends in a test.
private let longPauses = friendsWithSends.replacing("retry: { base: 50ms, max: 100ms }", with: "retry: { base: 1000h, max: 1000h }")

/// What `send` prints of Ada for a user. No process is left that delivers.
private func send(
    _ folder: WorkFolder, _ user: String, _ id: String, to origin: [String: String], wait: String = "50ms"
) async throws -> Ran {
    try await folder.run(
        "send", "add_friend", "user=\(user)", "--id", id, "--wait", wait, environment: origin, input: Array(#"{"name":"Ada"}"#.utf8))
}

extension ServingTests {
    /// What `serve` and `watch` tell of an outbox, and what other processes do of one that `serve` delivers.
    @Suite struct OutboxServingTests {
        private static let damaged = "this is no database" + String(repeating: "x", count: 4096)
        private static let warning = "warning: the outbox `outbox` cannot be opened: cannot use .state/outbox.db: "

        /// A folder whose outbox is damaged, and whose cache has a list.
        private func damagedFolder() throws -> WorkFolder {
            let folder = try WorkFolder(friendsWithSends)
            try folder.write(".state/outbox.db", Self.damaged)
            try folder.write(".cache/friends,user=42.json", "[1]")
            return folder
        }

        private func gauges(_ server: Serving) async throws -> PrometheusText {
            try PrometheusText(try await server.get("/-/metrics").text)
        }

        @Test func `the gauges of an outbox are there from its first use on`() async throws {
            let folder = try WorkFolder(longPauses)
            try await OddServer.run(friends { _ in .status(422) }) { origin in
                _ = try await send(folder, "7", "my-2", to: ["ORIGIN": origin.url], wait: "1h")
            }
            _ = try await send(folder, "42", "my-1", to: unreachable)

            try await folder.serving(environment: unreachable) { server async throws in
                #expect(try await gauges(server).types["pipe_run_outbox_sends"] == nil)
                _ = try await server.get("/friends?user=42")

                let metrics = try await gauges(server)
                func sends(_ state: String) -> Double? { metrics["pipe_run_outbox_sends", ["outbox": "outbox", "state": state]] }
                #expect((sends("waiting") ?? 0) + (sends("sending") ?? 0) == 1)
                #expect(sends("failed") == 1 && sends("held") == 0 && sends("sent") == nil)
                #expect(metrics["pipe_run_outbox_bytes", ["outbox": "outbox"]] == Double(2 * #"{"name":"Ada"}"#.utf8.count))
                #expect(metrics["pipe_run_outbox_oldest_seconds", ["outbox": "outbox"]].map { $0 > 0 } == true)
                #expect(metrics.types["pipe_run_outbox_sends"] == "gauge" && metrics.types["pipe_run_send_seconds"] == "histogram")
                #expect(metrics["pipe_run_send_seconds_count", ["send": "add_friend"]] == 0)
            }
        }

        @Test func `the list and a send say when a send goes on that another process delivers`() async throws {
            let folder = try WorkFolder(longPauses)
            _ = try await send(folder, "42", "my-1", to: unreachable)

            try await folder.serving(environment: unreachable) { server async throws in
                _ = try await server.get("/friends?user=42")
                try await until("the server has tried it, and pauses") {
                    try await folder.run("outbox", "list", environment: unreachable).text.contains(/again in \S+ +my-1\n/)
                }

                let sent = try await send(folder, "7", "my-2", to: unreachable)
                let listed = try await folder.run("outbox", "list", environment: unreachable)

                // It is not tried, for its origin rests, unless the server was so slow that it lost its lease.
                #expect(sent.errors.contains(/^add_friend user=7: waiting, (.+, 1 try, )?again in \S+, id my-2\n$/), "\(sent.errors)")
                #expect(listed.text.contains(/(?m)^  2  waiting .+again in \S+ +my-2$/), "\(listed.text)")
            }
            let after = try await folder.run("outbox", "list", environment: unreachable)
            #expect(!after.text.contains("again in"), "pauses end with their process: \(after.text)")
        }

        @Test func `serve tells once that an outbox cannot be opened, and answers`() async throws {
            let folder = try damagedFolder()

            let ran = try await folder.serving(environment: unreachable) { server async throws in
                for _ in 1...3 { #expect(try await server.get("/friends?user=42").text == "[1]") }
                #expect(try await gauges(server).types["pipe_run_outbox_sends"] == nil)
            }

            #expect(ran.errors.ranges(of: "pipe-run: " + Self.warning).count == 1, "\(ran.errors)")
            #expect(folder.read(".state/outbox.db") == Self.damaged)
        }

        @Test func `a log has it as one warning`() async throws {
            let folder = try damagedFolder()

            let ran = try await folder.serving("pipeline.yaml", "--log", "warning", environment: unreachable) { server async throws in
                for _ in 1...3 { #expect(try await server.get("/friends?user=42").text == "[1]") }
            }

            let lines = ran.errors.split(separator: "\n").filter { $0.contains(" warning outbox ") }
            let words = "outcome=failed reason=\"cannot use .state/outbox.db: "
            #expect(lines.count == 1 && lines.first?.contains(words) == true, "\(ran.errors)")
            #expect(!ran.errors.contains("what is to be sent"))
        }

        @Test func `watch tells it, too, and shows the value`() async throws {
            let ran = try await damagedFolder().run("watch", "friends", "user=42", "--count", "1", environment: unreachable)

            #expect(ran.status == 0 && ran.text == "[1]\n", "\(ran.everything)")
            #expect(ran.errors.ranges(of: "pipe-run: " + Self.warning).count == 1, "\(ran.errors)")
        }
    }
}
