internal import Pipeline
internal import PipelineConfig
internal import PipelineJSON
internal import PipelineReports

/// Links of a value, as lines for people or as JSON.
struct LinksPrinter {
    let key: Key
    /// A parameter may have a secret for its default.
    let redactor: Redactor

    func text(_ links: [FoundLink]) -> String {
        TextTable.text(
            links.map { link in
                let parameters = link.key.map { key in key.parameters.map { "\($0.name)=\(redactor.redacted($0.value))" } }
                return [link.name, link.pipeline, parameters?.joined(separator: " ") ?? "-", link.state.rawValue].map(\.printable)
            })
    }

    func json(_ links: [FoundLink]) -> JSONText {
        .object([
            ("pipeline", .string(key.pipeline)), ("parameters", parameters(of: key)),
            ("links", .array(links.map(json))),
        ])
    }

    private func json(_ link: FoundLink) -> JSONText {
        .object([
            ("name", .string(link.name)), ("pipeline", .string(link.pipeline)), ("parameters", link.key.map(parameters) ?? .null),
            ("state", .string(link.state.rawValue)), ("error", .optional(link.problem.map(redactor.redacted))),
        ])
    }

    private func parameters(of key: Key) -> JSONText {
        .object(key.parameters.map { ($0.name, .string(redactor.redacted($0.value))) })
    }
}
