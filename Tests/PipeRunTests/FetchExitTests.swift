import Foundation
import Testing

@testable import PipeRunKit
@testable import PipelineServer

extension CommandLineTests {
    @Suite struct FetchExitTests {
        @Test func `long words of a message are cut, and the marks behind them stay`() {
            let long = String(repeating: "x", count: 300)

            #expect("short `\(long)`: why\nnext".withLongWordsCut == "short `\(long.prefix(199))…`: why\nnext")
            #expect(String(repeating: "ab ", count: 200).withLongWordsCut == String(repeating: "ab ", count: 200))
            #expect((long + long).withLongWordsCut == long.prefix(200) + "…")
        }

        @Test func `an order of caches alone asks no origin, which is said`() async throws {
            let folder = try WorkFolder(flatTiers)
            try folder.write("flat/1.json", "[1]")

            let one = try await folder.run("fetch", "friends", "user=1", "--order", "memory")
            let two = try await folder.run("fetch", "friends", "user=1", "--order", "memory,disk")

            #expect(one.status == 3)
            #expect(one.errors == "pipe-run: `friends,user=1` not in `memory`; the order asks no origin\n")
            #expect(two.status == 3 && two.errors.contains("not in `memory`, `disk`; the order asks no origin"), "\(two.errors)")
        }

        @Test(arguments: [[String](), ["--trace"], ["--policy", "cache-only"], ["--order", "memory"]])
        func `a long key is cut in what is said`(options: [String]) async throws {
            let folder = try WorkFolder(flatTiers)
            let user = String(repeating: "x", count: 100_000)

            let ran = try await folder.start(["fetch", "friends", "user=\(user)"] + options).ran()

            #expect(ran.status != 0 && ran.errors.contains("…") && ran.errors.utf8.count < 2_000, "\(ran.errors.prefix(3_000))")
        }

        /// Arguments, and what standard error must say.
        static let wrongUsage: [([String], [String])] = [
            (["friend", "user=1"], ["unknown pipeline `friend`", "did you mean `friends`?"]),
            (["zzz"], ["unknown pipeline `zzz`", "known pipelines: `friends`, `people`"]),
            (["friends"], ["needs the parameter `user`", "user=VALUE"]),
            (["friends", "usr=1"], ["has no parameter `usr`", "did you mean `user`?"]),
            (["friends", "user=1", "page=2"], ["has no parameter `page`", "known parameters: `user`"]),
            (["friends", "user"], ["`user`", "parameter=value"]),
            (["friends", "=1"], ["parameter=value"]),
            (["friends", "user=1", "user=2"], ["`user` is given twice"]),
            (["friends", "user=1", "--polic", "refresh"], ["--polic", "--policy"]),
            (["friends", "user=1", "--policy", "fresh"], ["'fresh'", "cache-only", "refresh", "no-store"]),
            (["friends", "user=1", "--repeat", "0"], ["--repeat", "at least 1"]),
            (["friends", "user=1", "--repeat", "-1"], ["--repeat", "at least 1"]),
            (["friends", "user=1", "--repeat", "x"], ["--repeat", "'x'"]),
            (["friends", "user=1", "--timeout", "5"], ["--timeout", "`5`", "500ms"]),
            (["friends", "user=1", "--timeout", "0s"], ["--timeout", "`0s`", "500ms"]),
            (["friends", "user=1", "--order", "memory,dsk"], ["unknown source `dsk`", "did you mean `disk`?"]),
            (["friends", "user=1", "--order", "disk,disk"], ["names `disk` twice"]),
            (["friends", "user=1", "--order", ""], ["names no source"]),
            (["friends", "user=1", "--order", "disk,,flat"], ["empty name"]),
            (["friends", "user=1", "--output", "xml"], ["raw", "envelope"]),
            ([], ["<name>"]),
        ]

