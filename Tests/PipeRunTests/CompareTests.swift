import Foundation
import TestSupport
import Testing

@testable import PipeRunKit

extension WaitingTests {
    /// `pipe-run compare`, with a server whose answers take 20 ms.
    @Suite struct CompareTests {
        private static let files = """
            sources:
              memory: { type: memory }
              disk: { type: file, path: ".cache/{key}.json", max_entries: 100 }
              db: { type: sqlite, path: .cache/cache.db, max_entries: 100 }
              api: { type: http, url: "${ORIGIN}/users/{user}" }
            pipelines:
              friends:
                parameters: [user]
                tiers:
                  - { source: memory, ttl: 10m }
                  - { source: disk, ttl: 10m }
                  - api
            """

        /// The load that most of these tests have: short runs, cold, so that the first request of each key asks the origin.
        private static let short = ["--keys", "loop(5)", "--rate", "50/s", "--duration", "200ms", "--cold"]

        private static let slow: @Sendable (String, Int) -> OddServer.Reply = { _, _ in
            Thread.sleep(forTimeInterval: 0.02)
            return .value("[1]")
        }

        /// A folder with `files`, and one for temporary files that must be empty at the end.
        private static func folder(_ config: String = files) throws -> (work: WorkFolder, temporary: WorkFolder) {
            (try WorkFolder(config), try WorkFolder())
        }

        private static func start(
            _ folders: (work: WorkFolder, temporary: WorkFolder), _ origin: String, _ arguments: [String]
        ) throws -> PipeRunProcess {
            try folders.work.start(
                ["compare", "friends"] + arguments, environment: ["ORIGIN": origin, "TMPDIR": folders.temporary.url.path])
        }

        /// The calls of `api`, and the requests that came while another of their key was under way, and waited for that one.
        private static func loads(of variant: JSONValue) throws -> Int {
            try #require(variant["origin_calls"]?["api"]?.number) + #require(variant["joined"]?.number)
        }

        @Test func `an order with caches is told from one without, and the user's own copies stay as they are`() async throws {
            try await OddServer.run(Self.slow) { origin in
                let folders = try Self.folder()
                for user in ["1", "2"] {
                    let ran = try await folders.work.run("fetch", "friends", "user=\(user)", environment: ["ORIGIN": origin.url])
                    #expect(ran.status == 0)
                }
                let before = try folders.work.contents()

                let ran = try await Self.start(
                    folders, origin.url,
                    [
                        "--order", "memory,disk,api", "--order", "api", "--order", "db,api", "--keys", "loop(5)", "--rate", "50/s",
                        "--duration",
                        "300ms", "--runs", "7", "--max-origin-calls", "5000", "--format", "json",
                    ]
                ).ran()

                #expect(ran.status == 0, "\(ran.errors)")
                let json = try JSONValue(ran.output)
                let variants = json["variants"]?.elements ?? []
                #expect(json["blocks"]?.number == 7 && json["partial"] == .null)
                #expect(variants.compactMap { $0["name"]?.text } == ["memory,disk,api", "api", "db,api"])
                #expect(variants.map { $0["failed"]?.number } == [0, 0, 0])
                #expect(variants.first?["ratio"] == .null)
                #expect(variants[1]["ratio"]?["p50"]?["verdict"]?.text == "more", "\(ran.text)")
                #expect(try Self.loads(of: variants[1]) == variants[1]["requests"]?.number)
                #expect(ran.errors.contains("the origins are asked at most 5000 times"))
                #expect(try folders.work.contents() == before)
                #expect(folders.temporary.files(below: "") == [])
            }
        }

        @Test func `a pipeline that is made from others, and links to one, is compared with all of them`() async throws {
            try await OddServer.run(.value("[1]")) { origin in
                let folders = try Self.folder(
                    Self.files + """

                          home:
                            parameters: [user]
                            combine: { object: { near: friends, far: friends } }
                            tiers: [{ source: disk, ttl: 10m }, combine]
                            links: { best: { at: /best, pipeline: friends } }
                        """)
                let arguments =
                    ["compare", "home", "--order", "disk,combine", "--order", "combine", "--runs", "2", "--format", "json"] + Self.short

                let ran = try await folders.work.start(
                    arguments, environment: ["ORIGIN": origin.url, "TMPDIR": folders.temporary.url.path]
                ).ran()

                #expect(ran.status == 0, "\(ran.everything)")
                let variants = try JSONValue(ran.output)["variants"]?.elements ?? []
                #expect(variants.map { $0["failed"]?.number } == [0, 0])
                // Each run has ten requests of five keys: the parts' own caches begin empty, too, and both parts are one key.
                #expect(variants.map { $0["origin_calls"]?["api"]?.number } == [10, 10], "\(ran.text)")
                #expect(folders.temporary.files(below: "") == [] && folders.work.files(below: ".cache") == [])
            }
        }

