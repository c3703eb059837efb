import Foundation
import Testing

extension CommandLineTests {
    /// Sources that run programs, and values that stand in the file.
    @Suite struct ProgramTests {
        /// A program that does not end when it is told to.
        private static let stubborn = """
            sources:
              program: { type: command, command: [sh, run.sh] }
            pipelines:
              friends: { tiers: [ { source: program, timeout: "${TIMEOUT}" } ] }
            """

        private static func stubbornFolder() throws -> WorkFolder {
            let folder = try WorkFolder(stubborn)
            try folder.write("run.sh", "trap '' TERM; echo $$ > new; mv new pid; while :; do sleep 1; done")
            return folder
        }

        private static func isAlive(_ process: String?) throws -> Bool {
            kill(try #require(process.flatMap { Int32($0.dropLast()) }), 0) == 0
        }

        @Test func `what a program writes is the value, and its exit code 3 is not found`() async throws {
            let folder = try WorkFolder(
                """
                sources:
                  program: { type: command, command: [./run.sh, "{user}"] }
                pipelines:
                  friends: { parameters: [user], format: text, tiers: [program] }
                """)
            try folder.write("run.sh", "#!/bin/sh\n[ \"$1\" = nobody ] && exit 3\nprintf 'hello %s' \"$1\"\n")
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.url.appending(path: "run.sh").path)

            let found = try await folder.run("fetch", "friends", "user=a b; touch made")
            let missing = try await folder.run("fetch", "friends", "user=nobody")

            #expect(found.status == 0 && found.text == "hello a b; touch made")
            #expect(missing.status == 3 && missing.text == "")
            #expect(folder.read("made") == nil)
        }

        @Test func `a value in the file answers when the program above fails`() async throws {
            let folder = try WorkFolder(
                """
                sources:
                  program: { type: command, command: [sh, -c, "echo no such user >&2; exit 1"] }
                  nobody: { type: inline, value: [] }
                pipelines:
                  friends: { tiers: [program, nobody] }
                """)

            let ran = try await folder.run("fetch", "friends", "--trace")

            #expect(ran.status == 0 && ran.text == "[]")
            #expect(ran.errors.contains("exit code 1 from sh: no such user"))
        }

        @Test(arguments: [(SIGINT, Int32(130)), (SIGTERM, Int32(143))])
        func `a signal leaves no program behind`(signal: Int32, status: Int32) async throws {
            let folder = try Self.stubbornFolder()
            let process = try folder.start(["fetch", "friends"], environment: ["TIMEOUT": "10m"])
            try await until("the program") { folder.read("pid") != nil }

            process.send(signal)
            let ran = try await process.ran()

            #expect(ran.status == status)
            #expect(try !Self.isAlive(folder.read("pid")))
        }

        @Test func `a tier that gives its program up leaves none behind`() async throws {
            let folder = try Self.stubbornFolder()
            let ran = try await folder.run("fetch", "friends", environment: ["TIMEOUT": "6s"])

            #expect(ran.status == 1)
            #expect(ran.errors.contains("no answer within 6s"))
            #expect(try !Self.isAlive(folder.read("pid")))
        }

        @Test func `the level connect looks for the program and does not run it`() async throws {
            let folder = try WorkFolder(
                """
                sources:
                  good: { type: command, command: [sh, -c, "touch ran"] }
                  gone: { type: command, command: [./gone.sh] }
                  plain: { type: command, command: [./plain.sh] }
                  fixed: { type: inline, value: 1 }
                pipelines:
                  friends: { tiers: [good, gone, plain, fixed] }
                """)
            try folder.write("plain.sh", "echo")

            let ran = try await folder.run("validate", "--level", "connect")

            #expect(ran.status == 1)
            #expect(ran.text.contains("error[P501]: cannot connect to the source `gone`: cannot run ./gone.sh: no such file\n"))
            #expect(ran.text.contains("error[P501]: cannot connect to the source `plain`: cannot run ./plain.sh: it is not executable\n"))
            #expect(ran.errors.contains("good: reachable") && ran.errors.contains("fixed: reachable"))
            #expect(folder.read("ran") == nil)
        }
    }
}
