import Foundation
import PipelineConfig
import Testing

extension CommandLineTests {
    @Suite struct ValidateTests {
        struct Line: Decodable {
            struct Related: Decodable {
                let file: String
                let line: Int?
                let column: Int?
                let message: String
            }

            let file: String
            let line: Int
            let column: Int
            let end_line: Int
            let end_column: Int
            let severity: String
            let code: String
            let message: String
            let help: String?
            let related: [Related]
        }

        static let broken = """
            sources:
              disk: { type: fil, path: ".cache/{key}.json" }
              api: { type: http, url: "http://h/", timout: 2s }
            pipelines:
              friends:
                tiers: [ dsk, { source: api, timeout: soon } ]
            """

        static let unused = """
            sources:
              flat: { type: file, path: flat, read_only: true }
              other: { type: file, path: other, read_only: true }
            pipelines:
              friends: { tiers: [flat] }
            """

        @Test func `a sound file ends with 0`() async throws {
            let ran = try await WorkFolder(flatTiers).run("validate", "--level", "schema")

            #expect(ran.status == 0)
            #expect(ran.text == "pipeline.yaml: no problems\n" && ran.errors == "")
        }

        @Test func `finds every problem in one run, in reading order, with an excerpt and the edit`() async throws {
            let ran = try await WorkFolder(Self.broken).run("validate")

            #expect(ran.status == 1)
            let places = ran.text.matches(of: /(?m)^pipeline\.yaml:(\d+):(\d+): error\[(P\d+)\]/).map { "\($0.1) \($0.3)" }
            #expect(places == ["2 P106", "3 P101", "6 P201", "6 P105"])
            #expect(ran.text.contains("  2 |   disk: { type: fil, path: \".cache/{key}.json\" }\n    |                 ^^^\n"))
            #expect(ran.text.contains("help: did you mean `file`?"))
            #expect(ran.errors == "4 errors, 0 warnings\n")
        }

        @Test func `json is a list with all members, also when it is empty`() async throws {
            let folder = try WorkFolder(Self.broken)
            let bad = try await folder.run("validate", "--format", "json")
            try folder.write(
                "pipeline.yaml", "sources: { f: { type: file, path: f, read_only: true } }\npipelines: { a: { tiers: [f] } }\n")
            let good = try await folder.run("validate", "--format", "json")

            let lines = try JSONDecoder().decode([Line].self, from: Data(bad.output))
            #expect(bad.status == 1 && lines.map(\.code) == ["P106", "P101", "P201", "P105"])
            #expect(lines[0].file == "pipeline.yaml" && lines[0].line == 2 && lines[0].column == 17)
            #expect(lines[0].end_line == 2 && lines[0].end_column == 20 && lines[0].severity == "error")
            let keys = ["file", "line", "column", "end_line", "end_column", "severity", "code", "message", "help", "related"]
            let order = bad.text.split(separator: "\n")[1].matches(of: /"([a-z_]+)":/).map { String($0.1) }
            #expect(Array(order.prefix(keys.count)) == keys)
            #expect(good.status == 0 && good.text == "[]\n")
        }

        @Test func `warnings end with 0 unless they are denied`() async throws {
            let folder = try WorkFolder(Self.unused)

            let lenient = try await folder.run("validate")
            let strict = try await folder.run("validate", "--deny-warnings")

            #expect(lenient.status == 0 && lenient.text.contains("warning[P203]"))
            #expect(strict.status == 1)
        }

        @Test func `a warning can be allowed or denied by its code`() async throws {
            let folder = try WorkFolder(Self.unused)

            let allowed = try await folder.run("validate", "--deny-warnings", "--allow", "p203")
            let denied = try await folder.run("validate", "--deny", "P203", "--format", "json")
            let other = try await folder.run("validate", "--deny", "P302", "--deny", "P304", "--allow", "P301")

            #expect(allowed.status == 0 && allowed.text == "pipeline.yaml: no problems\n")
            #expect(denied.status == 1)
            #expect(try JSONDecoder().decode([Line].self, from: Data(denied.output)).map(\.severity) == ["error"])
            #expect(other.status == 0 && other.text.contains("warning[P203]"))
        }