        @Test(arguments: ["text", "csv", "svg"])
        func `each format has each variant, and the first one against itself`(format: String) async throws {
            try await OddServer.run(.value("[1]")) { origin in
                let folders = try Self.folder()

                let ran = try await Self.start(
                    folders, origin.url, Self.short + ["--order", "memory,api", "--order", "api", "--runs", "2", "--format", format]
                ).ran()

                #expect(ran.status == 0, "\(ran.errors)")
                #expect(ran.text.contains("memory,api") && ran.text.contains("against itself"), "\(ran.text)")
                switch format {
                case "text":
                    #expect(ran.text.hasPrefix("50/s, 2 × 200ms, cold"))
                    #expect(ran.text.contains("fewer than 6 blocks"))
                case "csv": #expect(ran.lines.count == 7 && ran.lines[0].hasPrefix("block,variant,order,requests"))
                default:
                    #expect(ran.text.hasPrefix("<svg") && ran.text.contains("prefers-color-scheme"))
                    #expect(ran.text.hasSuffix("</svg>\n"))
                }
            }
        }

        @Test func `OC-06: an interrupted comparison shows the blocks that are whole, and leaves nothing behind`() async throws {
            try await OddServer.run(Self.slow) { origin in
                let folders = try Self.folder()
                let process = try Self.start(
                    folders, origin.url,
                    Self.short + ["--order", "disk,api", "--order", "db,api", "--runs", "1000", "--max-origin-calls", "100000"])

                // A block asks the origin 15 times.
                try await origin.asked(40)
                process.send(SIGINT)
                let ran = try await process.ran()

                #expect(ran.status == 130)
                #expect(ran.text.contains(" of 1000 × 200ms, cold") && ran.text.contains("partial: interrupted"), "\(ran.everything)")
                #expect(folders.temporary.files(below: "") == [])
                #expect(folders.work.files(below: ".cache") == [])
            }
        }

        @Test func `OC-05: at the bound of calls it stops, and what is whole is marked as a part`() async throws {
            try await OddServer.run(Self.slow) { origin in
                let folders = try Self.folder()
                let orders = ["--order", "disk,api", "--order", "memory,api", "--runs", "10"]

                let part = try await Self.start(folders, origin.url, Self.short + orders + ["--max-origin-calls", "40"]).ran()
                let asked = origin.count
                let none = try await Self.start(folders, origin.url, Self.short + orders + ["--max-origin-calls", "6"]).ran()

                #expect(part.status == 0 && part.text.contains("of 10 × 200ms"), "\(part.everything)")
                #expect(part.text.contains("partial: the origins were asked 40 times"))
                #expect(asked == 40 && origin.count == 46)
                #expect(none.status == 1 && none.text == "")
                #expect(
                    none.errors.contains("no block is whole: the origins were asked 6 times") && none.errors.contains("--max-origin-calls"))
                #expect(folders.temporary.files(below: "") == [])
            }
        }

        @Test func `OC-05: the defaults are not enough for an order without a cache, which is said at once with what is`() async throws {
            try await OddServer.run(.value("[1]")) { origin in
                let folders = try Self.folder()
                let orders = ["--keys", "loop(5)", "--order", "memory,api", "--order", "api"]

                let ran = try await Self.start(folders, origin.url, orders).ran()

                #expect(ran.status == 64 && ran.text == "" && origin.count == 0, "\(ran.everything)")
                // A run and three tenths of one; in any case two runs of three subjects in ten blocks, and the first three fetches of each.
                #expect(ran.errors.contains("1950 times in a block, and `--max-origin-calls` is 1000"), "\(ran.errors)")
                #expect(ran.errors.contains("`--max-origin-calls 90009` is enough unless requests are redirected or hedged"))
            }
        }

        @Test func `OC-05: a part is announced as one before it is measured`() async throws {
            try await OddServer.run(.value("[1]")) { origin in
                let folders = try Self.folder()
                let orders = Self.short + ["--order", "memory,api", "--order", "api", "--runs", "10"]

                let part = try await Self.start(folders, origin.url, orders + ["--max-origin-calls", "50"]).ran()
                let whole = try await Self.start(folders, origin.url, orders + ["--max-origin-calls", "309"]).ran()

                #expect(part.status == 0 && part.text.contains("partial: the origins were asked 50 times"), "\(part.everything)")
                #expect(part.errors.contains("the result will be partial: orders without a cache ask the origins 10 times in a block"))
                #expect(part.errors.contains("about 5 of 10 can be whole, and below 6 no difference is told; `--max-origin-calls 309`"))
                #expect(whole.status == 0 && !whole.everything.contains("partial"), "\(whole.everything)")
            }
        }

