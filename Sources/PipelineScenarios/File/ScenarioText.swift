package import PipelineConfig

/// Text as it is written: nothing is replaced in it.
package struct ScenarioText: Sendable, Hashable {
    package let text: String
    /// Whether it was written without quotes, so that a word may mean more than its letters.
    package let isPlain: Bool

    package init(_ text: String, isPlain: Bool = false) {
        (self.text, self.isPlain) = (text, isPlain)
    }

    package var bytes: [UInt8] { Array(text.utf8) }
}

extension ScenarioText: FieldValue {
    package static var fieldType: FieldType { .string }

    package static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> ScenarioText? {
        decoder.places.withTarget(of: node) { node in
            if case .scalar(let scalar) = node.content, !node.isNull { return ScenarioText(scalar.text, isPlain: scalar.isPlain) }
            decoder.report(
                .wrongType, "expected text for `\(decoder.fieldName)`, found \(node.kind)", at: node,
                help: node.isNull ? "quote it: `'null'`" : "put JSON into quotes, as in `'[\"v1\"]'`, or write it below `json:`")
            return nil
        }
    }

    package var written: String? { text }
}
