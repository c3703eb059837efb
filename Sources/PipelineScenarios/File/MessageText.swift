package import PipelineConfig

/// What a change source tells: its text, or the bare word `signal` for a message without content.
package struct MessageText: Sendable {
    /// Nil for a signal.
    package let payload: [UInt8]?
    package var event: String?
    /// The key that it is for; nil for every connection.
    package var arguments: NamedValues<ScenarioText>?
}

extension MessageText: FieldValue {
    package static var fieldType: FieldType { .either([.string, MessageFields.fieldType]) }

    package static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> MessageText? {
        decoder.places.withTarget(of: node) { node in
            if case .mapping = node.content { return MessageFields.decode(node, with: decoder)?.message }
            return ScenarioText.decode(node, with: decoder).map { text in
                MessageText(payload: text.isPlain && text.text == "signal" ? nil : text.bytes)
            }
        }
    }

    package var written: String? { nil }
}

private struct MessageFields: FieldObject {
    let message: MessageText

    static let noun = "a message"

    static let fields = FieldGroup(
        Field("is", default: ScenarioText?.none, "The message, as text; without it, it has no content."),
        Field("json", default: JSONValue?.none, "The message, as JSON that is written in YAML."),
        Field("event", default: String?.none, "The name of the event, where the protocol names one."),
        Field("with", default: NamedValues<ScenarioText>?.none, "The arguments of the key whose connection it comes through.")
    ) { text, json, event, arguments in
        MessageFields(
            message: MessageText(payload: text?.bytes ?? json.map { Array($0.text.utf8) }, event: event, arguments: arguments))
    }
}
