import PipelineConfig
import TestSupport

@testable import Pipeline

extension TemporaryFolder {
    /// The path template `text` in this folder.
    func template(_ text: String) -> PathTemplate { .text(path + "/" + text) }

    /// The files below that are neither sidecars nor temporary.
    func payloads() throws -> [String] {
        try contents().filter { !$0.hasSuffix("/") && !($0.split(separator: "/").last ?? "").hasPrefix(".") }
    }
}

extension PathTemplate {
    /// The template that a configuration file would read from `text`.
    static func text(_ text: String, base: String = "") -> PathTemplate {
        PathTemplate(template: Template(InterpolatedText(pieces: [.literal(text, offset: 0)])), base: base)
    }
}
