import Foundation
import PipelineConfig
import PipelineTesting
import PipelineYAML
import Testing

@testable import Pipeline

extension CommandLineTests {
    /// Other sources in the place of those of the file, for one run.
    @Suite struct SwapTests {
        /// An origin that no test could reach, and a cache above it.
        private static let file = """
            sources:
              disk: { type: file, path: "copies/{user}.json" }
              api: { type: http, url: "http://127.0.0.1:1/users/{user}", timeout: 5s }
            pipelines:
              friends: { parameters: [user], tiers: [{ source: disk, ttl: 1h }, api] }
            """

        @Test func `a flat file takes the place of a source that cannot be reached, and the order and every policy stay, NC-34`()
            async throws
        {
            let folder = try WorkFolder(Self.file)
            try folder.write("saved.json", "[1]")

            let ran = try await folder.run("fetch", "friends", "user=1", "--swap", "api=saved.json", "--output", "envelope")

            let envelope = try Envelope(ran)
            #expect(ran.status == 0)
            #expect(envelope.from == "api")
            #expect(envelope.tiers.map { "\($0.source) \($0.outcome)" } == ["disk miss", "api hit"])
            #expect(envelope.writes.map { "\($0.source) \($0.outcome)" } == ["disk written"])
            #expect(folder.files(below: "copies") == [])
        }

        /// A file cache and a database, and a folder of the test's own for what is temporary.
        private func withTwoCaches() throws -> (WorkFolder, environment: [String: String]) {
            let folder = try WorkFolder(
                Self.file.replacing(
                    "pipelines:", with: "  db: { type: sqlite, path: copies/all.db }\npipelines:"
                ).replacing("ttl: 1h }, api", with: "ttl: 1h }, { source: db, ttl: 1h }, api"))
            try folder.write("saved.json", "[1]")
            try folder.write("tmp/kept", "")
            return (folder, ["TMPDIR": folder.url.path + "/tmp"])
        }

        @Test func `what stands in is left in no cache, and the temporary ones are removed`() async throws {
            let (folder, environment) = try withTwoCaches()

            let ran = try await folder.run(
                "fetch", "friends", "user=1", "--swap", "api=saved.json", "--repeat", "2", "--output", "envelope", environment: environment)
            let watched = try await folder.run(
                "watch", "friends", "user=1", "--swap", "api=saved.json", "--count", "1", environment: environment)
            let after = try await folder.run("fetch", "friends", "user=1", "--policy", "cache-only", environment: environment)

            #expect(ran.lines.count == 2 && ran.lines.last?.contains(#""from":"disk""#) == true, "\(ran.everything)")
            #expect(watched.text == "[1]\n" && after.status == 3, "\(after.everything)")
            #expect(folder.files(below: "copies") == [])
            #expect(folder.files(below: "tmp") == ["kept"])
        }

        @Test(arguments: [SIGINT, SIGTERM])
        func `temporary copies are removed when a signal ends the run`(signal: Int32) async throws {
            let (folder, environment) = try withTwoCaches()

            try await folder.serving("pipeline.yaml", "--swap", "api=saved.json", environment: environment) { serving in
                _ = try await serving.get("/friends?user=1")
                serving.process.send(signal)
            }
            let watching = try folder.start(
                ["watch", "friends", "user=1", "--swap", "api=saved.json"], environment: environment)
            _ = try await blocking { try watching.output?.first { $0.contains("[1]\n") ? true : nil } }
            watching.send(signal)
            _ = try await watching.ran()

            #expect(folder.files(below: "copies") == [])
            #expect(folder.files(below: "tmp") == ["kept"])
        }

