import Foundation
import Testing

extension ServingTests {
    /// `watch` as a process: what it prints, and how it ends.
    @Suite struct WatchTests {
        private static func folder(_ value: String = "[ 1 ]") throws -> WorkFolder {
            let folder = try WorkFolder(flatTiers)
            try folder.write("flat/1.json", value)
            return folder
        }

        @Test(arguments: [("raw", "[1]\n"), ("changes", #"{"revision":1,"op":"reset","value":[1]}"# + "\n")])
        func `prints the first value at once, and ends after as many as asked`(output: String, text: String) async throws {
            let ran = try await Self.folder().run("watch", "friends", "user=1", "--count", "1", "--output", output)

            #expect(ran.status == 0 && ran.text == text, "\(ran.everything)")
        }

        @Test func `prints envelopes as fetch does, with a revision and the feeds`() async throws {
            let folder = try Self.folder()

            let ran = try await folder.run("watch", "friends", "user=1", "--count", "1", "--output", "envelope")
            let envelope = try #require(try Envelope.all(ran).last)

            #expect(ran.status == 0 && envelope.outcome == "value" && envelope.from == "flat")
            #expect(ran.lines.last?.hasSuffix(#","error":null,"revision":1,"live":[]}"#) == true, "\(ran.text)")
        }

        @Test func `an envelope names the source that the value was read from, as fetch does`() async throws {
            let folder = try WorkFolder(
                """
                sources:
                  disk: { type: file, path: .cache/friends.json }
                  flat: { type: file, path: friends.json, read_only: true }
                pipelines:
                  friends: { tiers: [{ source: disk, ttl: 10m }, flat] }
                """)
            try folder.write("friends.json", "[ 1 ]")
            func from(_ command: String, _ arguments: [String] = []) async throws -> String? {
                let ran = try await folder.start([command, "friends", "--output", "envelope"] + arguments).ran()
                return try Envelope.all(ran).last?.from
            }

            let first = try await from("watch", ["--count", "1"])
            let fetched = try await from("fetch")
            let second = try await from("watch", ["--count", "1"])

            #expect(first == "flat" && fetched == "disk" && second == "disk")
        }

        @Test func `prints a file anew when it is saved`() async throws {
            let folder = try WorkFolder(
                """
                sources:
                  flat: { type: file, path: friends.json, read_only: true }
                  edits: { type: watch, path: friends.json }
                pipelines:
                  team: { tiers: [flat], live: [edits] }
                """)
            try folder.write("friends.json", "[ 1 ]")
            let process = try folder.start(["watch", "team", "--count", "2"])
            try await blocking { _ = try process.errors.first { $0.contains("edits: live\n") ? true : nil } }

            try folder.write("friends.json", "[ 1, 2 ]")

            let ran = try await process.ran()
            #expect(ran.status == 0 && ran.text == "[1]\n[1,2]\n", "\(ran.everything)")
        }

        @Test func `a composite changes with the feeds of its parts, and says what they do`() async throws {
            let folder = try WorkFolder(
                """
                sources:
                  flat: { type: file, path: friends.json, read_only: true }
                  edits: { type: watch, path: friends.json }
                  plain: { type: inline, value: 1 }
                pipelines:
                  team: { tiers: [flat], live: [edits] }
                  one: { tiers: [plain] }
                  home: { combine: { object: { team: team, one: one } } }
                  still: { combine: { object: { one: one } } }
                """)
            try folder.write("friends.json", "[ 1 ]")
            let process = try folder.start(["watch", "home", "--count", "2"])
            try await blocking { _ = try process.errors.first { $0.contains("edits of team: live\n") ? true : nil } }

            try folder.write("friends.json", "[ 1, 2 ]")

            let ran = try await process.ran()
            #expect(ran.status == 0 && ran.text == "{\"team\":[1],\"one\":1}\n{\"team\":[1,2],\"one\":1}\n", "\(ran.everything)")
            #expect(!ran.errors.contains("note:") && !ran.errors.contains(": off"), "\(ran.errors)")
            let states = try folder.start(["watch", "home", "--output", "envelope"])
            let live = #""live":[{"source":"edits","pipeline":"team","state":"live"}]}"#
            let printed = try #require(states.output)
            try await blocking { _ = try printed.first { $0.contains(live + "\n") ? true : nil } }
            states.send(SIGTERM)
            #expect(try await states.ran().status == 0)
            let still = try await folder.run("watch", "still", "--count", "1")
            #expect(
                still.errors == "pipe-run: note: `still` has no `live`, nor have its parts; only what other processes change is seen\n")
        }

        @Test func `says where nothing can change`() async throws {
            let ran = try await Self.folder().run("watch", "friends", "user=1", "--count", "1")

            #expect(ran.errors == "pipe-run: note: `friends` has no `live`; only what other processes change is seen\n")
        }

        @Test func `ends with 0 when the time is over after a value, and with 1 without one`() async throws {
            let value = try await Self.folder().run("watch", "friends", "user=1", "--for", "4s")
            let missing = try await Self.folder().run("watch", "friends", "user=2", "--for", "4s")
            try await OddServer.run(.silence) { origin in
                let none = try await WorkFolder(threeTiers).run("watch", "friends", "--for", "1s", environment: ["ORIGIN": origin.url])
                #expect(none.status == 1 && none.text == "")
            }
            try await OddServer.run(.status(503)) { origin in
                let failed = try await WorkFolder(threeTiers).run("watch", "friends", "--for", "4s", environment: ["ORIGIN": origin.url])
                #expect(failed.status == 1 && failed.text == "")
                #expect(failed.errors.contains("no tier could answer for `friends`"), "\(failed.errors)")
            }

            #expect(value.status == 0 && value.text == "[1]\n")
            #expect(missing.status == 1 && missing.text == "")
            #expect(missing.errors.contains("`friends,user=2` not found"), "\(missing.errors)")
        }

        @Test(arguments: [(SIGINT, Int32(0)), (SIGTERM, Int32(0)), (SIGHUP, Int32(129))])
        func `a signal ends it, after what waits is written`(signal: Int32, status: Int32) async throws {
            try await OddServer.run(.value("[1]")) { origin in
                let folder = try WorkFolder(CommandLineTests.FetchRunTests.debounced)
                let process = try folder.start(["watch", "friends"], environment: ["ORIGIN": origin.url])
                try await blocking { try process.answered() }
                #expect(folder.files(below: ".cache") == [])

                process.send(signal)
                let ran = try await process.ran()

                #expect(ran.status == status && ran.text == "[1]\n", "\(ran.everything)")
                #expect(folder.read(".cache/friends.json") == "[1]")
            }
        }

        @Test func `a signal ends it while its reader takes nothing`() async throws {
            let folder = try Self.folder("[" + String(repeating: "1234567, ", count: 100_000) + "0]")
            let process = try folder.start(["watch", "friends", "user=1"], output: .unread)
            try await blocking { try process.answered() }

            process.send(SIGTERM)

            #expect(try await process.ran().status == 0)
        }

        @Test func `it ends when its reader is gone, also while nothing changes`() async throws {
            let folder = try Self.folder()
            let line = "'\(Executable.url.path)' watch friends user=1 2>errors | head -1; echo ${PIPESTATUS[0]}"

            let printed = try await Tool.output(of: "/bin/bash", ["-c", line], in: folder.url)
            let broken = try await folder.start(["watch", "friends", "user=1"], output: .broken).ran()

            #expect(printed == "[1]\n0\n")
            #expect(broken.status == 0)
        }

        @Test func `an output that takes nothing ends it with 1`() async throws {
            let closed = try await Self.folder().start(["watch", "friends", "user=1"], output: .closed).ran()
            #expect(closed.status == 1 && closed.errors.contains("cannot write standard output: bad file descriptor"))

            guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
            let full = try await Self.folder().start(["watch", "friends", "user=1"], output: .full).ran()
            #expect(full.status == 1 && full.errors.contains("cannot write standard output: no space left on device"))
        }

        @Test(arguments: [
            (["frends"], "did you mean `friends`?"), (["friends"], "user"), (["friends", "usr=1"], "user"),
            (["friends", "x"], "parameter=value"),
            (["friends", "user=1", "--count", "0"], "at least 1"), (["friends", "user=1", "--output", "row"], "raw"),
            (["friends", "user=1", "--for", "soon"], "`soon` is not a duration"),
        ])
        func `wrong usage says what is right`(arguments: [String], words: String) async throws {
            let ran = try await Self.folder().start(["watch"] + arguments).ran()

            #expect(ran.status == 64 && ran.text == "" && ran.errors.contains(words), "\(ran.errors)")
        }

        @Test func `a file that cannot be used is 2`() async throws {
            let ran = try await WorkFolder("pipelines: { friends: { tiers: [nowhere] } }").run("watch", "friends")

            #expect(ran.status == 2 && ran.text == "" && ran.errors.contains("P201"))
        }
    }
}
