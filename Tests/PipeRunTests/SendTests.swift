import Foundation
import Testing

/// A list of friends above an API, and a write that adds one.
let friendsWithSends = """
    sources:
      disk: { type: file, path: ".cache/{key}.json" }
      api: { type: http, url: "${ORIGIN}/friends" }
      add: { type: http, method: POST, url: "${ORIGIN}/friends/{user}", idempotent: true }
      outbox: { type: outbox, path: .state/outbox.db }
    sends:
      add_friend:
        parameters: [user]
        to: add
        changes: [{ pipeline: friends, op: upsert, id: /id }]
        answer: { item: "" }
        retry: { base: 50ms, max: 100ms }
    pipelines:
      friends: { parameters: [user], tiers: [{ source: disk, ttl: 1h }, api] }
    """

/// What an origin answers: to a POST as told, and a list of one friend otherwise.
func friends(adding post: @escaping @Sendable (_ number: Int) -> OddServer.Reply) -> @Sendable (String, Int) -> OddServer.Reply {
    { head, number in head.contains("POST /") ? post(number) : .value(#"[{"id":1}]"#) }
}

/// An origin that cannot be reached.
let unreachable = ["ORIGIN": "http://127.0.0.1:1"]

extension CommandLineTests {
    @Suite struct SendTests {
        private static let friend = Array(#"{"name":"Ada"}"#.utf8)
        private static let added = #"{"id":7,"name":"Ada"}"#

        @Test func `prints the body of the answer, and says the state, the tries and the id`() async throws {
            try await OddServer.run(friends { _ in .value(Self.added) }) { origin in
                let folder = try WorkFolder(friendsWithSends)

                let ran = try await folder.run(
                    "send", "add_friend", "user=42", "--id", "my-1", environment: ["ORIGIN": origin.url], input: Self.friend)

                #expect(ran.status == 0 && ran.text == Self.added, "\(ran.everything)")
                #expect(ran.errors == "add_friend user=42: sent, 1 try, id my-1\n")
                #expect(origin.heads.filter { $0.contains("POST /friends/42") }.count == 1)
                #expect(origin.heads.contains { $0.lowercased().contains("idempotency-key: my-1") }, "\(origin.heads)")
            }
        }

        @Test func `a file is the payload, and without an id there is a new one`() async throws {
            try await OddServer.run(friends { _ in .value(Self.added) }) { origin in
                let folder = try WorkFolder(friendsWithSends)
                try folder.write("friend.json", Self.friend)

                let ran = try await folder.run(
                    "send", "add_friend", "user=42", "--file", "friend.json", environment: ["ORIGIN": origin.url])

                #expect(ran.status == 0 && ran.text == Self.added, "\(ran.everything)")
                #expect(ran.errors.contains(/, id [0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\n$/), "\(ran.errors)")
            }
        }

        @Test func `a send that cannot be delivered waits, and a fetch shows it`() async throws {
            let folder = try WorkFolder(friendsWithSends)
            try await OddServer.run(friends { _ in .status(500) }) { origin in
                let filled = try await folder.run("fetch", "friends", "user=42", environment: ["ORIGIN": origin.url])
                #expect(filled.text == #"[{"id":1}]"#)
            }

            let sent = try await folder.run(
                "send", "add_friend", "user=42", "--id", "my-1", "--wait", "200ms", environment: unreachable, input: Self.friend)
            let traced = try await folder.run("fetch", "friends", "user=42", "--trace", environment: unreachable)
            let told = try await folder.run("fetch", "friends", "user=42", "--output", "envelope", environment: unreachable)
            let other = try await folder.run("fetch", "friends", "user=7", "--policy", "cache-only", environment: unreachable)

            #expect(sent.status == 1 && sent.text == "", "\(sent.everything)")
            #expect(sent.errors.contains(/^add_friend user=42: waiting, .+, id my-1\n$/), "\(sent.errors)")
            #expect(traced.text.contains(#"{"id":1}"#) && traced.text.contains(#""id":"~my-1""#), "\(traced.everything)")
            #expect(traced.errors.contains("─ 1 send is laid over the value: add_friend waiting\n"), "\(traced.errors)")
            #expect(told.text.contains(#","error":null,"sends":[{"id":"my-1","send":"add_friend","state":"waiting"}]}"#), "\(told.text)")
            #expect(other.status == 3)
            #expect(folder.read(".cache/friends,user=42.json") == #"[{"id":1}]"#)
        }

        @Test func `what is no JSON is refused, and nothing is shown`() async throws {
            let folder = try WorkFolder(friendsWithSends)

            let ran = try await folder.run("send", "add_friend", "user=42", environment: unreachable, input: Array("{".utf8))
            let told = try await folder.run(
                "send", "add_friend", "user=42", "--id", "my-1", "--output", "envelope", environment: unreachable, input: Array("{".utf8))
            let listed = try await folder.run("outbox", "list", environment: unreachable)

            #expect(ran.status == 1 && ran.text == "", "\(ran.everything)")
            #expect(ran.errors.hasPrefix("pipe-run: not taken in: the payload is "), "\(ran.errors)")
            let head = #"{"send":"add_friend","id":null,"number":null,"parameters":{"user":"42"},"state":null,"tries":0,"reason":null,"#
            #expect(told.status == 1 && told.text.hasPrefix(head), "\(told.everything)")
            let problem = #","changes":[],"answer":null,"error":{"code":"refused","message":"the payload is "#
            #expect(told.text.contains(problem), "\(told.text)")
            #expect(listed.text == "outbox: nothing\n", "\(listed.everything)")
        }

        @Test func `the same id again takes nothing in, and with another payload it is refused`() async throws {
            try await OddServer.run(friends { _ in .value(Self.added) }) { origin in
                let folder = try WorkFolder(friendsWithSends)
                let environment = ["ORIGIN": origin.url]
                func send(_ payload: [UInt8]) async throws -> Ran {
                    try await folder.run("send", "add_friend", "user=42", "--id", "my-1", environment: environment, input: payload)
                }

                _ = try await send(Self.friend)
                let again = try await send(Self.friend)
                let other = try await send(Array(#"{"name":"Grace"}"#.utf8))

                #expect(again.status == 0 && again.text == Self.added, "\(again.everything)")
                #expect(again.errors == "add_friend user=42: sent, 1 try, taken in before, id my-1\n")
                #expect(other.status == 1 && other.text == "" && other.errors.hasPrefix("pipe-run: not taken in: "), "\(other.everything)")
                #expect(origin.heads.filter { $0.contains("POST /") }.count == 1)
            }
        }

        @Test func `the envelope of one that is sent has its number, its answer and the id of what was made`() async throws {
            try await OddServer.run(friends { _ in .value(Self.added) }) { origin in
                let ran = try await WorkFolder(friendsWithSends).run(
                    "send", "add_friend", "user=42", "--id", "my-1", "--output", "envelope", environment: ["ORIGIN": origin.url],
                    input: Self.friend)

                let head = #"{"send":"add_friend","id":"my-1","number":1,"parameters":{"user":"42"},"state":"sent","tries":1,"#
                #expect(ran.status == 0 && ran.lines.count == 1)
                #expect(ran.text.hasPrefix(head + #""reason":null,"next_ms":null,"temporary_id":"~my-1","changes":["#), "\(ran.text)")
                #expect(ran.text.hasSuffix(#""answer":{"status":200,"id":7,"value":\#(Self.added)},"error":null}"# + "\n"), "\(ran.text)")
            }
        }

        @Test func `one that the origin refuses has failed, and is not shown any more`() async throws {
            try await OddServer.run(friends { _ in .status(422) }) { origin in
                let folder = try WorkFolder(friendsWithSends)
                let environment = ["ORIGIN": origin.url]
                _ = try await folder.run("fetch", "friends", "user=42", environment: environment)

                let ran = try await folder.run(
                    "send", "add_friend", "user=42", "--id", "my-1", environment: environment, input: Self.friend)
                let fetched = try await folder.run("fetch", "friends", "user=42", environment: environment)

                #expect(ran.status == 1 && ran.text == "", "\(ran.everything)")
                #expect(ran.errors == "add_friend user=42: failed, status 422, 1 try, id my-1\n")
                #expect(fetched.text == #"[{"id":1}]"#)
            }
        }

        @Test(
            arguments: [
                (["add_frend", "user=42"], "did you mean `add_friend`?"), (["add_friend"], "`pipe-run send add_friend user=VALUE`"),
                (["add_friend", "usr=42"], "did you mean `user`?"), (["add_friend", "42"], "as in `user=42`"),
                (["add_friend", "user=42", "--file", "missing.json"], "the file `missing.json` in `--file` is missing"),
                (["add_friend", "user=42", "--wait", "0s"], "is too short"),
            ])
        func `wrong usage ends with 64, and nothing is taken in`(arguments: [String], words: String) async throws {
            let folder = try WorkFolder(friendsWithSends)

            let ran = try await folder.start(["send"] + arguments, environment: unreachable).ran()

            #expect(ran.status == 64 && ran.text == "" && ran.errors.contains(words), "\(ran.everything)")
            #expect(folder.files(below: ".state") == [])
        }

        @Test func `a file without sends says so`() async throws {
            let ran = try await WorkFolder(threeTiers).run("send", "add_friend", environment: unreachable)

            #expect(ran.status == 64 && ran.errors.contains("help: the file declares no `sends`"), "\(ran.errors)")
        }

        @Test func `a file takes the place of the source that is sent to, and the outbox of the file stays as it is`() async throws {
            let folder = try WorkFolder(friendsWithSends)
            try folder.write("answer.json", Self.added)

            let ran = try await folder.run(
                "send", "add_friend", "user=42", "--swap", "add=answer.json", environment: unreachable, input: Self.friend)

            #expect(ran.status == 0 && ran.text == Self.added, "\(ran.everything)")
            #expect(folder.files(below: ".state") == [])
        }

        @Test func `a configuration from standard input leaves none for a payload, and no process`() async throws {
            let config = friendsWithSends.replacing("answer:", with: "debounce: 1h\n    answer:")
            let folder = try WorkFolder()
            try folder.write("friend.json", Self.friend)

            let ran = try await folder.run(
                "send", "add_friend", "user=42", "-c", "-", "--file", "friend.json", environment: unreachable,
                input: Array(config.utf8))

            #expect(ran.status == 0 && ran.text == "", "\(ran.everything)")
            #expect(ran.errors.contains("add_friend user=42: waiting, id "), "\(ran.errors)")
            #expect(ran.errors.contains("help: `pipe-run outbox flush` delivers it\n"), "\(ran.errors)")
        }

        @Test func `the command of the process that delivers is in no help`() async throws {
            let folder = try WorkFolder()
            for arguments in [["--help"], ["send-in-backgroun"], ["completions", "bash"], ["--experimental-dump-help"]] {
                let ran = try await folder.start(arguments).ran()
                #expect(!ran.everything.contains("send-in-background"), "\(arguments)")
            }
            let ran = try await folder.run("send-in-background")
            #expect(ran.status == 64 && ran.errors.contains("`pipe-run outbox flush`"))
        }
    }
}

extension WaitingTests {
    /// What a one-shot `send` leaves to a process of its own.
    @Suite struct BackgroundSendingTests {
        @Test func `what waits after two seconds is delivered by another process`() async throws {
            try await OddServer.run(friends { _ in .held(.value(#"{"id":7}"#)) }) { origin in
                // Longer than the command stays, and no other process cuts it short.
                let folder = try WorkFolder(friendsWithSends.replacing("answer:", with: "debounce: 3s\n    answer:"))
                try folder.write("tmp/.keep", "")
                let places = folder.url.appending(path: "tmp").path
                let environment = ["ORIGIN": origin.url, "XDG_RUNTIME_DIR": places, "TMPDIR": places]

                let ran = try await folder.run(
                    "send", "add_friend", "user=42", "--id", "my-1", environment: environment, input: Array("{}".utf8))
                try await origin.asked(1)

                #expect(ran.status == 0 && ran.text == "", "\(ran.everything)")
                #expect(ran.errors == "add_friend user=42: waiting, id my-1\n")

                origin.release()
                try await until("the end of the process") { folder.files(below: "tmp/pipe-run-\(getuid())") == [] }
                let listed = try await folder.run("outbox", "list", "my-1", "--output", "json", environment: environment)
                #expect(listed.text.contains(#""state":"sent""#), "\(listed.everything)")
            }
        }
    }
}
