import Foundation

/// `Golden/Mistakes.md`: for each mistake a heading, the file, and what is said of it.
enum MistakeTable {
    static let file = GoldenTests.folder.appending(path: "Mistakes.md")

    static let mistakes: [Mistake] = {
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [] }
        return text.components(separatedBy: "\n## ").dropFirst().map { section in
            let name = section.prefix { $0 != "\n" }
            return Mistake(name: String(name), text: block("yaml", in: section), said: block("text", in: section))
        }
    }()

    private static func block(_ language: String, in section: String) -> String {
        guard let start = section.range(of: "```\(language)\n"), let end = section[start.upperBound...].range(of: "```\n") else {
            return ""
        }
        return String(section[start.upperBound..<end.lowerBound])
    }

    /// The table with what is said today.
    static var rewritten: String {
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return "" }
        let head = text.components(separatedBy: "\n## ")[0]
        return head
            + mistakes.map { "\n## \($0.name)\n\n```yaml\n\($0.text)```\n\n```text\n\($0.printed)```\n" }.joined()
    }
}
