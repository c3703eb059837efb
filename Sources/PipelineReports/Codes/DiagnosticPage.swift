package import PipelineConfig

/// The page of a code: what it means, an example of it, and the same example fixed.
///
/// The pages are the Markdown files of `docs/diagnostics`; `scripts/embed-pages` puts their texts into the program.
package struct DiagnosticPage: Sendable {
    /// A piece of a configuration, or a call.
    package struct Example: Sendable, Equatable {
        /// The language of the text: `yaml` or `sh`.
        package let language: String
        package let text: String
    }

    package let code: DiagnosticCode
    /// All of the page, in Markdown.
    package let text: String
    /// The problem in a few words.
    package let title: String
    /// The situations in which it is reported, and the way to change that.
    package let severity: String
    /// The meaning of the code, its importance, and the cases that are not meant: sentences.
    package let meaning: String
    /// An example that gives the code.
    package let wrong: Example
    /// The example without the problem.
    package let right: Example

    /// Reads a page: a title, a paragraph of when it is reported, what it means, and the examples under *Wrong* and *Fixed*.
    init(_ code: DiagnosticCode, text: String) {
        let parts = text.split(separator: "\n\n## ", maxSplits: 2).map(String.init)
        let paragraphs = (parts.first ?? "").split(separator: "\n\n", maxSplits: 2).map(String.init)
        self.code = code
        self.text = text
        title = String(paragraphs.first?.dropFirst("# \(code.rawValue): ".count) ?? "")
        severity = paragraphs.count > 1 ? paragraphs[1] : ""
        meaning = paragraphs.count > 2 ? paragraphs[2] : ""
        wrong = Example(in: parts.count > 1 ? parts[1] : "")
        right = Example(in: parts.count > 2 ? parts[2] : "")
    }
}

extension DiagnosticPage.Example {
    /// The code block of a section.
    fileprivate init(in section: String) {
        let fence = section.split(separator: "```", omittingEmptySubsequences: false).dropFirst().first ?? ""
        let lines = fence.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
        language = String(lines.first ?? "")
        text = String(lines.dropFirst().first?.dropLast() ?? "")
    }
}

extension DiagnosticCode {
    /// The page of the code.
    package var page: DiagnosticPage { DiagnosticPage(self, text: DiagnosticPage.texts[rawValue] ?? "") }
}