        @Test(arguments: wrongUsage)
        func `wrong usage ends with 64 and says what would be right`(arguments: [String], words: [String]) async throws {
            let folder = try WorkFolder(flatTiers)
            try folder.write("flat/1.json", "[1]")

            let ran = try await folder.start(["fetch"] + arguments).ran()

            #expect(ran.status == 64)
            #expect(ran.text == "")
            for word in words { #expect(ran.errors.contains(word), "\(ran.errors)") }
            #expect(folder.files(below: ".cache") == [])
        }

        @Test(arguments: [["fetch", "home"], ["graph", "home"], ["explain", "home"]])
        func `an order that asks a source for what the pipeline does not have ends with 64, and nothing is asked`(
            call: [String]
        ) async throws {
            let page = "  page: { type: file, path: page.json, read_only: true }\npipelines:\n  home: { tiers: [disk, page] }"
            let folder = try WorkFolder(flatTiers.replacing("pipelines:", with: page))
            try folder.write("flat/.json", "[1]")

            let ran = try await folder.start(call + ["--order", "disk,flat"]).ran()

            #expect(ran.status == 64 && ran.text == "")
            #expect(ran.errors.contains("the source `flat` needs `{user}`, which is not a parameter of `home`"), "\(ran.errors)")
            #expect(folder.files(below: ".cache") == [])
        }

        @Test(arguments: ["fetch", "put", "remove"])
        func `an argument that is not UTF-8 is wrong usage, and is not taken for another one`(command: String) async throws {
            let folder = try WorkFolder(flatTiers)
            let appending = ["sh", "-c", "exec \"$0\" \"$@\" \"user=$(printf '\\377')\""]

            let ran = try await PipeRunProcess([command, "friends"], in: folder, input: Array("[1]".utf8), under: appending).ran()

            #expect(ran.status == 64 && ran.text == "")
            #expect(ran.errors == "pipe-run: the argument `user=�` is not UTF-8\nhelp: write the text at � in UTF-8\n")
            #expect(folder.files(below: ".cache") == [])
        }

        @Test func `an unknown command ends with 64 and names the nearest`() async throws {
            let folder = try WorkFolder(flatTiers)

            let ran = try await folder.run("feth", "friends")

            #expect(ran.status == 64)
            #expect(ran.errors.contains("unknown command `feth`"))
            #expect(ran.errors.contains("did you mean `fetch`?"))
        }

        @Test(arguments: [
            (["fetch", "friends", "--sku=A1"], "sku=A1"), (["fetch", "--sku=A1", "friends"], "sku=A1"),
            (["fetch", "friends", "--sku", "A1"], "sku=A1"), (["watch", "friends", "--sku", "--trace"], "sku=VALUE"),
            (["remove", "friends", "--a_b=x y"], "'a_b=x y'"), (["put", "friends", "--sku="], "sku="),
        ]) func `a parameter that is written like an option is told how it is given`(arguments: [String], given: String) async throws {
            let ran = try await WorkFolder(flatTiers).start(arguments).ran()

            #expect(ran.status == 64)
            #expect(
                ran.errors.contains("unknown option `--\(arguments.contains { $0.hasPrefix("--sku") } ? "sku" : "a_b")`"), "\(ran.errors)")
            #expect(ran.errors.contains("help: a parameter is given as `\(given)`\n"), "\(ran.errors)")
        }

        @Test(arguments: [
            ["fetch", "friends", "--colour=always"], ["fetch", "friends", "--colour", "always"], ["list", "friends", "--colours=never"],
            ["watch", "friends", "--colr"],
        ]) func `what is nearly --color is meant for it`(arguments: [String]) async throws {
            let ran = try await WorkFolder(flatTiers).start(arguments).ran()

            #expect(ran.status == 64 && ran.errors.contains("help: did you mean `--color`?\n"), "\(ran.errors)")
            #expect(!ran.errors.contains("a parameter is given"))
        }

        @Test func `a command that takes no parameters is not told of one`() async throws {
            let ran = try await WorkFolder(flatTiers).run("list", "friends", "--user=1")

            #expect(ran.status == 64 && ran.errors.contains("--user") && !ran.errors.contains("parameter"), "\(ran.errors)")
        }

