import Foundation
import PipelineConfig
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

extension CommandLineTests {
    /// What `validate` prints in each format. `Golden/files` is what it reads; `UPDATE_GOLDEN=1` rewrites `Golden/expected`.
    @Suite struct FormatTests {
        /// One run, in every format.
        struct Scene: Sendable, CustomTestStringConvertible {
            let name: String
            let arguments: [String]
            var input = ""

            var testDescription: String { name }
        }

        static let formats = ["text", "json", "sarif", "github", "junit"]

        static let scenes = [
            Scene(name: "sound", arguments: ["sound.yaml"]),
            Scene(name: "wide", arguments: ["wide.yaml"]),
            Scene(name: "denied", arguments: ["--deny-warnings", "./conf/100% sure, 数 & <b>.yaml"]),
            Scene(name: "missing", arguments: ["none.yaml", "syntax.yaml"]),
            Scene(
                name: "many", arguments: ["sound.yaml", "conf", "-"], input: "souces: { a\u{7}b: {} }\npipelines: { p: { tiers: [x] } }\n"),
        ]

        private static let golden = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")

        private static func run(_ scene: Scene, _ format: String) async throws -> Ran {
            let folder = try WorkFolder()
            try FileManager.default.removeItem(at: folder.url)
            try FileManager.default.copyItem(at: golden.appending(path: "files"), to: folder.url)
            return try await folder.start(
                ["validate", "--format", format] + scene.arguments, environment: ["TTL": "secret-soon"], input: Array(scene.input.utf8)
            ).ran()
        }

        @Test(arguments: scenes, formats) func `a run prints what its golden file says`(scene: Scene, format: String) async throws {
            let output = Self.golden.appending(path: "expected/\(scene.name).\(format)")

            let ran = try await Self.run(scene, format)

            if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" { try Data(ran.output).write(to: output) }
            #expect(try ran.text == String(contentsOf: output, encoding: .utf8))
            #expect(ran.status == (scene.name == "sound" ? 0 : 1))
            #expect(ran.output.isEmpty ? format == "github" && scene.name == "sound" : ran.text.hasSuffix("\n"))
            #expect(!ran.everything.contains("hunter2") && !ran.everything.contains("secret-soon"))
        }

        private static func shape() throws -> JSONShape {
            let file = golden.deletingLastPathComponent().appending(path: "Schemas/sarif-2.1.0.json")
            return JSONShape(schema: try JSONValue(Array(Data(contentsOf: file))))
        }

        @Test(arguments: scenes) func `SARIF keeps to its schema`(scene: Scene) async throws {
            let log = try JSONValue(try await Self.run(scene, "sarif").output)

            #expect(try Self.shape().problems(of: log) == [])
            let run = try #require(log["runs"]?[0])
            let rules = run["tool"]?["driver"]?["rules"]?.elements ?? []
            for result in run["results"]?.elements ?? [] {
                #expect(rules[result["ruleIndex"]?.number ?? -1]["id"] == result["ruleId"])
                let region = result["locations"]?[0]?["physicalLocation"]?["region"]
                let ends = ["startLine", "startColumn", "endLine", "endColumn"].map { region?[$0]?.number ?? 0 }
                #expect((ends[0], ends[1]) <= (ends[2], ends[3]))
                let related = result["relatedLocations"]?.elements ?? []
                #expect(related.map { $0["id"]?.number } == Array(1..<(related.count + 1)))
                #expect(result["message"]?["text"]?.text?.contains("](") == false)
            }
            let fingerprints = run["results"]?.elements.map { $0["partialFingerprints"] } ?? []
            #expect(Set(fingerprints).count == fingerprints.count)
        }

        @Test(arguments: [
            (["version"], JSONValue.string("2.0.0")), (["runs"], .array([])), (["runs", "0", "tool"], nil),
            (["runs", "0", "results", "0", "level"], .string("fatal")), (["runs", "0", "results", "0", "mesage"], .null),
            (["runs", "0", "results", "0", "ruleIndex"], .number(-1)), (["runs", "0", "columnKind"], .number(1)),
            (["runs", "0", "results", "0", "message", "text"], .string("a {0} b")),
            (["runs", "0", "results", "0", "locations", "0", "physicalLocation", "artifactLocation", "uri"], .string("a b.yaml")),
            (["runs", "0", "results", "0", "locations", "0", "physicalLocation", "region", "startLine"], .number(0)),
        ]) func `the check of SARIF finds what is wrong`(path: [String], value: JSONValue?) async throws {
            let log = try JSONValue(try await Self.run(Self.scenes[1], "sarif").output)

            #expect(try Self.shape().problems(of: log.replacing(path[...], with: value)).count == 1)
        }

