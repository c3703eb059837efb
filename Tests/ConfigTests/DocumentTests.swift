import Foundation
import Pipeline
import PipelineConfig
import PipelineYAML
import TestSupport
import Testing

/// What people copy out of the documents is right: files have no problems, JSON is JSON, Swift is compiled, links lead somewhere.
@Suite struct DocumentTests {
    private static let plugins = Reading.allPlugins

    private static func problems(_ yaml: String, level: ValidationLevel = .syntax) -> [String] {
        ConfigFile(text: Array(yaml.utf8), name: "snippet").report(plugins: plugins, level: level).diagnostics.map {
            "\($0.code.rawValue) \($0.message)"
        }
    }

    @Test func `all pages are found, and have blocks`() {
        #expect(Document.manual.count >= 24)
        for language in ["yaml", "console", "sh", "swift", "json"] {
            #expect(Document.manual.contains { $0.blocks.contains { $0.language == language } }, "\(language)")
        }
    }

    @Test(arguments: Document.manual) func `every configuration has no problems, other YAML is well-formed`(page: Document) {
        for block in page.blocks where block.language == "yaml" {
            guard block.isConfiguration else {
                #expect(Self.problems(block.text) == [], "\(block)")
                continue
            }
            let problems = Self.problems(Self.completed(block.text), level: .graph)
            // A pipeline for each source is one without an origin, where the source is a cache.
            let expected = block.text.contains(/(?m)^pipelines:/) ? problems : problems.filter { !$0.hasPrefix("P304") }
            #expect(expected.isEmpty == (block.name != "broken.yaml"), "\(block)\n\(problems)")
        }
    }

    /// A file of sources alone with a pipeline for each of them, with its parameters; that of a change source is fed by it.
    private static func completed(_ text: String) -> String {
        guard !text.contains(/(?m)^pipelines:/) else { return text }
        let section = text.split(separator: /(?m)^sources:.*\n/).last ?? ""
        var parameters: [String: Set<String>] = [:]
        var (names, feeding): ([String], Set<String>) = ([], [])
        for line in section.split(separator: "\n") {
            if let name = line.firstMatch(of: /^  ([a-z_]+):/) { names.append(String(name.1)) }
            guard let name = names.last else { continue }
            if line.contains(/type: (websocket|sse|poll|watch)\b/) { feeding.insert(name) }
            parameters[name, default: []].formUnion(line.matches(of: /(?:^|[^$])\{([a-z_]+)\}/).map { String($0.1) })
        }
        let pipelines = names.map { name in
            let given = (parameters[name] ?? []).subtracting(["key", "pipeline"]).sorted()
            let use = feeding.contains(name) ? "tiers: [own_origin], live: [\(name)]" : "tiers: [{ source: \(name) }]"
            return "  \(name)_alone: { parameters: [\(given.joined(separator: ", "))], \(use) }"
        }
        let origin = feeding.isEmpty ? "" : "  own_origin: { type: inline, value: 1 }\n"
        return "\(text)\n\(origin)pipelines:\n\(pipelines.joined(separator: "\n").replacing(" parameters: [],", with: ""))\n"
    }

    @Test(arguments: Document.manual) func `every piece of JSON is JSON`(page: Document) throws {
        for block in page.blocks where block.language == "json" {
            #expect(throws: Never.self, "\(block)") { try JSONSerialization.jsonObject(with: Data(block.text.utf8)) }
        }
    }

    @Test(arguments: Document.manual) func `every link leads to a page and a heading that are there`(page: Document) throws {
        for link in page.text.matches(of: /\]\(([^)\s]+)\)/).map({ String($0.1) }) where !link.contains("://") {
            let parts = link.split(separator: "#", omittingEmptySubsequences: false).map(String.init)
            let folder = URL(filePath: page.path, relativeTo: Document.root).deletingLastPathComponent()
            let target = parts[0].isEmpty ? Document.root.appending(path: page.path) : folder.appending(path: parts[0])
            #expect(FileManager.default.fileExists(atPath: target.path), "\(page.path): \(link)")
            guard parts.count > 1 else { continue }
            let text = try String(contentsOf: target, encoding: .utf8)
            #expect(Self.anchors(of: text).contains(parts[1]), "\(page.path): \(link)")
        }
    }

    /// The names of headings, as they are made for links.
    private static func anchors(of text: String) -> Set<String> {
        Set(
            text.matches(of: /(?m)^#+ (.*)$/).map {
                $0.1.lowercased().filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }.replacing(" ", with: "-")
            })
    }

    /// Swift that the tests compile: that of the pages, and the example.
    private static let compiled: [[String]] = {
        let paths =
            Document.files(below: "Tests/Snippets", ending: ".swift")
            + Document.files(below: "examples/custom-source", ending: ".swift")
        return paths.compactMap { try? String(contentsOf: Document.root.appending(path: $0), encoding: .utf8) }.map(Self.statements)
    }()

    /// The lines that are not empty, without their indentation.
    private static func statements(_ text: String) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    @Test(arguments: Document.manual) func `every piece of Swift is part of a file that is compiled`(page: Document) {
        for block in page.blocks where block.language == "swift" {
            let lines = Self.statements(block.text)
            let imports = lines.filter { $0.hasPrefix("import ") }
            let code = lines.filter { !$0.hasPrefix("import ") }
            let isCompiled = Self.compiled.contains { file in
                imports.allSatisfy(file.contains) && file.firstRange(of: code) != nil
            }
            #expect(isCompiled, "add it to Tests/Snippets: \(block)")
        }
    }

    @Test(arguments: Document.manual) func `every target of make and every script that is named exists`(page: Document) throws {
        let makefile = try String(contentsOf: Document.root.appending(path: "Makefile"), encoding: .utf8)
        let commands = page.inlineCode + page.blocks.filter { $0.language == "sh" }.flatMap(\.lines)
        for command in commands {
            if let target = command.firstMatch(of: /^make ([a-z-]+)/) {
                #expect(makefile.contains("\n\(target.1):"), "\(page.path): \(command)")
            }
            if let script = command.firstMatch(of: /(^| )(scripts\/[a-z-]+)/) {
                #expect(
                    FileManager.default.fileExists(atPath: Document.root.appending(path: String(script.2)).path), "\(page.path): \(command)"
                )
            }
        }
    }

    @Test func `the hooks for pre-commit are well-formed and name the command`() throws {
        let hooks = try String(contentsOf: Document.root.appending(path: ".pre-commit-hooks.yaml"), encoding: .utf8)

        #expect(Self.problems(hooks) == [])
        #expect(hooks.contains("entry: pipe-run validate\n"))
        let pattern = try #require(hooks.firstMatch(of: /files: '(.+)'/)?.1)
        let files = try Regex(String(pattern))
        for name in ["pipeline.yaml", "a/b.pipeline.yml", "pipeline.test.yaml", "x/pipeline.sim.yaml", "y.pipeline.sim.yml"] {
            #expect(name.contains(files), "\(name)")
        }
        for name in ["xpipeline.yaml", "pipeline.other.yaml", "pipeline.yaml.bak"] { #expect(!name.contains(files), "\(name)") }
    }
}
