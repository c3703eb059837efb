import Foundation
import Testing

extension CommandLineTests {
    @Suite struct OutboxTests {
        /// A folder whose outbox has a send that waits, `my-1`, and one that has failed, `my-2`.
        private func filled(_ body: (WorkFolder) async throws -> Void) async throws {
            let folder = try WorkFolder(friendsWithSends)
            try await OddServer.run(friends { _ in .status(422) }) { origin in
                _ = try await folder.run(
                    "send", "add_friend", "user=7", "--id", "my-2", environment: ["ORIGIN": origin.url],
                    input: Array(#"{"name":"Grace"}"#.utf8))
            }
            _ = try await folder.run(
                "send", "add_friend", "user=42", "--id", "my-1", "--wait", "50ms", environment: unreachable,
                input: Array(#"{ "name": "Ada" }"#.utf8))
            try await body(folder)
        }

        @Test func `lists what waits and what has failed, by number, with why`() async throws {
            try await filled { folder in
                let ran = try await folder.run("outbox", "list", environment: unreachable)

                #expect(ran.status == 0 && ran.errors == "", "\(ran.everything)")
                #expect(ran.lines.count == 3 && ran.lines.first == "outbox: 2 sends", "\(ran.text)")
                #expect(ran.text.contains(/(?m)^  1  failed   add_friend user=7   age \S+ +status 422, 1 try +my-2$/), "\(ran.text)")
                #expect(ran.text.contains(/(?m)^  2  waiting  add_friend user=42  age \S+ .+ my-1$/), "\(ran.text)")
            }
        }

        @Test func `as JSON each is its envelope, and with its payload if that is asked for`() async throws {
            try await filled { folder in
                let plain = try await folder.run("outbox", "list", "--output", "json", environment: unreachable)
                let whole = try await folder.run(
                    "outbox", "list", "--state", "waiting", "--payload", "--output", "json", environment: unreachable)

                #expect(plain.lines.count == 2 && !plain.text.contains("Ada"), "\(plain.everything)")
                let head = #"{"send":"add_friend","id":"my-2","number":1,"parameters":{"user":"7"},"state":"failed","tries":1,"#
                #expect(plain.lines.first?.hasPrefix(head + #""reason":"status 422","#) == true, "\(plain.text)")
                let answer = #""answer":{"status":422,"id":null,"value":null},"error":{"code":"failed","message":"status 422"}}"#
                #expect(plain.lines.first?.hasSuffix(answer) == true, "\(plain.text)")
                #expect(whole.lines.count == 1 && whole.text.hasSuffix(#""error":null,"payload":{"name":"Ada"}}"# + "\n"), "\(whole.text)")
            }
        }

        @Test func `ids name sends in whatever state, and one that there is not is told`() async throws {
            try await filled { folder in
                let named = try await folder.run("outbox", "list", "my-2", environment: unreachable)
                let mixed = try await folder.run("outbox", "list", "my-1", "other", environment: unreachable)

                #expect(named.status == 0 && named.lines.count == 2 && named.text.contains(" my-2\n"), "\(named.everything)")
                #expect(mixed.status == 1 && mixed.errors == "pipe-run: there is no send `other`\n", "\(mixed.everything)")
            }
        }

        @Test func `drop gives up, once`() async throws {
            try await filled { folder in
                let dropped = try await folder.run("outbox", "drop", "my-1", "other", environment: unreachable)
                let again = try await folder.run("outbox", "drop", "my-1", environment: unreachable)
                let rest = try await folder.run("outbox", "drop", "--all", "--state", "failed", environment: unreachable)
                let listed = try await folder.run("outbox", "list", environment: unreachable)

                #expect(dropped.status == 1 && dropped.text.contains(/^add_friend user=42: dropped.*, id my-1\n$/), "\(dropped.everything)")
                #expect(dropped.errors == "pipe-run: there is no send `other`\n", "\(dropped.errors)")
                #expect(again.status == 1 && again.errors == "pipe-run: the send `my-1` is not dropped: it is dropped\n", "\(again.errors)")
                #expect(rest.status == 0 && rest.text.contains(", id my-2\n"), "\(rest.everything)")
                #expect(listed.text == "outbox: nothing\n")
            }
        }

        @Test func `retry puts what has failed back, and flush delivers it`() async throws {
            try await filled { folder in
                try await OddServer.run(friends { _ in .value(#"{"id":7}"#) }) { origin in
                    let environment = ["ORIGIN": origin.url]
                    // A file from standard input leaves no process that delivers, too.
                    let input = Array(friendsWithSends.utf8)
                    let refused = try await folder.run("outbox", "retry", "my-1", "-c", "-", environment: environment, input: input)
                    let retried = try await folder.run(
                        "outbox", "retry", "--all", "--state", "failed", "-c", "-", environment: environment, input: input)
                    let flushed = try await folder.run("outbox", "flush", environment: environment)
                    let sent = try await folder.run("outbox", "list", "--state", "sent", "--output", "json", environment: environment)

                    #expect(refused.status == 1 && refused.errors.contains("the send `my-1` is not put back: it is "), "\(refused.errors)")
                    #expect(retried.status == 0 && retried.text.contains(", id my-2\n"), "\(retried.everything)")
                    #expect(flushed.status == 0 && flushed.errors == "", "\(flushed.everything)")
                    #expect(sent.text.contains(#""id":"my-1""#) && sent.text.contains(#""id":"my-2""#), "\(sent.everything)")
                }
            }
        }

        @Test func `flush prints what each send comes to, and ends with 1 when one waits still`() async throws {
            try await filled { folder in
                let waiting = try await folder.run("outbox", "flush", "--for", "300ms", environment: unreachable)
                #expect(waiting.status == 1 && waiting.text == "", "\(waiting.everything)")
                #expect(waiting.errors == "pipe-run: 1 send waits still\nhelp: `pipe-run outbox list` says why\n", "\(waiting.errors)")

                try await OddServer.run(friends { _ in .value(#"{"id":7}"#) }) { origin in
                    let flushed = try await folder.run("outbox", "flush", environment: ["ORIGIN": origin.url])
                    let again = try await folder.run("outbox", "flush", environment: ["ORIGIN": origin.url])

                    #expect(flushed.status == 0, "\(flushed.everything)")
                    #expect(flushed.text.contains(/^add_friend user=42: sent, \d+ tries, id my-1\n$/), "\(flushed.text)")
                    #expect(again.status == 0 && again.everything == "", "\(again.everything)")
                }
            }
        }

        @Test func `a damaged outbox is told, and a fetch shows the value without its sends`() async throws {
            let folder = try WorkFolder(friendsWithSends)
            try folder.write(".state/outbox.db", "this is no database" + String(repeating: "x", count: 4096))
            try folder.write(".cache/friends,user=42.json", "[1]")

            let listed = try await folder.run("outbox", "list", environment: unreachable)
            let fetched = try await folder.run("fetch", "friends", "user=42", environment: unreachable)

            #expect(listed.status == 1 && listed.errors.hasPrefix("pipe-run: `outbox`: "), "\(listed.everything)")
            #expect(fetched.status == 0 && fetched.text == "[1]", "\(fetched.everything)")
            #expect(fetched.errors.hasPrefix("pipe-run: warning: the outbox `outbox` cannot be opened: "), "\(fetched.errors)")
            #expect(folder.read(".state/outbox.db")?.hasPrefix("this is no database") == true)
        }

        @Test func `an outbox that cannot be read is named, and others are dealt with all the same`() async throws {
            let folder = try WorkFolder(
                """
                sources:
                  add: { type: http, method: POST, url: "${ORIGIN}/friends", idempotent: true }
                  bad: { type: outbox, path: .state/bad.db }
                  good: { type: outbox, path: .state/good.db }
                  one: { type: inline, value: 1 }
                sends:
                  lost: { to: add, outbox: bad }
                  add: { to: add, outbox: good }
                pipelines:
                  numbers: { tiers: [one] }
                """)
            try await OddServer.run(.status(422)) { origin in
                for id in ["my-1", "my-2"] {
                    _ = try await folder.run("send", "add", "--id", id, environment: ["ORIGIN": origin.url], input: Array("{}".utf8))
                }
            }
            try folder.write(".state/bad.db", "this is no database" + String(repeating: "x", count: 4096))
            let problem = "cannot use .state/bad.db: "

            let dropped = try await folder.run("outbox", "drop", "my-1", environment: unreachable)
            let unknown = try await folder.run("outbox", "drop", "other", environment: unreachable)
            let all = try await folder.run("outbox", "drop", "--all", "--state", "failed", environment: unreachable)
            let none = try await folder.run("outbox", "retry", "--all", "--state", "failed", environment: unreachable)
            let flushed = try await folder.run("outbox", "flush", environment: unreachable)

            #expect(dropped.status == 0 && dropped.text.contains(", id my-1\n") && dropped.errors == "", "\(dropped.everything)")
            let words = "pipe-run: the send `other` is not dropped: `bad`: " + problem
            #expect(unknown.status == 1 && unknown.errors.hasPrefix(words), "\(unknown.everything)")
            #expect(all.status == 1 && all.text.contains(", id my-2\n"), "\(all.everything)")
            #expect(all.errors.hasPrefix("pipe-run: `bad`: " + problem), "\(all.errors)")
            #expect(none.status == 1 && none.errors.hasPrefix("pipe-run: `bad`: " + problem), "\(none.everything)")
            #expect(flushed.status == 1, "\(flushed.everything)")
            #expect(flushed.errors.hasPrefix("pipe-run: `bad`: " + problem), "\(flushed.errors)")
        }

        @Test func `a file without sends has nothing to list`() async throws {
            let ran = try await WorkFolder(threeTiers).run("outbox", "list", environment: unreachable)

            #expect(ran.status == 0 && ran.errors == "pipe-run: the file declares no `sends`\n", "\(ran.everything)")
            let dropped = try await WorkFolder(threeTiers).run("outbox", "drop", "my-1", environment: unreachable)
            #expect(dropped.status == 1 && dropped.errors == "pipe-run: the file declares no `sends`\n", "\(dropped.everything)")
        }

        @Test func `what the file declares no more is held, and the list says what to do with it`() async throws {
            let folder = try WorkFolder(friendsWithSends)
            try folder.write("ada.json", #"{"name":"Ada"}"#)
            // A file from standard input leaves no process that delivers.
            _ = try await folder.run(
                "send", "add_friend", "user=42", "--id", "my-1", "--wait", "50ms", "--file", "ada.json", "-c", "-",
                environment: unreachable, input: Array(friendsWithSends.utf8))
            let renamed = Array(friendsWithSends.replacingOccurrences(of: "add_friend:", with: "add_one:").utf8)

            let flushed = try await folder.run("outbox", "flush", "--for", "10s", "-c", "-", environment: unreachable, input: renamed)
            let listed = try await folder.run("outbox", "list", "-c", "-", environment: unreachable, input: renamed)
            let mistaken = try await folder.run("outbox", "drop", "1", "-c", "-", environment: unreachable, input: renamed)

            #expect(flushed.status == 0 && flushed.text.contains("held"), "\(flushed.everything)")
            #expect(listed.text.contains(/(?m)^  1  held  add_friend user=42  age \S+ +undeclared.* my-1$/), "\(listed.text)")
            let help = "help: `pipe-run outbox retry ID` sends it again, `pipe-run outbox drop ID` gives it up\n"
            #expect(listed.errors == "pipe-run: note: 1 send is held until a person decides\n" + help, "\(listed.errors)")
            let words = "pipe-run: there is no send `1`\nhelp: ids stand in the last column of `pipe-run outbox list`\n"
            #expect(mistaken.status == 1 && mistaken.errors == words, "\(mistaken.errors)")
        }

        @Test func `the list has the words of a refusal`() async throws {
            let folder = try WorkFolder(friendsWithSends)
            let words = "the name is taken"
            let refusal = "HTTP/1.1 422 \r\nContent-Length: \(words.utf8.count)\r\nConnection: close\r\n\r\n\(words)"
            try await OddServer.run(friends { _ in .bytes(refusal) }) { origin in
                _ = try await folder.run(
                    "send", "add_friend", "user=7", "--id", "my-2", environment: ["ORIGIN": origin.url],
                    input: Array(#"{"name":"Grace"}"#.utf8))
            }

            let listed = try await folder.run("outbox", "list", environment: unreachable)

            #expect(listed.text.contains("status 422: \(words), 1 try") && listed.text.hasSuffix(" my-2\n"), "\(listed.everything)")
        }

        @Test(
            arguments: [
                ([], "Missing expected argument"), (["show"], "'show'"), (["retry"], "takes ids, or --all with --state"),
                (["drop", "my-1", "--all", "--state", "failed"], "takes ids, or --all with --state"),
                (["drop", "--all"], "takes ids, or --all with --state"), (["flush", "my-1"], "flush delivers every send"),
                (["list", "--payload"], "--payload takes list and --output json"), (["list", "--for", "1m"], "--for takes flush"),
                (["list", "--outbox", "outbx"], "did you mean `outbox`?"),
            ] as [([String], String)])
        func `wrong usage ends with 64`(arguments: [String], words: String) async throws {
            let ran = try await WorkFolder(friendsWithSends).start(["outbox"] + arguments, environment: unreachable).ran()

            #expect(ran.status == 64 && ran.text == "" && ran.errors.contains(words), "\(ran.everything)")
        }
    }
}