        @Test(arguments: [SIGINT, SIGTERM])
        func `serve leaves nothing of what stands in on a server, nor of what waits to be written`(signal: Int32) async throws {
            try await RedisProgram.run { redis in
                let folder = try WorkFolder(
                    """
                    sources:
                      disk: { type: file, path: "copies/{user}.json" }
                      shared: { type: redis, url: "\(redis.url)", shared_flight: true, invalidation: true }
                      late: { type: redis, url: "\(redis.url)", prefix: late }
                      api: { type: http, url: "http://127.0.0.1:1/users/{user}", timeout: 5s }
                    pipelines:
                      friends:
                        parameters: [user]
                        tiers:
                          - { source: disk, ttl: 1h, debounce: 20m, max_delay: 40m }
                          - { source: shared, ttl: 1h }
                          - { source: late, ttl: 1h, debounce: 20m, max_delay: 40m }
                          - api
                    """)
                try folder.write("saved.json", "[1]")
                _ = try await folder.run("put", "friends", "user=1", input: Array("[0]".utf8))
                let count = try redis.count()

                try await folder.serving("pipeline.yaml", "--swap", "api=saved.json") { serving in
                    for user in 1...3 { #expect(try await serving.get("/friends?user=\(user)").text == "[1]") }
                    try await until("the copies under a prefix of the run") { try redis.count() >= count + 3 }
                    serving.process.send(signal)
                }

                #expect(try redis.count() == count && count == 2)
                #expect(folder.files(below: "copies") == [".1.json.meta", "1.json"])
                #expect(try await folder.run("fetch", "friends", "user=1", "--policy", "cache-only").text == "[0]")
                #expect(try await folder.run("fetch", "friends", "user=2", "--policy", "cache-only").status == 3)
            }
        }

        @Test func `a cache begins with a copy of the database that is given for it`() async throws {
            let (folder, environment) = try withTwoCaches()
            _ = try await folder.run("put", "friends", "user=7", environment: environment, input: Array("[7]".utf8))
            try FileManager.default.moveItem(
                atPath: folder.url.path + "/copies/all.db", toPath: folder.url.path + "/known.db")
            try FileManager.default.removeItem(atPath: folder.url.path + "/copies")
            let known = try Data(contentsOf: folder.url.appending(path: "known.db"))

            let ran = try await folder.run(
                "fetch", "friends", "user=7", "--swap", "db=known.db", "--swap", "api=error", "--output", "envelope",
                environment: environment)
            let other = try await folder.run(
                "fetch", "friends", "user=8", "--swap", "db=known.db", "--swap", "api=saved.json", environment: environment)

            #expect(try Envelope(ran).from == "db", "\(ran.everything)")
            #expect(other.text == "[1]")
            #expect(try Data(contentsOf: folder.url.appending(path: "known.db")) == known)
            #expect(folder.files(below: "copies") == [])
            #expect(folder.files(below: "tmp") == ["kept"])
        }

        @Test func `in place, the caches of the file are used, and it is said what they keep`() async throws {
            let (folder, environment) = try withTwoCaches()

            let ran = try await folder.run(
                "fetch", "friends", "user=1", "--swap", "api=saved.json", "--in-place", environment: environment)

            #expect(ran.text == "[1]" && folder.read("copies/1.json") == "[1]")
            #expect(
                ran.errors
                    == "pipe-run: note: `db` keeps what this run wrote: `friends,user=1`\n"
                    + "pipe-run: note: `disk` keeps what this run wrote: `friends,user=1`\n")
        }

        @Test func `the path of the file may name parameters, whose values stay within their place`() async throws {
            let folder = try WorkFolder(Self.file)
            try folder.write("saved/7.json", "[7]")
            try folder.write("secret.json", "[0]")

            #expect(try await folder.run("fetch", "friends", "user=7", "--swap", "api=saved/{user}.json").text == "[7]")
            #expect(try await folder.run("fetch", "friends", "user=../secret", "--swap", "api=saved/{user}.json").status == 3)
        }

        @Test func `an order may name a source that needs a parameter which the pipeline lacks where another takes its place`()
            async throws
        {
            let folder = try WorkFolder(
                """
                sources:
                  disk: { type: file, path: "copies/{user}.json" }
                  other: { type: http, url: "http://127.0.0.1:1/people/{id}" }
                pipelines:
                  friends: { parameters: [user], tiers: [{ source: disk, ttl: 1h }] }
                  people: { parameters: [id], tiers: [other] }
                """)
            try folder.write("saved/7.json", "[7]")
            let fetch = ["fetch", "friends", "user=7", "--order", "other"]

            #expect(try await folder.start(fetch).ran().errors.contains("needs `{id}`"))
            #expect(try await folder.start(fetch + ["--swap", "other=saved/{user}.json"]).ran().text == "[7]")
            #expect(try await folder.start(fetch + ["--swap", "other=not_found"]).ran().status == 3)
            let unfit = try await folder.start(fetch + ["--swap", "other=saved/{id}.json"]).ran()
            #expect(unfit.status == 64 && unfit.errors.contains("`saved/{id}.json` in `--swap` cannot be used"), "\(unfit.errors)")

            let compared = try await folder.start([
                "compare", "friends", "user=7", "--order", "disk,other", "--order", "other", "--swap", "other=saved/{user}.json", "--rate",
                "20/s", "--duration", "100ms", "--runs", "1", "--cold",
            ]).ran()
            #expect(compared.status == 0, "\(compared.errors)")
        }

        @Test func `a file that is not there for the parameters is named`() async throws {
            let folder = try WorkFolder(Self.file)

            let ran = try await folder.run("fetch", "friends", "user=a/b", "--swap", "api=saved/{user}.json")

            #expect(ran.status == 3)
            #expect(
                ran.errors.contains("`friends,user=a%2Fb` not found: no file `saved/a%2Fb.json`, which stands in for `api`"),
                "\(ran.errors)")
        }