        @Test func `a fingerprint stays when lines are put in above, and tells the results apart`() async throws {
            func fingerprints(_ text: String) async throws -> [JSONValue?] {
                let log = try JSONValue(try await WorkFolder(text).run("validate", "--format", "sarif").output)
                return log["runs"]?[0]?["results"]?.elements.map { $0["partialFingerprints"]?["primaryLocationLineHash"] } ?? []
            }
            let twice = ValidateTests.broken + "\n  people:\n    tiers: [ dsk, { source: api, timeout: soon } ]\n"

            let before = try await fingerprints(twice)
            let after = try await fingerprints("# one\n\n# two\n" + twice)
            let changed = try await fingerprints(twice.replacing("timout: 2s", with: "timout: 3s"))

            #expect(before.count == 6 && Set(before).count == 6)
            #expect(after == before)
            #expect(zip(changed, before).map { $0 == $1 } == [true, false, true, true, true, true])
        }

        @Test(arguments: scenes) func `a workflow gets back what was escaped`(scene: Scene) async throws {
            let commands = try await Self.run(scene, "github").lines.map {
                try #require($0.wholeMatch(of: /::(error|warning) (.*?)::(.*)/))
            }
            let log = try JSONValue(try await Self.run(scene, "json").output)

            #expect(commands.count == log.elements.count)
            for (command, diagnostic) in zip(commands, log.elements) {
                let pairs = command.2.split(separator: ",").map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
                let properties = Dictionary(uniqueKeysWithValues: pairs.map { ($0[0], Self.unescaped($0[1])) })
                let file = diagnostic["file"]?.text ?? ""
                #expect(command.1 == diagnostic["severity"]?.text ?? "")
                #expect(properties["file"] == (file.hasPrefix("./") ? String(file.dropFirst(2)) : file))
                for (name, key) in [("line", "line"), ("col", "column"), ("endColumn", "end_column")] {
                    #expect(properties[name] == diagnostic[key]?.number.map(String.init))
                }
                // Only where it is another line.
                let (line, end) = (diagnostic["line"]?.number, diagnostic["end_line"]?.number)
                #expect(properties["endLine"] == (line == end ? nil : end.map(String.init)))
                #expect(properties["title"]?.hasPrefix(diagnostic["code"]?.text ?? "-") == true)
                let lines = Self.unescaped(String(command.3)).split(separator: "\n").map(String.init)
                #expect(lines.first == diagnostic["message"]?.text?.replacing("\u{7}", with: "\u{FFFD}"))
                if let help = diagnostic["help"]?.text { #expect(lines.dropFirst().first == "help: " + help) }
            }
        }

        /// As the runner of the workflows does it.
        private static func unescaped(_ text: String) -> String {
            [("%3A", ":"), ("%2C", ","), ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")].reduce(text) { $0.replacing($1.0, with: $1.1) }
        }

        @Test(arguments: scenes) func `JUnit is XML whose counts are right`(scene: Scene) async throws {
            let ran = try await Self.run(scene, "junit")
            let log = try JSONValue(try await Self.run(scene, "json").output)

            let report = JUnitReader()
            let parser = XMLParser(data: Data(ran.output))
            parser.delegate = report
            let isWellFormed = parser.parse()

            #expect(isWellFormed, "\(String(describing: parser.parserError))")
            #expect(report.messages.count == log.elements.count)
            for (message, diagnostic) in zip(report.messages, log.elements) {
                let text = diagnostic["message"]?.text?.replacing("\u{7}", with: "\u{FFFD}") ?? "-"
                #expect(message == text || message == "warning: " + text)
            }
            #expect(report.wrongCounts == [])
            #expect(Set(report.cases).count == report.cases.count)
        }
    }
}

/// Reads a JUnit report, and counts again.
private final class JUnitReader: NSObject, XMLParserDelegate {
    private(set) var messages: [String] = []
    private(set) var cases: [String] = []
    private(set) var wrongCounts: [String] = []
    private var open: [(name: String, declared: [String: String], counts: [String: Int])] = []

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String] = [:]
    ) {
        switch name {
        case "testsuites", "testsuite": open.append((name, attributes, [:]))
        case "testcase":
            cases.append("\(attributes["classname"] ?? "") \(attributes["name"] ?? "")")
            count("tests")
        case "failure": found(attributes, "failures")
        case "skipped": found(attributes, "skipped")
        default: wrongCounts.append("unknown element \(name)")
        }
    }

    private func found(_ attributes: [String: String], _ kind: String) {
        messages.append(attributes["message"] ?? "")
        count(kind)
    }

    private func count(_ kind: String) {
        for index in open.indices { open[index].counts[kind, default: 0] += 1 }
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        guard ["testsuites", "testsuite"].contains(name), let suite = open.popLast() else { return }
        for kind in ["tests", "failures", "skipped"] where suite.declared[kind] != "\(suite.counts[kind] ?? 0)" {
            wrongCounts.append(
                "\(suite.declared["name"] ?? ""): \(kind) \(suite.declared[kind] ?? "-"), counted \(suite.counts[kind] ?? 0)")
        }
    }
}
