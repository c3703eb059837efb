package import Foundation

/// A page of the documentation, with its blocks of code.
package struct Document: Sendable, CustomStringConvertible {
    /// A fenced block.
    package struct Block: Sendable, CustomStringConvertible {
        /// The word behind the fence: `yaml`, `console`; empty without one.
        package let language: String
        package let text: String
        package let place: String

        package var description: String { "\(place):\n\(text)" }
        package var lines: [String] { text.components(separatedBy: "\n") }

        /// The name that the first line gives it as a file: `# pipeline.yaml`.
        package var name: String? { text.firstMatch(of: /^# ([A-Za-z0-9_.-]+\.ya?ml)\n/).map { String($0.1) } }

        /// Whether it is a configuration: `sources:` or `pipelines:` stand at its left edge, and it is no model of a simulation.
        package var isConfiguration: Bool {
            language == "yaml" && name?.hasSuffix(".sim.yaml") != true && text.contains(/(?m)^(sources|pipelines):/)
        }
    }

    package static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

    /// The pages for readers, without those of the diagnostics, which have tests of their own.
    package static let manual: [Document] = {
        let pages = [
            "README.md", "CONTRIBUTING.md", "Benchmarks/README.md", "examples/friends/README.md", "examples/redis/README.md",
            "examples/live/README.md",
        ]
        return
            (pages + files(below: "docs", ending: ".md").filter { !$0.hasPrefix("docs/diagnostics/") }
            + files(below: "Sources", ending: ".md")).compactMap(Document.init)
    }()

    /// The path from the root of the repository.
    package let path: String
    package let text: String
    package let blocks: [Block]

    package var description: String { path }

    /// Reads a page; nil when there is none.
    package init?(_ path: String) {
        guard let text = try? String(contentsOf: Self.root.appending(path: path), encoding: .utf8) else { return nil }
        self.path = path
        self.text = text
        var blocks: [Block] = []
        var open: (fence: String, language: String, line: Int, lines: [String])?
        for (number, line) in text.components(separatedBy: "\n").enumerated() {
            let trimmed = line.drop { $0 == " " }
            if let block = open {
                if trimmed == block.fence {
                    blocks.append(
                        Block(language: block.language, text: block.lines.joined(separator: "\n"), place: "\(path):\(block.line)"))
                    open = nil
                } else {
                    open?.lines.append(line)
                }
            } else if trimmed.hasPrefix("```") {
                open = (String(trimmed.prefix { $0 == "`" }), String(trimmed.drop { $0 == "`" }), number + 1, [])
            }
        }
        self.blocks = blocks
    }

    /// The code between backticks in the text around the blocks.
    package var inlineCode: [String] {
        text.replacing(/(?ms)^ *```.*?^ *```$/, with: "").matches(of: /`([^`\n]+)`/).map { String($0.1) }
    }

    /// The files below a folder of the repository, as paths from its root.
    package static func files(below folder: String, ending: String) -> [String] {
        let found = FileManager.default.enumerator(atPath: root.appending(path: folder).path)?.compactMap { $0 as? String } ?? []
        return found.filter { $0.hasSuffix(ending) && !$0.contains(".build") }.sorted().map { "\(folder)/\($0)" }
    }
}
