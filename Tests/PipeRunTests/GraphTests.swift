import Foundation
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

extension CommandLineTests {
    @Suite struct GraphTests {
        @Test func `draws all pipelines, or one, or one in another order`() async throws {
            let folder = try WorkFolder(flatTiers)

            let all = try await folder.run("graph")
            let one = try await folder.run("graph", "friends")
            let turned = try await folder.run("graph", "friends", "--order", "flat,disk")

            #expect(all.status == 0 && all.text.contains("friends(user)") && all.text.contains("people(user = 1)"))
            // Warnings that a drawing marks have lines of their own.
            #expect(
                one.lines.filter { !$0.contains("! warning") }.joined(separator: "\n") == """
                    friends(user)  json
                      1. memory       ttl 30s
                      ↓
                      2. disk (file)  ttl 10m
                      │    its answer is written to memory
                      ↓
                      3. flat (file)
                           its answer is written to memory, disk
                    """)
            #expect(turned.text.contains("1. flat (file)\n  │    its answer is written to disk"))
        }

        static let formats = ["text", "mermaid", "dot", "svg", "json"]

        @Test(arguments: formats) func `works with unset variables`(_ format: String) async throws {
            let ran = try await WorkFolder(threeTiers).run("graph", "--format", format)

            #expect(ran.status == 0 && ran.errors == "")
            #expect(ran.text.contains("api"))
        }

        @Test(arguments: formats) func `marks warnings where they belong`(_ format: String) async throws {
            let folder = try WorkFolder(
                "sources: { m: { type: memory }, n: { type: memory } }\npipelines: { p: { parameters: [unused], tiers: [m] } }")

            let ran = try await folder.run("graph", "--format", format)

            #expect(ran.status == 0)
            #expect(ran.text.contains("P203") && ran.text.contains("P207"), "\(ran.text)")
        }

        @Test func `marks what is missing only on request`() async throws {
            let folder = try WorkFolder(threeTiers)

            let plain = try await folder.run("graph")
            let strict = try await folder.run("graph", "--level", "env")

            #expect(!plain.text.contains("P401"))
            #expect(strict.status == 0 && strict.text.contains("     ! error P401: environment variable `ORIGIN` is not set (line 4)"))
        }

        @Test(arguments: formats) func `a file with errors ends with 2 and is not drawn`(_ format: String) async throws {
            let ran = try await WorkFolder("sources: { m: { type: memory } }\npipelines: { p: { tiers: [n] } }").run(
                "graph", "--format", format)

            #expect(ran.status == 2 && ran.text == "" && ran.errors.contains("P201"))
        }

        @Test(arguments: [
            (["frends"], "did you mean `friends`?"), (["friends", "--order", "dsk"], "did you mean `disk`?"),
            (["--order", "disk"], "name of a pipeline"), (["friends", "--order", "disk,,flat"], "empty name"),
            (["friends", "--order", ""], "names no source"), (["--format", "png"], "text"),
            (["friends", "--order", "disk", "--diff", "pipeline.yaml"], "cannot be combined"),
            (["--diff", "pipeline.yaml", "--level", "env"], "--diff marks no problems"),
            (["frends", "--diff", "pipeline.yaml"], "did you mean `friends`?"),
        ])
        func `wrong usage ends with 64`(arguments: [String], words: String) async throws {
            let ran = try await WorkFolder(flatTiers).start(["graph"] + arguments).ran()

            #expect(ran.status == 64 && ran.text == "")
            #expect(ran.errors.contains(words), "\(ran.errors)")
        }

