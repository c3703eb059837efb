import TestSupport

/// A command that a page shows.
struct ShownCommand {
    let line: String
    /// What the page shows as its output; nil where it shows none, and the command only has to succeed.
    let output: String?
    let place: String

    /// The commands of a page in their order, without those for `make`.
    static func all(of page: Document) -> [ShownCommand] {
        page.blocks.flatMap { block -> [ShownCommand] in
            switch block.language {
            case "console": return inConsole(block)
            case "sh": return block.lines.filter(isRun).map { ShownCommand(line: $0, output: nil, place: block.place) }
            default: return []
            }
        }
    }

    private static func isRun(_ line: String) -> Bool {
        !line.isEmpty && !line.hasPrefix("#") && !line.hasPrefix("make ")
    }

    private static func inConsole(_ block: Document.Block) -> [ShownCommand] {
        block.lines.reduce(into: []) { commands, line in
            if line.hasPrefix("$ ") {
                commands.append(ShownCommand(line: String(line.dropFirst(2)), output: "", place: block.place))
            } else if let last = commands.popLast() {
                let output = last.output.map { $0.isEmpty ? line : $0 + "\n" + line }
                commands.append(ShownCommand(line: last.line, output: output, place: last.place))
            }
        }
    }

    /// The uses of `pipe-run` that a page names without running them: in its sentences and in blocks of text.
    static func named(in page: Document) -> [String] {
        let blocks = page.blocks.filter { $0.language == "text" }.flatMap { block -> [String] in
            block.text.replacing(/\n +(?=\[)/, with: " ").split(separator: "\n").map(String.init)
        }
        return (page.inlineCode + blocks).filter { $0.hasPrefix("pipe-run ") }
    }
}
