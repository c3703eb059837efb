import Foundation
import PipelineConfig
import Testing

extension CommandLineTests {
    /// `validate --level connect`, with real servers.
    @Suite struct ConnectTests {
        private static func codes(_ ran: Ran) throws -> [String] {
            try JSONValue(ran.output).elements.compactMap { $0["code"]?.text }
        }

        private static func config(_ sources: String, tiers: String = "api") -> String {
            "sources:\n\(sources)\npipelines:\n  friends: { tiers: [\(tiers)] }\n"
        }

        @Test func `what can be reached is said on standard error, with its time, and nothing is made`() async throws {
            try await OddServer.run(.value("[1]")) { origin in
                let folder = try WorkFolder(threeTiers)
                let before = try folder.contents()

                let ran = try await folder.run("validate", "--level", "connect", environment: ["ORIGIN": origin.url])

                #expect(ran.status == 0)
                #expect(ran.text == "pipeline.yaml: no problems\n")
                let lines = ran.errors.split(separator: "\n")
                #expect(lines.map { $0.prefix { $0 != "," } } == ["memory: reachable", "disk: reachable", "api: reachable"])
                #expect(lines.allSatisfy { $0.wholeMatch(of: /\w+: reachable, [0-9.]+ ms/) != nil }, "\(ran.errors)")
                #expect(try folder.contents() == before)
                #expect(origin.heads.count == 1)
            }
        }

        @Test func `what cannot be reached is the server, not what its keys are called`() async throws {
            let folder = try WorkFolder(
                Self.config(
                    """
                      shared: { type: redis, url: "redis://127.0.0.1:9", prefix: "t:" }
                      fine: { type: inline, value: 1 }
                    """, tiers: "shared, fine"))

            let ran = try await folder.run("validate", "--level", "connect")

            #expect(ran.status == 1)
            #expect(ran.text.contains("pipeline.yaml:2:31: error[P501]") && ran.text.contains("or correct `url`"), "\(ran.text)")
        }

        @Test func `a refused connection, a refusal, a missing file and an impossible folder are found in one run`() async throws {
            try await OddServer.run(.status(401)) { origin in
                let folder = try WorkFolder(
                    Self.config(
                        """
                          gone: { type: http, url: "http://127.0.0.1:9/friends" }
                          locked: { type: http, url: "${ORIGIN}/friends", headers: { X-Tenant: "${TENANT}" } }
                          flat: { type: file, path: none.json, read_only: true }
                          disk: { type: file, path: "pipeline.yaml/{key}.json" }
                          fine: { type: file, path: ".cache/{key}.json" }
                        """, tiers: "gone, locked, flat, disk, fine"))
                let environment = ["ORIGIN": origin.url, "TENANT": "tok-53cr3t"]

                let json = try await folder.run("validate", "--level", "connect", "--format", "json", environment: environment)
                let text = try await folder.run("validate", "--level", "connect", environment: environment)

                #expect(json.status == 1 && text.status == 1)
                #expect(try Self.codes(json) == ["P501", "P502", "P501", "P501"])
                #expect(
                    text.text.contains(
                        "pipeline.yaml:2:28: error[P501]: cannot connect to the source `gone`: connection refused by 127.0.0.1:9\n"))
                #expect(text.text.contains("error[P502]: the source `locked` refuses: status 401 from \(origin.url)/friends\n"))
                #expect(text.text.contains("note: pipeline.yaml:3:31: the value comes from the environment variable `ORIGIN`\n"))
                #expect(text.text.contains("cannot read none.json: no such file or directory"))
                #expect(text.text.contains("cannot use pipeline.yaml: it is not a folder"))
                #expect(text.errors.contains("locked: refused: status 401 from \(origin.url)/friends, "))
                #expect(text.errors.hasSuffix("4 errors, 0 warnings\n"))
                #expect(!text.everything.contains("53cr3t") && !json.everything.contains("53cr3t"))
            }
        }

        @Test func `a server that hangs is given up within its limit, and the others at the same time`() async throws {
            try await OddServer.run(.silence) { origin in
                let names = (0..<200).map { "api\($0)" }
                let sources = names.map { "  \($0): { type: http, url: '\(origin.url)/\($0)', timeout: 500ms }" }.joined(separator: "\n")
                let folder = try WorkFolder(Self.config(sources, tiers: names.joined(separator: ", ")))

                let ran = try await folder.run("validate", "--level", "connect", "--format", "json")

                #expect(try Self.codes(ran) == Array(repeating: "P501", count: 200))
                #expect(ran.text.contains("no answer within 500ms"))
                // One after the other they would take 100 s, which is more than the patience for a run.
            }
        }

        @Test func `a tier's limit bounds a source that has none`() async throws {
            try await OddServer.run(.silence) { origin in
                let folder = try WorkFolder(
                    Self.config("  api: { type: http, url: '\(origin.url)/' }", tiers: "{ source: api, timeout: 200ms }"))

                let ran = try await folder.run("validate", "--level", "connect")

                #expect(ran.status == 1 && ran.text.contains("no answer within 200ms"))
            }
        }

