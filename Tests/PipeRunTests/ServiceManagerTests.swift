import Foundation
import Pipeline
import PipelineTesting
import Synchronization
import Testing

@testable import PipeRunKit

/// What a service manager is told, as a value.
@Suite struct ServiceManagerTests {
    private final class Sent: Sendable {
        let messages = Mutex<[String]>([])
    }

    private func manager(clock: PipelineClock = .system, interval: Duration? = nil) -> (ServiceManager, Sent) {
        let sent = Sent()
        return (ServiceManager(clock: clock, interval: interval) { message in sent.messages.withLock { $0.append(message) } }, sent)
    }

    @Test func `a reload before clients can connect does not make the service ready`() {
        let (manager, sent) = manager()

        manager.beginReload()
        manager.endReload()

        #expect(sent.messages.withLock(\.self) == [])
    }

    @Test func `a reload that is under way when clients can connect is told after that`() {
        let (manager, sent) = manager()

        manager.beginReload()
        manager.serving(on: "here")
        manager.endReload()

        let messages = sent.messages.withLock(\.self)
        #expect(messages.map { $0.prefix { $0 != "=" } } == ["READY", "RELOADING", "STATUS"])
    }

    @Test func `of two reloads at once the last one to end makes the service ready`() {
        let (manager, sent) = manager()
        manager.serving(on: "here")

        manager.beginReload()
        manager.beginReload()
        manager.endReload()
        let between = sent.messages.withLock(\.count)
        manager.endReload()

        #expect(between == 3)
        #expect(sent.messages.withLock(\.last) == "STATUS=serving on here\nREADY=1")
    }

    @Test func `a service that stops is not ready again`() {
        let (manager, sent) = manager()
        manager.serving(on: "here")
        manager.beginReload()

        manager.stopping()
        manager.endReload()
        manager.stopping()
        manager.beginReload()

        #expect(sent.messages.withLock(\.last)?.hasPrefix("STOPPING=1\n") == true)
        #expect(sent.messages.withLock(\.count) == 3)
    }

    @Test func `a reason takes one line`() {
        let (manager, sent) = manager()
        manager.serving(on: "here")

        manager.beginReload()
        manager.note("not reloaded: a\nREADY=0\u{7}")
        manager.endReload()

        #expect(sent.messages.withLock(\.last) == "STATUS=not reloaded: a\u{FFFD}READY=0\u{FFFD}\nREADY=1")
    }

    @Test func `a sign of life comes at half of the interval, and none while what answers clients is stuck`() async throws {
        let clock = ManualClock()
        let (manager, sent) = manager(clock: clock.clock, interval: .seconds(30))
        let turns = Mutex(0)
        let (begun, stuck) = (Race<Void>(), Race<Void>())

        let living = Task {
            await manager.keepAlive {
                let turn = turns.withLock { turns in
                    turns += 1
                    return turns
                }
                guard turn == 3 else { return }
                begun.finish(.success(()))
                try await stuck.value()
            }
        }
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .milliseconds(14_999))
        #expect(sent.messages.withLock(\.count) == 1)
        clock.advance(by: .milliseconds(1))
        await clock.sleepers(atLeast: 1)
        #expect(sent.messages.withLock(\.count) == 2)
        clock.advance(by: .seconds(15))
        try await begun.value()
        clock.advance(by: .seconds(300))

        #expect(sent.messages.withLock(\.self) == ["WATCHDOG=1", "WATCHDOG=1"])
        living.cancel()
        await living.value
    }
}

extension CommandLineTests {
    /// `serve` under a service manager.
    @Suite struct ManagedServeTests {
        private static let good = "sources: { v: { type: inline, value: 1 } }\npipelines: { one: { tiers: [v] } }\n"

        @Test func `it is told when clients can connect, of each reload, why one failed, and of the end`() async throws {
            let mailbox = try Mailbox()
            let folder = try WorkFolder(Self.good)

            try await folder.serving(environment: ["NOTIFY_SOCKET": mailbox.path]) { server in
                #expect(try await mailbox.next() == ["READY=1", "STATUS=serving on \(server.url)"])

                for (text, status) in [
                    (Self.good + "# moved\n", "STATUS=serving on \(server.url)"),
                    ("sources: {", "STATUS=not reloaded: pipeline.yaml: "), (Self.good, "STATUS=serving on \(server.url)"),
                ] {
                    try folder.write("pipeline.yaml", text)
                    server.process.send(SIGHUP)
                    let begun = try await mailbox.next()
                    #expect(begun.first == "RELOADING=1")
                    #expect(begun.last?.hasPrefix("MONOTONIC_USEC=") == true)
                    let ended = try await mailbox.next()
                    #expect(ended.first?.hasPrefix(status) == true, "\(ended)")
                    #expect(ended.last == "READY=1")
                }
                server.process.send(SIGTERM)
                #expect(try await mailbox.next().first == "STOPPING=1")
            }
        }

