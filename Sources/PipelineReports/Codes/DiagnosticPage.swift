package import PipelineConfig

/// What there is to know of a code: what it means, an example of it, and the example mended.
package struct DiagnosticPage: Sendable {
    /// A piece of a configuration, or a call.
    package struct Example: Sendable {
        package enum Language: String, Sendable {
            case yaml
            case shell = "sh"
        }

        package let text: String
        package let language: Language

        static func yaml(_ text: String) -> Example { Example(text: text, language: .yaml) }
        static func shell(_ text: String) -> Example { Example(text: text, language: .shell) }
    }

    package let code: DiagnosticCode
    /// The problem in a few words.
    package let title: String
    /// What it means, why it matters, and what is not meant: sentences.
    package let meaning: String
    /// What gives the code.
    package let wrong: Example
    /// The same without it.
    package let right: Example

    init(_ code: DiagnosticCode, _ title: String, _ meaning: String, wrong: Example, right: Example) {
        self.code = code
        self.title = title
        self.meaning = meaning
        self.wrong = wrong
        self.right = right
    }

    /// The page, in Markdown.
    package var text: String {
        """
        # \(code.rawValue): \(title)

        \(severity)

        \(meaning)

        ## Wrong

        \(Self.block(wrong))

        ## Mended

        \(Self.block(right))

        """
    }

    private var severity: String {
        let level = "`pipe-run validate --level \(code.levelName)`"
        return code.severity == .error
            ? "An error, found from \(level) on: the configuration cannot be used."
            : """
            A warning, found from \(level) on. `--allow \(code.rawValue)` silences it, `--deny \(code.rawValue)` makes an error of it\
            \(code == .needlessAllow ? "." : ";\n`# pipe-run: allow \(code.rawValue) REASON` on the line or the line above silences it there.")
            """
    }

    private static func block(_ example: Example) -> String {
        "```\(example.language.rawValue)\n\(example.text)\n```"
    }

    /// The list of all pages, in Markdown.
    package static var index: String {
        let rows = DiagnosticCode.allCases.map { code in
            "| [\(code.rawValue)](\(code.rawValue).md) | \(code.severity.rawValue) | \(code.page.title) |"
        }
        return """
            # Diagnostics

            What `pipe-run validate` can find. `pipe-run explain-code CODE` prints the same pages.

            | code | severity | problem |
            |---|---|---|
            \(rows.joined(separator: "\n"))

            """
    }
}

extension DiagnosticCode {
    fileprivate var levelName: String {
        switch self {
        case .cannotConnect, .connectionRefused: "connect"
        default: level.rawValue
        }
    }
}
