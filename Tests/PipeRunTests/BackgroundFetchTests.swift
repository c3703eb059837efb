import Foundation
import Testing

extension CommandLineTests {
    /// What a one-shot `fetch` leaves to a process of its own.
    @Suite struct BackgroundFetchTests {
        private static let config = """
            sources:
              disk: { type: file, path: ".cache/{key}.json" }
              api: { type: http, url: "${ORIGIN}" }
            pipelines:
              friends:
                parameters: { user: { default: "" } }
                stale_while_revalidate: 1h
                tiers: [ { source: disk, ttl: 1ms }, api ]
            """
        private static let copy = ".cache/friends,user=.json"

        /// A folder with an expired copy `[1]`; the second answer of the origin, `[2]`, is held back.
        private func withStaleCopy(
            _ config: String = config, _ body: (WorkFolder, OddServer, [String: String]) async throws -> Void
        ) async throws {
            try await OddServer.run({ _, number in number == 1 ? .value("[1]") : .held(.value("[\(number)]")) }) { origin in
                let folder = try WorkFolder(config)
                try folder.write("tmp/.keep", "")
                let places = folder.url.appending(path: "tmp").path
                let environment = ["ORIGIN": origin.url, "XDG_RUNTIME_DIR": places, "TMPDIR": places]
                let first = try await folder.run("fetch", "friends", environment: environment)
                #expect(first.text == "[1]")
                try await body(folder, origin, environment)
            }
        }

        @Test func `a value does not wait for its refresh, which goes on`() async throws {
            try await withStaleCopy { folder, origin, environment in
                // Ends although the origin does not answer, output and errors closed by all who had them.
                let ran = try await folder.run("fetch", "friends", "--trace", environment: environment)
                try await origin.asked(2)

                #expect(ran.status == 0 && ran.text == "[1]")
                #expect(ran.errors.hasSuffix("└─ refreshing in the background\n"), "\(ran.errors)")
                #expect(folder.read(Self.copy) == "[1]")

                origin.release()
                try await until("the refreshed copy") { folder.read(Self.copy) == "[2]" }
            }
        }