        @Test func `a parameter in the URL leaves the connection to try, and TLS that fails is found`() async throws {
            try await OddServer.run(.status(401)) { origin in
                let folder = try WorkFolder(
                    """
                    sources:
                      plain: { type: http, url: "\(origin.url)/{user}" }
                      secure: { type: http, url: "https://127.0.0.1:\(origin.port)/{user}", timeout: 2s }
                      unknown: { type: http, url: "http://{user}.invalid/" }
                    pipelines:
                      friends: { parameters: [user], tiers: [plain, secure, unknown] }
                    """)

                let ran = try await folder.run("validate", "--level", "connect")

                #expect(ran.errors.contains("plain: reachable, "))
                #expect(ran.errors.contains("unknown: not tried: its host depends on a parameter\n"))
                #expect(ran.text.contains("error[P501]: cannot connect to the source `secure`: "))
                #expect(origin.heads.isEmpty)
            }
        }

        @Test func `sources with problems of their own are not asked, and levels below connect ask none`() async throws {
            try await OddServer.run(.status(401)) { origin in
                let folder = try WorkFolder(
                    Self.config("  api: { type: http, url: '\(origin.url)/', headers: { A: '${NOT_SET}' } }", tiers: "api, nowhere"))

                let ran = try await folder.run("validate", "--level", "connect", "--format", "json")
                let sound = try WorkFolder(Self.config("  api: { type: http, url: '\(origin.url)/' }"))
                let below = try await sound.run("validate", "--level", "env")

                #expect(try Self.codes(ran) == ["P401", "P201"])
                #expect(below.status == 0)
                #expect(origin.count == 0)
            }
        }

        @Test func `several files are named on standard error, too`() async throws {
            let folder = try WorkFolder()
            try folder.write("conf/a.yaml", Self.config("  one: { type: memory }", tiers: "one"))
            try folder.write("conf/b.yaml", Self.config("  two: { type: file, path: none, read_only: true }", tiers: "two"))

            let ran = try await folder.run("validate", "--level", "connect", "--format", "sarif", "conf")

            let lines = ran.errors.split(separator: "\n")
            #expect(ran.status == 1)
            #expect(lines.first?.hasPrefix("conf/a.yaml: one: reachable, ") == true)
            #expect(lines.last?.hasPrefix("conf/b.yaml: two: cannot read conf/none: no such file or directory, ") == true)
            let results = try JSONValue(ran.output)["runs"]?[0]?["results"]?.elements ?? []
            #expect(results.map { $0["ruleId"] } == [.string("P304"), .string("P501")])
        }

        private static let database = """
            sources:
              db: { type: sqlite, path: .cache/cache.db }
            pipelines:
              friends: { tiers: [db] }
            """

        @Test func `a database that is damaged behind its header is found, and left as it is`() async throws {
            let folder = try WorkFolder(Self.database)
            _ = try await folder.run("put", "friends", input: Array("[1]".utf8))
            let file = folder.url.appending(path: ".cache/cache.db")
            var bytes = Array(try Data(contentsOf: file))
            bytes.replaceSubrange(4_096..., with: [UInt8](repeating: 0xA5, count: bytes.count - 4_096))
            try folder.write(".cache/cache.db", bytes)
            let before = try folder.contents()

            let ran = try await folder.run("validate", "--level", "connect", "--format", "json")

            #expect(ran.status == 1)
            #expect(try Self.codes(ran) == ["P501", "P304"])
            #expect(
                ran.errors.hasPrefix("db: .cache/cache.db is damaged (database disk image is malformed); the next use sets it aside"))
            #expect(try folder.contents() == before)
        }

        @Test func `an outbox in a folder that cannot be made is found, and none is made`() async throws {
            let folder = try WorkFolder(friendsWithSends)
            try FileManager.default.createSymbolicLink(
                at: folder.url.appending(path: ".state"), withDestinationURL: folder.url.appending(path: "gone/deep"))

            let ran = try await folder.run("validate", "--level", "connect", environment: unreachable)

            #expect(ran.status == 1, "\(ran.everything)")
            let reason = "cannot make .state: a link of this name leads nowhere"
            #expect(ran.text.contains("error[P501]: cannot connect to the source `outbox`: \(reason)\n"), "\(ran.text)")
            #expect(ran.errors.contains("outbox: \(reason), "), "\(ran.errors)")
            #expect(folder.read("gone/deep/outbox.db") == nil)
        }

        /// Runs what comes as another user, when this is root, who may read everything.
        private static let asNobody = geteuid() == 0 ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []

        @Test(.enabled(if: geteuid() != 0 || FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv"), "must not be root"))
        func `a database that may not be read says so`() async throws {
            let folder = try WorkFolder(Self.database)
            _ = try await folder.run("put", "friends", input: Array("[1]".utf8))
            let path = folder.url.appending(path: ".cache/cache.db").path
            try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.url.appending(path: ".cache").path)
            try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path)

            let fetched = try await PipeRunProcess(["fetch", "friends"], in: folder, under: Self.asNobody).ran()
            let checked = try await PipeRunProcess(["validate", "--level", "connect"], in: folder, under: Self.asNobody).ran()

            #expect(fetched.status == 1 && fetched.errors.contains("cannot open .cache/cache.db: permission denied"), "\(fetched.errors)")
            #expect(checked.status == 1 && checked.text.contains("cannot write .cache/cache.db: permission denied"), "\(checked.text)")
        }
    }
}