        @Test func `a dollar sign in the path is one`() async throws {
            let folder = try WorkFolder(Self.file)
            try folder.write("$HOME.json", "[1]")

            #expect(try await folder.run("fetch", "friends", "user=7", "--swap", "api=$HOME.json").text == "[1]")
        }

        @Test(arguments: [("error", 1), ("not_found", 3)]) func `a source fails or has no value when told so`(
            _ word: String, _ status: Int32
        )
            async throws
        {
            let folder = try WorkFolder(Self.file)

            let ran = try await folder.run("fetch", "friends", "user=7", "--swap", "api=\(word)")

            #expect(ran.status == status)
            #expect(!ran.errors.contains("127.0.0.1"))
        }

        @Test func `a source hangs when told so, until its time is over`() async throws {
            let folder = try WorkFolder(Self.file)

            let ran = try await folder.run("fetch", "friends", "user=7", "--swap", "api=hangs", "--timeout", "50ms")

            #expect(ran.status == 1)
            #expect(ran.errors.contains("timeout"))
        }

        @Test func `a file may have the name of a word`() async throws {
            let folder = try WorkFolder(Self.file)
            try folder.write("error", "[1]")

            #expect(try await folder.run("fetch", "friends", "user=7", "--swap", "api=./error").text == "[1]")
        }

        @Test func `a cache can be swapped, too, and takes nothing`() async throws {
            let folder = try WorkFolder(Self.file)
            try folder.write("saved.json", "[1]")

            let ran = try await folder.run(
                "fetch", "friends", "user=7", "--swap", "api=saved.json", "--swap", "disk=error", "--output", "envelope")

            let envelope = try Envelope(ran)
            #expect(envelope.tiers.map { "\($0.source) \($0.outcome)" } == ["disk error", "api hit"])
            #expect(envelope.writes.map { "\($0.source) \($0.outcome)" } == ["disk failed"])
        }

        @Test(
            arguments: [
                (["--swap", "apy=error"], "unknown source `apy` in `--swap`\nhelp: did you mean `api`?"),
                (["--swap", "api"], "`api` is not of the form `source=file`"),
                (["--swap", "api="], "`api=` is not of the form `source=file`"),
                (["--swap", "api=error", "--swap", "api=hangs"], "the source `api` is swapped twice"),
                (["--swap", "api=absent.json"], "the file `absent.json` in `--swap` is missing"),
                (["--swap", "api=hang"], "the file `hang` in `--swap` is missing\nhelp: did you mean `hangs`?"),
                (["--swap", "api=saved/{usr}.json"], "`saved/{usr}.json` in `--swap` cannot be used"),
            ])
        func `a swap that does not fit is wrong usage`(_ words: [String], _ message: String) async throws {
            let folder = try WorkFolder(Self.file)

            let ran = try await folder.start(["fetch", "friends", "user=7"] + words).ran()

            #expect(ran.status == 64)
            #expect(ran.errors.contains(message))
        }

        @Test func `watch prints the content of the file`() async throws {
            let folder = try WorkFolder(Self.file)
            try folder.write("saved.json", "[1]")

            let ran = try await folder.run("watch", "friends", "user=7", "--count", "1", "--swap", "api=saved.json")

            #expect(ran.text == "[1]\n")
            #expect(ran.status == 0)
        }

        @Test func `swapped sources stay so when another configuration takes over`() async throws {
            func read(_ text: String) -> (ConfigReport, EffectiveConfig) {
                let environment = ConfigEnvironment([:])
                let report = ConfigFile(text: Array(text.utf8), name: "x.yaml").report(plugins: Self.plugins, environment: environment)
                return (report, EffectiveConfig(report, folder: "", plugins: Self.plugins, environment: environment))
            }
            let text = "sources: { api: { type: stub } }\npipelines: { friends: { tiers: [api] } }"
            let (report, effective) = read(text)
            let swaps = try SourceSwaps(["api=not_found"], plugins: Self.plugins, environment: ConfigEnvironment([:]))
            let before = try RunningConfig(report, effective, redactor: Redactor(), swapping: swaps)
            let (next, nextEffective) = read(text.replacing("type: stub", with: "type: stub, other: true"))

            let after = try before.succeeded(by: next, nextEffective)

            let outcome = try await after.pipelines.pipeline(named: "friends").fetch()
            #expect(outcome.attempts.map(\.description) == ["api: not_found"])
            await after.pipelines.shutDown()
        }

        private static let plugins = [
            SourcePlugin(origin: "stub", summary: "", fields: Field("other", default: false, "Another one.")) { _, _ in
                StubOrigin(clock: .system, answering: .error())
            }
        ]
    }
}