        @Test(arguments: [
            (["--allow", "P9"], "unknown code `P9`"), (["--deny", "P2O1"], "did you mean `P201`?"), (["--allow", "P201"], "is an error"),
            (["--deny", "P201"], "only warnings can be denied"),
            (["--allow", "P203", "--deny", "P203"], "allowed and denied"),
        ]) func `codes that do not fit are wrong usage`(arguments: [String], words: String) async throws {
            let ran = try await WorkFolder(Self.unused).start(["validate"] + arguments).ran()

            #expect(ran.status == 64 && ran.text == "")
            #expect(ran.errors.contains(words), "\(ran.errors)")
        }

        @Test func `a comment allows a warning where it stands, in every format`() async throws {
            let comment = Self.unused.replacing("  other:", with: "  # pipe-run: allow P203 comes later\n  other:")
            let folder = try WorkFolder(comment)

            #expect(try await folder.run("validate", "--deny-warnings").status == 0)
            #expect(try await folder.run("validate", "--deny-warnings", "--format", "json").text == "[]\n")
        }

        @Test func `a note is no warning: told in every format, and an error only where it is denied`() async throws {
            let text = """
                sources:
                  users: { type: http, url: "http://h/users", limits: { concurrency: 4 } }
                  posts: { type: http, url: "http://h/posts" }
                pipelines:
                  users: { tiers: [users] }
                  posts: { tiers: [posts] }
                """
            let folder = try WorkFolder(text)
            let told = [
                "text": "note[P317]: ", "json": #""severity":"note""#, "sarif": #""level":"note""#, "github": "::notice ",
                "junit": #"<skipped message="note: "#,
            ]

            for (format, words) in told {
                let ran = try await folder.run("validate", "--deny-warnings", "--format", format)
                #expect(ran.status == 0 && ran.text.contains(words), "\(format): \(ran.text)")
            }
            #expect(try await folder.run("validate").errors == "0 errors, 0 warnings, 1 note\n")
            #expect(try await folder.run("validate", "--deny", "P317").status == 1)
            #expect(try await folder.run("validate", "--allow", "P317").text == "pipeline.yaml: no problems\n")
            try folder.write(
                "pipeline.yaml", text.replacing("  posts: { type", with: "  # pipe-run: allow P317 users are many\n  posts: { type"))
            #expect(try await folder.run("validate").text == "pipeline.yaml: no problems\n")
        }

        @Test func `the examples are without a warning, and so is the one of the README`() async throws {
            let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
            let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
            let snippets = readme.matches(of: /```yaml\n((?s).*?)```/).map { String($0.1) }

            #expect(snippets.contains { $0.contains("pipelines:") })
            for text in snippets where text.contains("pipelines:") {
                let ran = try await WorkFolder(text).run("validate", "--deny-warnings", environment: ["API_TOKEN": "t0ken"])
                #expect(ran.status == 0, "\(ran.text)")
            }
            for name in ["pipeline.yaml", "origin.yaml"] {
                let text = try String(contentsOf: root.appending(path: "examples/friends/\(name)"), encoding: .utf8)
                let ran = try await WorkFolder(text).run("validate", "--deny-warnings")
                #expect(ran.status == 0, "\(ran.text)")
            }
        }