        @Test func `one process refreshes a key, however often it is fetched`() async throws {
            try await withStaleCopy { folder, origin, environment in
                for _ in 0..<5 { #expect(try await folder.run("fetch", "friends", environment: environment).text == "[1]") }
                try await origin.asked(2)
                let other = try await folder.run("fetch", "friends", environment: environment)

                #expect(other.text == "[1]" && origin.count == 2)

                origin.release()
                try await until("the end of the process") {
                    folder.read(Self.copy) == "[2]" && folder.files(below: "tmp/pipe-run-\(getuid())") == []
                }
            }
        }

        @Test(arguments: [["--wait"], ["--repeat", "1", "--wait"], ["-c", "-"], ["-c", "input.yaml"]])
        func `waits where it is told to, and where the configuration cannot be read again`(arguments: [String]) async throws {
            try await withStaleCopy { folder, origin, environment in
                let link = folder.url.appending(path: "input.yaml").path
                try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/dev/stdin")
                let process = try folder.start(
                    ["fetch", "friends", "--trace"] + arguments, environment: environment, input: Array(Self.config.utf8))
                try await origin.asked(2)
                origin.release()
                let ran = try await process.ran()

                #expect(ran.status == 0 && ran.text == "[1]" && !ran.errors.contains("background"))
                #expect(folder.read(Self.copy) == "[2]")
            }
        }

        @Test func `a load that goes on after its soft timeout begins again there`() async throws {
            let config = Self.config.replacing("stale_while_revalidate", with: "stale_if_error")
                .replacing(", api ]", with: ", { source: api, soft_timeout: 2s } ]")
            try await withStaleCopy(config) { folder, origin, environment in
                let ran = try await folder.run("fetch", "friends", "--trace", environment: environment)
                try await origin.asked(3)

                #expect(ran.text == "[1]" && ran.errors.contains("refreshing in the background"), "\(ran.errors)")

                origin.release()
                try await until("the copy") { folder.read(Self.copy) == "[3]" }
            }
        }

        @Test(arguments: 0..<8) func `a load that goes on after its soft timeout is waited for`(_: Int) async throws {
            let config = Self.config.replacing("stale_while_revalidate", with: "stale_if_error")
                .replacing(", api ]", with: ", { source: api, soft_timeout: 20ms } ]")
            try await withStaleCopy(config) { folder, origin, environment in
                let process = try folder.start(["fetch", "friends", "--wait"], environment: environment)
                _ = try await blocking { try process.answered() }
                origin.release()
                let ran = try await process.ran()

                #expect(ran.text == "[1]" && folder.read(Self.copy) == "[2]")
            }
        }

        @Test func `nothing is said of a fetch that leaves nothing behind`() async throws {
            let folder = try WorkFolder(flatTiers)
            try folder.write("flat/1.json", "[1]")

            let ran = try await folder.run("fetch", "friends", "user=1", "--trace")

            #expect(ran.status == 0 && !ran.errors.contains("background"))
        }

        @Test func `the process ends after its time, even when its load hangs`() async throws {
            try await withStaleCopy(Self.config.replacing(", api ]", with: ", { source: api, timeout: 10m } ]")) {
                folder, origin, environment in
                let words = ["5", folder.url.appending(path: "lock").path, "--wait", "--config", "pipeline.yaml", "--", "friends"]
                let ran = try await folder.run(
                    "fetch-in-background", environment: environment, input: Array(words.joined(separator: "\0").utf8))

                #expect(ran.status == 128 + SIGALRM && origin.count == 2, "\(ran.everything)")
            }
        }

        @Test func `the command of that process is in no help`() async throws {
            let folder = try WorkFolder()
            for arguments in [["--help"], ["fetch-in-backgroun"], ["completions", "bash"], ["--experimental-dump-help"]] {
                let ran = try await folder.start(arguments).ran()
                #expect(!ran.everything.contains("fetch-in-background"), "\(arguments)")
            }
            let ran = try await folder.run("fetch-in-background")
            #expect(ran.status == 64 && ran.errors.contains("`pipe-run fetch --wait`"))
        }

        #if os(Linux)
        @Test func `the process shows no argument, holds nothing of its caller, and another takes its place when it is killed`()
            async throws
        {
            try await withStaleCopy { folder, origin, environment in
                let shell = Process()
                shell.executableURL = URL(filePath: "/bin/sh")
                // What a script has open beside the standard streams.
                shell.arguments = ["-c", "exec 7>held; exec \"$0\" fetch friends", Executable.url.path]
                shell.currentDirectoryURL = folder.url
                shell.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
                shell.standardOutput = FileHandle.nullDevice
                try shell.run()
                try await blocking { shell.waitUntilExit() }
                try await origin.asked(2)
                let process = try #require(try Background.in(folder))

                #expect(process.commandLine == "pipe-run fetch-in-background")
                #expect(process.session == process.id && process.terminal == 0)
                #expect(process.targets(of: 0...2) == ["/dev/null"])
                #expect(!process.targets(of: 3...1000).contains { $0.hasSuffix("/held") || $0.hasPrefix("pipe:") })

                kill(process.id, SIGKILL)
                try await until("its end, and that of its lock") { process.targets(of: 0...3).isEmpty }
                let ran = try await folder.run("fetch", "friends", environment: environment)
                try await origin.asked(3)
                #expect(ran.text == "[1]")
                origin.release()
                try await until("the copy") { folder.read(Self.copy) == "[3]" }
            }
        }
        #endif
    }
}

#if os(Linux)
/// A process that fetches in the background, as the system shows it.
private struct Background {
    let id: pid_t

    /// The one that works in `folder`.
    static func `in`(_ folder: WorkFolder) throws -> Background? {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { pid_t($0) }.map { Background(id: $0) }
            .first { $0.folder == folder.url.path && $0.commandLine.contains("background") }
    }

    var commandLine: String {
        let bytes = (try? Data(contentsOf: URL(filePath: "/proc/\(id)/cmdline"))) ?? Data()
        return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
    }

    var session: pid_t? { pid_t(number(6)) }
    /// The device of its terminal; 0 for none.
    var terminal: Int { number(7) }

    /// What the descriptors of these numbers are.
    func targets(of numbers: ClosedRange<Int>) -> Set<String> {
        Set(numbers.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(id)/fd/\($0)") })
    }

    private var folder: String? { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(id)/cwd") }

    private func number(_ field: Int) -> Int {
        let text = (try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)) ?? ""
        let fields = (text.components(separatedBy: ") ").last ?? "").split(separator: " ")
        return fields.indices.contains(field - 3) ? Int(fields[field - 3]) ?? -1 : -1
    }
}
#endif