        static let hostile = #"""
            sources:
              'a"b': { type: file, path: flat, read_only: true }
              "c]d|e": { type: file, path: flat2, read_only: true }
              "<script>": { type: file, path: flat3, read_only: true }
              "end": { type: file, path: "flat4/{key}" }
              "</svg>&amp;\\--": { type: file, path: "flat5/{key}" }
              "朋友\u0007\u202E": { type: memory }
            pipelines:
              'p"; click x "javascript:alert(1)"':
                description: "one\nsubgraph two --> %%{init}%% \\ <b>'&quot;</b>"
                tiers: [end, "</svg>&amp;\\--", "朋友\u0007\u202E", 'a"b', "c]d|e", "<script>"]
            """#

        @Test func `hostile names stay text in Mermaid`() async throws {
            let folder = try WorkFolder(Self.hostile)
            let validated = try await folder.run("validate", "--level", "syntax")
            let ran = try await folder.run("graph", "--format", "mermaid")
            #expect(ran.status == 0)
            #expect(validated.status == 0)
            let lines = ran.text.split(separator: "\n").map(String.init)
            #expect(lines.first == "flowchart TD")
            for line in lines.dropFirst() {
                let isWellFormed =
                    line.wholeMatch(of: #/    subgraph p0\["([^"<>%{}\\]|<br/>)*"\]/#) != nil || line == "    end"
                    || line.wholeMatch(of: #/        p0t\d+\[\(?"([^"<>%{}\\]|<br/>)*"\)?\]/#) != nil
                    || line.wholeMatch(of: #/    p0t\d+ (-->\|no answer\||-\.->\|"[^"]*"\|) p0t\d+/#) != nil
                    || line.wholeMatch(of: #/    (classDef|class) [a-z0-9,]+ [a-z0-9:#, -]+/#) != nil
                #expect(isWellFormed, "\(line)")
            }
        }

        @Test func `hostile names stay on their line in text`() async throws {
            let ran = try await WorkFolder(Self.hostile).run("graph")

            #expect(ran.status == 0)
            #expect(!ran.text.split(separator: "\n").contains { $0.hasPrefix("subgraph") })
            #expect(!ran.text.unicodeScalars.contains("\u{7}") && !ran.text.unicodeScalars.contains("\u{202E}"))
        }

        @Test func `hostile names stay text in an SVG`() async throws {
            let ran = try await WorkFolder(Self.hostile).run("graph", "--format", "svg")

            let elements = try XMLElements.names(in: ran.output)

            #expect(elements.isSubset(of: ["svg", "title", "desc", "style", "rect", "g", "text", "path", "circle"]), "\(elements)")
            #expect(!ran.text.contains("<script") && ran.text.contains("&lt;script&gt;"))
            #expect(ran.text.hasPrefix("<svg ") && ran.text.hasSuffix("</svg>\n") && ran.text.components(separatedBy: "</svg>").count == 2)
        }

        @Test func `an SVG says what it is, fits any width, and knows light and dark`() async throws {
            let ran = try await WorkFolder(flatTiers).run("graph", "--format", "svg")

            let head = try #require(ran.text.split(separator: ">").first)
            #expect(
                head.contains("role=\"img\"") && head.contains("viewBox=\"0 0 ") && head.contains("width=\"100%\"")
                    && !head.contains("height=\""))
            let ids = try #require(head.firstMatch(of: /aria-labelledby="(\S+) (\S+)"/))
            #expect(ran.text.contains("<title id=\"\(ids.1)\">2 pipelines: friends, people</title>"))
            #expect(ran.text.contains("<desc id=\"\(ids.2)\">friends asks memory, then disk (file), then flat (file)."))
            #expect(ran.text.contains("@media (prefers-color-scheme:dark)") && ran.text.contains("var(--text)"))
            // A viewer without custom properties has colours, too.
            #expect(
                ran.text.matches(of: /<(text|rect|circle) [^>]*class="f-/).count
                    == ran.text.matches(of: /fill="#[0-9a-f]{6}" class="f-/).count)
            #expect(ran.text.contains("<title>2. disk (file); cache") || ran.text.contains("<title>2. disk (file), cache; ttl 10m"))
            #expect(ran.text.contains("flat → memory: write-back, ttl 30s"))
        }

        @Test(.enabled(if: Graphviz.url != nil, "needs Graphviz"), arguments: [hostile, flatTiers, threeTiers])
        func `Graphviz accepts the DOT`(_ config: String) async throws {
            let folder = try WorkFolder(config)
            let ran = try await folder.run("graph", "--format", "dot")
            try folder.write("graph.dot", ran.output)

            let (status, errors) = try await Graphviz.draw("graph.dot", in: folder)

            #expect(status == 0 && errors == "", "\(errors)")
            let text = try #require(folder.read("graph.svg"))
            #expect(try XMLElements.names(in: Array(text.utf8)).contains("svg"))
            if config == Self.hostile { #expect(text.contains("&lt;/svg&gt;&amp;amp;\\")) }
        }

        @Test func `JSON has the keys that are documented`() async throws {
            let folder = try WorkFolder(flatTiers)

            let ran = try await folder.run("graph", "friends", "--format", "json")

            let object = try #require(try JSONSerialization.jsonObject(with: Data(ran.output)) as? [String: Any])
            #expect(Set(object.keys) == ["pipelines", "problems"])
            let pipeline = try #require((object["pipelines"] as? [[String: Any]])?.first)
            #expect(Set(pipeline.keys) == ["name", "description", "parameters", "policies", "tiers", "edges", "problems"])
            let tiers = try #require(pipeline["tiers"] as? [[String: Any]])
            #expect(tiers.map { $0["source"] as? String } == ["memory", "disk", "flat"])
            #expect(tiers.map { $0["kind"] as? String } == ["cache", "cache", "origin"])
            #expect(Set(tiers[0].keys) == ["source", "type", "kind", "policies", "problems"])
            let edges = try #require(pipeline["edges"] as? [[String: Any]])
            #expect(
                edges.map { "\($0["kind"] ?? "") \($0["from"] ?? "") \($0["to"] ?? "") \($0["ttl"] ?? "")" } == [
                    "fallback memory disk ", "fallback disk flat ", "write_back disk memory 30s", "write_back flat memory 30s",
                    "write_back flat disk 10m",
                ])
        }
    }

    @Suite struct GraphDiffCommandTests {
        private func folder() throws -> WorkFolder {
            let folder = try WorkFolder(flatTiers)
            try folder.write(
                "new.yaml", flatTiers.replacing("ttl: 10m }\n      - flat", with: "ttl: 1h }").replacing("people", with: "persons"))
            return folder
        }

        @Test func `shows what a change does`() async throws {
            let ran = try await folder().run("graph", "--diff", "new.yaml")

            #expect(ran.status == 0)
            #expect(
                ran.text == """
                    --- pipeline.yaml
                    +++ new.yaml