        @Test func `takes several files, folders and standard input, and names each`() async throws {
            let folder = try WorkFolder()
            try folder.write("a.yaml", Self.unused)
            try folder.write("conf/b.yml", Self.broken)
            try folder.write("conf/deep/c.yaml", "sources: 1\n")
            try folder.write("conf/.hidden/d.yaml", "nonsense: 1\n")
            try folder.write("conf/readme.md", "no: [yaml\n")

            let ran = try await folder.run("validate", "a.yaml", "conf", "-", input: Array("souces: {}\n".utf8))

            let files = Set(ran.text.matches(of: #/(?m)^([^ :\n]+):\d+:\d+: /#).map { String($0.1) })
            #expect(ran.status == 1)
            #expect(files == ["a.yaml", "conf/b.yml", "conf/deep/c.yaml", "<stdin>"])
        }

        @Test func `a folder below that is called as a file is no file, and a link to a folder is the folder`() async throws {
            let folder = try WorkFolder()
            try folder.write("conf/a.yaml", Self.unused)
            try folder.write("conf/b.yaml/c.txt", "")
            let conf = folder.url.appending(path: "conf").path
            try FileManager.default.createSymbolicLink(atPath: conf + "/loop", withDestinationPath: conf)
            try FileManager.default.createSymbolicLink(atPath: folder.url.path + "/link", withDestinationPath: conf)

            for path in ["conf", "conf/", "link"] {
                let ran = try await folder.run("validate", path)
                #expect(ran.status == 0)
                #expect(ran.text.matches(of: /\.yaml:\d+:\d+: warning/).count == 1, "\(ran.text)")
            }
        }

        @Test func `a file that is missing, or a folder without any, is an error at its place`() async throws {
            let folder = try WorkFolder()
            try folder.write("empty/readme.md", "")

            let missing = try await folder.run("validate", "none.yaml")
            let empty = try await folder.run("validate", "empty")
            let both = try await folder.run("validate", "--format", "json", "none.yaml", "empty")

            #expect(missing.status == 1 && missing.text.contains("none.yaml:1:1: error[P004]: cannot read `none.yaml`: no such file"))
            #expect(empty.status == 1 && empty.text.contains("P004") && empty.text.contains("no .yaml or .yml file below `empty`"))
            #expect(try JSONDecoder().decode([Line].self, from: Data(both.output)).map(\.code) == ["P004", "P004"])
        }

        @Test func `YAML of other programs in a folder is skipped with a note, unless it is named`() async throws {
            let folder = try WorkFolder(threeTiers)
            try folder.write("k8s/service.yaml", "apiVersion: v1\nkind: Service\nresources: [a]\n")
            try folder.write("k8s/chart.yml", "templates: {{ .Values.x }}\n")
            try folder.write("notes.yaml", "# sources and pipelines stand elsewhere\n- a\n")
            try folder.write("empty.pipeline.yaml", "services: {}\n")
            try folder.write("broken.yaml", "sources: [\n")

            let all = try await folder.run("validate", "--level", "graph", ".")
            let foreign = try await folder.run("validate", "k8s")
            let named = try await folder.run("validate", "k8s/service.yaml")
            let fixed = try await folder.run("validate", "--fix", "--format", "json", "k8s", "pipeline.yaml", "--level", "graph")

            #expect(
                all.errors.contains(
                    "note: skipped 3 files without `sources` and `pipelines`: `./k8s/chart.yml`, `./k8s/service.yaml`, `./notes.yaml`\n"))
            #expect(all.status == 1 && all.text.contains("./pipeline.yaml: no problems\n") && !all.text.contains("k8s"), "\(all.text)")
            #expect(all.text.contains("./broken.yaml:") && all.text.contains("./empty.pipeline.yaml:"))
            #expect(foreign.status == 1 && foreign.text.contains("no .yaml or .yml file below `k8s` has `sources` or `pipelines`"))
            #expect(named.status == 1 && named.text.contains("k8s/service.yaml:1:1: error[P102]"))
            #expect(fixed.status == 1 && !fixed.text.contains("service.yaml"), "\(fixed.text)")
        }

        @Test(arguments: [("syntax", 0), ("schema", 0), ("graph", 0), ("env", 1)])
        func `a level includes those before it and no other`(level: String, errors: Int) async throws {
            let folder = try WorkFolder(threeTiers)

            let ran = try await folder.run("validate", "--level", level)

            #expect(ran.status == Int32(errors))
            #expect(ran.text.contains("P401") == (errors > 0))
        }

        @Test(arguments: [("syntax", [String]()), ("schema", ["P106", "P101", "P105"]), ("graph", ["P106", "P101", "P201", "P105"])])
        func `a level limits what is found`(level: String, codes: [String]) async throws {
            let ran = try await WorkFolder(Self.broken).run("validate", "--level", level, "--format", "json")

            #expect(try JSONDecoder().decode([Line].self, from: Data(ran.output)).map(\.code) == codes)
        }

        @Test(arguments: [["--level", "all"], ["--format", "xml"], ["--frmat", "json"]])
        func `wrong usage ends with 64`(arguments: [String]) async throws {
            let ran = try await WorkFolder(flatTiers).start(["validate"] + arguments).ran()

            #expect(ran.status == 64 && ran.text == "")
        }

        @Test func `leaves no trace on disk or network`() async throws {
            try await OddServer.run(.value("[1]")) { origin in
                let folder = try WorkFolder(threeTiers)
                try folder.write("broken.yaml", Self.broken)
                let before = try folder.contents()

                for arguments in [
                    ["validate"], ["validate", "broken.yaml"], ["graph"], ["graph", "--format", "mermaid"], ["sources", "file"],
                ] {
                    _ = try await folder.start(arguments, environment: ["ORIGIN": origin.url]).ran()
                }

                #expect(try folder.contents() == before)
                #expect(origin.count == 0)
            }
        }
    }
}