        @Test(arguments: [["--color=always", "version"], ["version", "--color=always"], ["--color", "never", "--version"], ["version"]])
        func `the version is printed wherever --color stands`(arguments: [String]) async throws {
            let ran = try await WorkFolder().start(arguments).ran()

            #expect(ran.status == 0 && ran.text.wholeMatch(of: /[0-9]+\.[0-9]+\.[0-9]+\n/) != nil && ran.errors == "", "\(ran.everything)")
        }

        @Test func `an option that is nearly one of ours is not taken for a parameter`() async throws {
            let ran = try await WorkFolder(flatTiers).run("fetch", "friends", "--polcy=offline")

            #expect(ran.status == 64 && ran.errors.contains("--policy") && !ran.errors.contains("a parameter is given"), "\(ran.errors)")
        }

        @Test func `a file that cannot be used ends with 2, its problems on standard error`() async throws {
            let folder = try WorkFolder("pipelines:\n  friends: { tiers: [nobody] }\n")

            let missing = try await folder.run("fetch", "friends", "-c", "none.yaml")
            let invalid = try await folder.run("fetch", "friends")

            #expect(missing.status == 2 && invalid.status == 2)
            #expect(missing.text == "" && invalid.text == "")
            #expect(missing.errors.contains("none.yaml:1:1: error[P004]: cannot read `none.yaml`: no such file"))
            #expect(missing.errors.contains("pipe-run init"))
            #expect(invalid.errors.contains("pipeline.yaml:2:22: error[P201]"))
        }

        @Test func `an unset variable ends with 2 and names it`() async throws {
            let ran = try await WorkFolder(threeTiers).run("fetch", "friends")

            #expect(ran.status == 2)
            #expect(ran.errors.contains("P401") && ran.errors.contains("ORIGIN"))
        }

        @Test func `not found ends with 3, said by an origin or by all tiers`() async throws {
            let folder = try WorkFolder(flatTiers)
            let absent = try await folder.run("fetch", "friends", "user=2")
            #expect(absent.status == 3 && absent.text == "")
            #expect(absent.errors == "pipe-run: `friends,user=2` not found\n")

            try await OddServer.run(.status(404)) { origin in
                let ran = try await WorkFolder(threeTiers).run("fetch", "friends", environment: ["ORIGIN": origin.url])
                #expect(ran.status == 3 && ran.text == "")
            }
        }

        @Test func `when every tier failed it ends with 1 and names each with what it did`() async throws {
            try await OddServer.run(.status(500)) { origin in
                let ran = try await WorkFolder(threeTiers).run("fetch", "friends", environment: ["ORIGIN": origin.url])

                #expect(ran.status == 1 && ran.text == "")
                #expect(ran.errors.contains("memory: miss; disk: miss; api: error (status 500 from \(origin.url)/friends)"))
            }
        }

        @Test(arguments: [OddServer.Reply.end, .bytes("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n[1"), .bytes("nonsense\r\n\r\n")])
        func `an origin that breaks off is an error in words`(reply: OddServer.Reply) async throws {
            try await OddServer.run(reply) { origin in
                let folder = try WorkFolder(threeTiers)
                let ran = try await folder.run("fetch", "friends", environment: ["ORIGIN": origin.url])

                #expect(ran.status == 1 && ran.text == "")
                #expect(ran.errors.contains("api: error ("), "\(ran.errors)")
                #expect(folder.files(below: ".cache") == [])
            }
        }

        @Test func `an answer that is not JSON is invalid and is not written`() async throws {
            try await OddServer.run(.value("<html>")) { origin in
                let folder = try WorkFolder(threeTiers)
                let ran = try await folder.run("fetch", "friends", environment: ["ORIGIN": origin.url])

                #expect(ran.status == 1 && ran.text == "")
                #expect(ran.errors.contains("api: invalid ("))
                #expect(folder.files(below: ".cache") == [])
            }
        }
    }
}