                    ~ friends(user)
                        1. memory
                        2. disk (file)
                    ~        ttl 10m → 1h
                    -   flat (file)
                    -   write-back flat → memory, ttl 30s
                    -   write-back flat → disk, ttl 10m

                    + persons(user = 1)
                    +   1. other (file)

                    - people(user = 1)
                    -   1. other (file)

                    """)
        }

        @Test(arguments: [["friends"], ["people"], ["persons"]]) func `one pipeline, of either file`(_ name: [String]) async throws {
            let ran = try await folder().start(["graph"] + name + ["--diff", "new.yaml", "--format", "json"]).ran()

            let object = try #require(try JSONSerialization.jsonObject(with: Data(ran.output)) as? [String: Any])
            #expect(ran.status == 0 && (object["pipelines"] as? [[String: Any]])?.map { $0["name"] as? String } == name)
        }

        @Test(arguments: GraphTests.formats) func `every format shows it`(_ format: String) async throws {
            let ran = try await folder().run("graph", "--diff", "new.yaml", "--format", format)

            #expect(
                ran.status == 0 && ran.text.contains("persons") && ran.text.contains("people") && ran.text.contains("10m → 1h")
                    || format == "json")
        }

        @Test func `no changes end with 0, too`() async throws {
            let ran = try await WorkFolder(flatTiers).run("graph", "--diff", "pipeline.yaml")

            #expect(ran.status == 0 && ran.text == "no changes between pipeline.yaml and pipeline.yaml\n")
        }

        @Test func `either file with errors ends with 2`() async throws {
            let folder = try WorkFolder(flatTiers)
            try folder.write("bad.yaml", "sources: 1")

            let missing = try await folder.run("graph", "--diff", "nowhere.yaml")
            let bad = try await folder.run("graph", "--diff", "bad.yaml")
            let reverse = try await folder.run("graph", "-c", "bad.yaml", "--diff", "pipeline.yaml")

            #expect([missing, bad, reverse].allSatisfy { $0.status == 2 && $0.text == "" })
            #expect(missing.errors.contains("P004") && bad.errors.contains("bad.yaml:1") && reverse.errors.contains("bad.yaml:1"))
        }

        @Test func `fields of a source count, and its secrets stay masked`() async throws {
            let folder = try WorkFolder(threeTiers)
            let other = threeTiers.replacing("/friends\"", with: "/people\", timeout: 2s, headers: { X: \"${TOKEN}\" }")
            try folder.write("new.yaml", other.replacing("type: memory", with: "type: memory, max_entries: 5"))

            let ran = try await folder.run("graph", "--diff", "new.yaml", environment: ["ORIGIN": "http://h", "TOKEN": "t0ps3cr3t"])
            let unset = try await folder.run("graph", "--diff", "new.yaml")

            #expect(
                ran.lines.dropFirst(2) == [
                    "~ friends", "    1. memory", "~        max_entries of the source 10000 → 5", "    2. disk (file)", "    3. api (http)",
                    "~        url of the source http://h/friends → http://h/people", "+        timeout of the source 2s",
                    "+        headers.X of the source ${TOKEN}",
                ], "\(ran.text)")
            #expect(unset.status == 0 && unset.text.contains("url of the source ${ORIGIN}/friends → ${ORIGIN}/people"))
        }

        private static let compared = """
            sources:
              disk: { type: file, path: "x/{key}" }
              api:
                type: http
                url: http://user:pa55word@h/friends
                headers: { Authorization: "Bearer ${TOKEN}", X-Page: "{page}" }
                query: { limit: "10", since: "${SINCE:-today}" }
                body: '{ "user": "me", "text": "\(String(repeating: "long ", count: 30))" }'
              shipped: { type: inline, value: { a: [1, { b: 2 }], c: [] } }
            pipelines:
              friends:
                parameters: { page: { default: "1" } }
                tiers:
                  - { source: disk, ttl: 1m }
                  - { source: api, retry: { attempts: 2 } }
                  - shipped
            """

        @Test(arguments: [
            ("limit: \"10\"", "limit: \"20\"", "~        query.limit of the source 10 → 20"),
            ("${SINCE:-today}", "${AFTER:-today}", "~        query.since of the source today from ${SINCE} → from ${AFTER}"),
            ("${SINCE:-today}", "today", "~        query.since of the source today from ${SINCE} → as written"),
            ("${TOKEN}", "${OTHER}", "~        headers.Authorization of the source Bearer ${TOKEN} → Bearer ${OTHER}"),
            ("Bearer ${TOKEN}", "Basic ${TOKEN}", "~        headers.Authorization of the source Bearer ${TOKEN} → Basic ${TOKEN}"),
            ("pa55word", "pa66word", "~        url of the source changed (masked)"),
            ("h/friends", "h/people", "~        url of the source http://***@h/friends → http://***@h/people"),
            ("\"me\"", "\"you\"", "~        body of the source "), ("long \" }", "long!\" }", "~        body of the source …"),
            ("b: 2", "b: 3", "~        value.a of the source [1, {b: 2}] → [1, {b: 3}]"),
            ("c: []", "c: [7]", "~        value.c of the source [] → [7]"),
            ("attempts: 2", "attempts: 3", "~        retry 2×, 1s → 3×, 1s to 2s"),
            ("attempts: 2", "attempts: 2, max: 10s", "~        retry.max 30s → 10s"),
        ])
        func `every field counts, and what is a secret is masked`(was: String, becomes: String, line: String) async throws {
            let folder = try WorkFolder(Self.compared)
            #expect(Self.compared.contains(was))
            try folder.write("new.yaml", Self.compared.replacing(was, with: becomes))

            let ran = try await folder.run(
                "graph", "--diff", "new.yaml", environment: ["TOKEN": "t0ps3cr3t-one", "OTHER": "t0ps3cr3t-two"])

            let changes = ran.lines.filter { $0.hasPrefix("~    ") || $0.hasPrefix("+  ") || $0.hasPrefix("-  ") }
            #expect(ran.status == 0 && changes.count == 1, "\(ran.everything)")
            #expect(line.hasSuffix(" ") || line.hasSuffix("…") ? changes[0].hasPrefix(line) : changes[0] == line, "\(ran.text)")
            let sides = changes[0].components(separatedBy: " → ")
            #expect(sides.count == 1 || !sides[0].hasSuffix(sides[1]), "\(ran.text)")
            #expect(!ran.everything.contains("t0ps3cr3t") && !ran.everything.contains("pa55") && !ran.everything.contains("pa66"))
        }

        @Test func `colours only on a terminal`() async throws {
            let plain = try await folder().run("graph", "--diff", "new.yaml")
            let seen = try await folder().start(["graph", "--diff", "new.yaml"], output: .terminal).ran()

            #expect(!plain.text.contains("\u{1B}") && seen.errors.contains("\u{1B}[31m-   flat (file)"))
        }
    }
}

/// The names of the elements of a well-formed XML text.
private final class XMLElements: NSObject, XMLParserDelegate {
    private var names: Set<String> = []

    static func names(in bytes: [UInt8]) throws -> Set<String> {
        let parser = XMLParser(data: Data(bytes))
        let elements = XMLElements()
        parser.delegate = elements
        guard parser.parse() else { throw parser.parserError ?? CocoaError(.fileReadCorruptFile) }
        return elements.names
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?, attributes: [String: String] = [:]
    ) {
        names.insert(name)
    }
}

/// The program `dot`, where it is installed.
private enum Graphviz {
    static let url: URL? = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { URL(filePath: String($0)).appending(path: "dot") }.first { FileManager.default.isExecutableFile(atPath: $0.path) }

    static func draw(_ file: String, in folder: WorkFolder) async throws -> (status: Int32, errors: String) {
        try await blocking {
            let process = Process()
            process.executableURL = url
            process.arguments = ["-Tsvg", file, "-o", "graph.svg"]
            process.currentDirectoryURL = folder.url
            let errors = Pipe()
            process.standardError = errors
            try process.run()
            let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            return (process.terminationStatus, text)
        }
    }
}