        @Test func `a source that cannot be reached is named with the variant, at once`() async throws {
            let folders = try Self.folder()
            let port = try LoopbackPort.free()

            let ran = try await Self.start(
                folders, "http://127.0.0.1:\(port)", ["--keys", "loop(5)", "--order", "memory,api", "--order", "disk,api"]
            ).ran()

            #expect(ran.status == 1 && ran.text == "")
            #expect(ran.errors.contains("`memory,api` answers nothing"), "\(ran.errors)")
            #expect(ran.errors.contains("api: error") && ran.errors.contains("validate --level connect"))
            #expect(folders.temporary.files(below: "") == [])
        }

        @Test func `in place the caches of the file are filled and kept`() async throws {
            try await OddServer.run(.value("[1]")) { origin in
                let folders = try Self.folder()

                let ran = try await Self.start(
                    folders, origin.url,
                    [
                        "--keys", "loop(3)", "--rate", "100/s", "--duration", "100ms", "--runs", "1", "--order", "disk,api", "--order",
                        "api",
                        "--in-place",
                    ]
                ).ran()

                #expect(ran.status == 0 && ran.errors.contains("the caches of the file are used and filled"), "\(ran.errors)")
                #expect(folders.work.files(below: ".cache").count { $0.hasSuffix(".json") } == 3)
            }
        }

        @Test func `files are variants, fetches are played in turn, and a source is swapped`() async throws {
            let folders = try Self.folder()
            try folders.work.write("other.yaml", Self.files.replacing("ttl: 10m", with: "ttl: 1s"))
            try folders.work.write("asked.txt", "user=1\n\n# a bare value is for the only parameter\n2\n")
            try folders.work.write("answer.json", "[7]")

            let open = try await Self.start(
                folders, "http://127.0.0.1:9",
                [
                    "-c", "pipeline.yaml", "-c", "other.yaml", "--fetches", "asked.txt", "--swap", "api=answer.json", "--clients", "2",
                    "--duration",
                    "100ms", "--runs", "1", "--cold",
                ]
            ).ran()
            #expect(open.status == 0, "\(open.errors)")
            #expect(open.text.contains("2 clients, closed") && open.text.contains("pipeline.yaml") && open.text.contains("other.yaml"))
        }

        @Test func `what takes the place of an origin asks none, and is not bounded`() async throws {
            try await OddServer.run(.value("[1]")) { origin in
                let folders = try Self.folder()
                try folders.work.write("answer.json", "[7]")

                let ran = try await Self.start(
                    folders, origin.url,
                    Self.short + [
                        "--order", "memory,api", "--order", "api", "--runs", "2", "--swap", "api=answer.json", "--max-origin-calls", "0",
                        "--format", "json",
                    ]
                ).ran()

                #expect(ran.status == 0 && origin.count == 0, "\(ran.everything)")
                let json = try JSONValue(ran.output)
                #expect(json["partial"] == .null)
                let alone = try #require(json["variants"]?[1])
                #expect(try Self.loads(of: alone) == 20, "\(ran.text)")
            }
        }

