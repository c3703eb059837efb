internal import PipelineConfig

/// What the formats say about a code in general.
struct RuleDescription {
    /// One line: `undefined source`.
    let title: String
    /// What it means.
    let meaning: String
    /// What to do about it, as plain text and as Markdown.
    let help: (text: String, markdown: String)

    init(_ code: DiagnosticCode) {
        let page = code.page
        title = page.title
        meaning = page.meaning
        help = (
            "\(page.meaning)\n\nwrong:\n\n\(page.wrong.text)\n\nright:\n\n\(page.right.text)",
            page.text
        )
    }
}