        @Test(arguments: [("", true), ("self", true), ("1", false)])
        func `signs of life are sent to whom asks this process for them`(pid: String, isMeant: Bool) async throws {
            let mailbox = try Mailbox()
            let folder = try WorkFolder(Self.good)
            var environment = ["NOTIFY_SOCKET": mailbox.path, "WATCHDOG_USEC": "100000"]
            if pid == "1" { environment["WATCHDOG_PID"] = pid }
            let observer = pid == "self" ? ["sh", "-c", "WATCHDOG_PID=$$ exec \"$0\" \"$@\""] : []

            try await folder.serving(environment: environment, under: observer) { server in
                let first = try await mailbox.next()
                #expect(first.first == "READY=1")
                if isMeant {
                    #expect(try await mailbox.next(skipping: "READY") == ["WATCHDOG=1"])
                    #expect(try await mailbox.next(skipping: "READY") == ["WATCHDOG=1"])
                }
                server.process.send(SIGTERM)
                #expect(try await mailbox.next(skipping: isMeant ? "WATCHDOG" : "READY").first == "STOPPING=1")
            }
        }

        @Test func `a socket that is not there is told once, and the server runs`() async throws {
            let folder = try WorkFolder(Self.good)

            let ran = try await folder.serving(environment: ["NOTIFY_SOCKET": folder.url.path + "/none", "WATCHDOG_USEC": "1000"]) {
                server in
                let answer = try await server.get("/one")
                #expect(answer.text == "1")
            }

            #expect(ran.status == 0)
            #expect(ran.errors.matches(of: /the service manager was not told/).count == 1, "\(ran.errors)")
        }
    }

    /// `pipe-run ready`.
    @Suite struct ReadyTests {
        @Test(arguments: [[], ["--live"]]) func `a server that takes requests is 0 without a word`(options: [String]) async throws {
            let folder = try WorkFolder("sources: { v: { type: inline, value: 1 } }\npipelines: { one: { tiers: [v] } }\n")

            try await folder.serving { server in
                let ran = try await folder.start(["ready", "--serve", server.url] + options).ran()
                #expect(ran.status == 0)
                #expect(ran.everything == "")
            }
        }

        @Test(arguments: [
            (503, "status 503"), (404, "nothing is there"), (302, "302"), (500, "status 500"),
        ])
        func `another status than 200 is one line and 1`(status: Int, words: String) async throws {
            try await OddServer.run({ _, _ in .status(status) }) { server in
                let ran = try await WorkFolder().run("ready", "--serve", server.url)

                #expect(ran.status == 1)
                #expect(ran.errors.contains(words))
                #expect(ran.errors.split(separator: "\n").count == 1, "\(ran.errors)")
            }
        }

        @Test func `nothing that listens is 1, and what is no address is 64`() async throws {
            let closed = try await WorkFolder().run("ready", "--serve", "http://127.0.0.1:1")
            #expect(closed.status == 1)
            #expect(closed.errors.split(separator: "\n").count == 1, "\(closed.errors)")
            #expect(try await WorkFolder().run("ready", "--serve", "nowhere").status == 64)
        }

        @Test func `a server that says nothing is waited for as long as is asked`() async throws {
            try await OddServer.run({ _, _ in .silence }) { server in
                let ran = try await WorkFolder().run("ready", "--serve", server.url, "--timeout", "50ms")

                #expect(ran.status == 1)
                #expect(ran.errors.contains("50ms"), "\(ran.errors)")
            }
        }
    }

    /// What the program knows of itself and of its process.
    @Suite struct ProcessTests {
        @Test(arguments: [["--version", "--verbose"], ["version", "--verbose"], ["--verbose", "--version"]])
        func `it names the libraries that are linked in`(arguments: [String]) async throws {
            let ran = try await WorkFolder().start(arguments).ran()

            #expect(ran.status == 0)
            let names = ran.lines.map { $0.prefix { $0 != " " } }
            #expect(
                Set(names) == ["pipe-run", "commit", "Swift", "libyaml", "hiredis", "SQLite", "zlib", "xz", "zstd", "BoringSSL"])
            #expect(ran.lines.allSatisfy { $0.split(separator: " ", maxSplits: 1).count == 2 })
        }

        #if os(Linux)
        /// Hides `/proc` from the program.
        private static let hiding = ["unshare", "--mount", "--map-root-user", "sh", "-c", "mount -t tmpfs none /proc && exec \"$@\"", "sh"]

        @Test(.enabled("nobody may mount here") { try await Tool.succeeds(hiding + ["true"]) })
        func `where /proc is not mounted each command has its arguments`() async throws {
            let folder = try WorkFolder("sources: { v: { type: inline, value: 1 } }\npipelines: { one: { tiers: [v], stale_while: 1s } }\n")

            let validated = try await folder.start(["validate"], under: Self.hiding).ran()
            #expect(validated.status == 1, "\(validated.everything)")
            #expect(validated.text.contains("stale_while"))
            #expect(try await folder.start(["nothing"], under: Self.hiding).ran().status == 64)

            try folder.write("pipeline.yaml", "sources: { v: { type: inline, value: 1 } }\npipelines: { one: { tiers: [v] } }\n")
            // What needs threads ends there now and then, whatever the program: libdispatch looks into /proc.
            #expect(try await folder.start(["explain", "one"], under: Self.hiding).ran().status == 0)
        }
        #endif
    }
}