        @Test func `a trace is played at its times, in pieces as long as a run`() async throws {
            try await OddServer.run(.value("[1]")) { origin in
                let folders = try Self.folder()
                try folders.work.write("asked.csv", (0..<40).map { "\(Double($0) / 50),\($0 % 7 + 1)\n" }.joined())

                let ran = try await Self.start(
                    folders, origin.url,
                    [
                        "--order", "memory,api", "--order", "api", "--trace", "asked.csv", "--columns", "time=1,key=2", "--duration",
                        "200ms",
                        "--runs", "2", "--cold", "--format", "json",
                    ]
                ).ran()

                #expect(ran.status == 0, "\(ran.errors)")
                let json = try JSONValue(ran.output)
                #expect(json["load"]?["open"] == .bool(true) && json["load"]?["rate"] == .null)
                #expect(json["variants"]?[0]?["requests"]?.number == 20, "\(ran.text)")
                #expect(
                    Set(origin.heads.compactMap { $0.split(separator: " ").dropFirst().first }).isSubset(of: (1...7).map { "/users/\($0)" })
                )
            }
        }

        @Test func `a Redis cache is kept apart under a prefix, of which nothing is left`() async throws {
            try await RedisProgram.run { redis in
                try await OddServer.run(.value("[1]")) { origin in
                    let folders = try Self.folder(
                        Self.files.replacing(
                            "{ type: sqlite, path: .cache/cache.db, max_entries: 100 }", with: "{ type: redis, url: \"\(redis.url)\" }"))
                    _ = try await folders.work.run("fetch", "friends", "user=1", "--order", "db,api", environment: ["ORIGIN": origin.url])
                    let before = try redis.keys()
                    let asked = origin.count

                    let ran = try await Self.start(
                        folders, origin.url,
                        Self.short + ["--order", "db,api", "--order", "api", "--runs", "1", "--max-origin-calls", "500"]
                    ).ran()

                    #expect(ran.status == 0, "\(ran.errors)")
                    #expect(before.count == 1 && origin.count > asked)
                    #expect(try redis.keys() == before)
                }
            }
        }

        private static let wrongUsage: [([String], [String])] = [
            (["--order", "memory,api"], ["nothing to compare `friends` with", "--order b"]),
            (["--order", "api", "--order", "disk,api"], ["needs the parameter `user`", "--keys"]),
            (["--order", "api", "--order", "dsk", "--keys", "loop(2)"], ["unknown source `dsk`", "did you mean `disk`?"]),
            (["--order", "api", "--order", "disk", "--keys", "zipf(1)"], ["`zipf(1)` in --keys", "zipf(0.9, 10000)"]),
            (["--order", "api", "--order", "disk", "--keys", "loop(2)", "--rate", "fast"], ["`fast` is not a rate", "200/s"]),
            (["--order", "api", "--order", "disk", "--keys", "loop(2)", "--rate", "0/s"], ["not a rate"]),
            (["--order", "api", "--order", "disk", "--keys", "loop(2)", "--rate", "9e9/s"], ["more than 10000000 requests"]),
            (["--order", "api", "--order", "disk", "--keys", "loop(2)", "--clients", "0"], ["--clients", "from 1"]),
            (["--order", "api", "--order", "disk", "--keys", "loop(2)", "--runs", "0"], ["--runs", "from 1"]),
            (["--order", "api", "--order", "disk", "--keys", "loop(2)", "--duration", "1"], ["`1` is not a duration"]),
            (["--order", "api", "--order", "disk", "--keys", "loop(2)", "--cold", "--in-place"], ["--cold", "--in-place"]),
            (["--order", "api", "--order", "disk", "--keys", "loop(2)", "--key", "usr"], ["`usr`", "did you mean `user`?"]),
            (["--order", "api", "--order", "disk", "user=1", "--keys", "loop(2)"], ["no parameter is left"]),
            (["--order", "api", "--order", "disk", "--fetches", "none.txt"], ["`none.txt`", "cannot be read"]),
            (["--order", "api", "--order", "disk", "--fetches", "asked.txt"], ["asked.txt:1", "has no parameter `usr`"]),
            (["--order", "api", "--order", "disk", "--keys", "loop(2)", "--trace", "t.csv"], ["--keys and --trace"]),
            (["--order", "api", "--order", "disk", "--keys", "loop(2)", "--rate", "5/s", "--clients", "2"], ["--rate and --clients"]),
            (["-c", "pipeline.yaml", "-c", "other.yaml", "--keys", "loop(2)"], ["other parameters"]),
        ]

        @Test(arguments: wrongUsage) func `wrong usage ends with 64, and nothing is asked`(arguments: [String], words: [String])
            async throws
        {
            let folders = try Self.folder()
            try folders.work.write("asked.txt", "usr=1\n")
            try folders.work.write(
                "other.yaml", Self.files.replacing("[user]", with: "[user, page]").replacing("{user}", with: "{user}/{page}"))

            let ran = try await Self.start(folders, "http://127.0.0.1:9", arguments).ran()

            #expect(ran.status == 64 && ran.text == "", "\(ran.everything)")
            for word in words { #expect(ran.errors.contains(word), "\(ran.errors)") }
            #expect(folders.temporary.files(below: "") == [])
        }
    }
}

extension RedisProgram {
    /// The names of all keys, sorted.
    fileprivate func keys() throws -> [String] {
        let socket = try Socket.connect(to: port)
        defer { socket.shut() }
        try socket.send(Array("KEYS *\r\n".utf8))
        let reply = try socket.receive().map { String(decoding: $0, as: UTF8.self) } ?? ""
        return reply.split(separator: "\r\n").map(String.init).filter { !$0.hasPrefix("*") && !$0.hasPrefix("$") }.sorted()
    }
}
