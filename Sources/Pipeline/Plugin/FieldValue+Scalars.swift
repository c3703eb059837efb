extension String: FieldValue {
    public static var fieldType: FieldType { .string }

    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> String? {
        decoder.text(of: node, expecting: "text")
    }

    public var written: String? { self }
}

extension Int: FieldValue {
    public static var fieldType: FieldType { .int }

    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> Int? {
        guard let text = decoder.unquotedText(of: node, expecting: "an integer") else { return nil }
        if let value = CoreSchema.int(text) { return value }
        if CoreSchema.isInteger(text) {
            decoder.report(.outOfRange, "`\(text.shortened)` is too large for `\(decoder.fieldName)`", at: node)
        } else {
            decoder.report(.wrongType, "expected an integer for `\(decoder.fieldName)`, found `\(text.shortened)`", at: node)
        }
        return nil
    }

    public var written: String? { "\(self)" }
}

extension Bool: FieldValue {
    public static var fieldType: FieldType { .bool }

    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> Bool? {
        guard let text = decoder.unquotedText(of: node, expecting: "`true` or `false`") else { return nil }
        if let value = CoreSchema.bool(text) { return value }
        decoder.report(
            .wrongType, "expected `true` or `false` for `\(decoder.fieldName)`, found `\(text.shortened)`", at: node)
        return nil
    }

    public var written: String? { self ? "true" : "false" }
}

extension FieldDecoder {
    /// The text of a scalar that loses its meaning in quotes, unless a variable stands in it.
    fileprivate func unquotedText(of node: ConfigNode, expecting expectation: String) -> String? {
        guard let text = interpolated(node, expecting: expectation) else { return nil }
        let isPlain = withTarget(of: node) { if case .scalar(let scalar) = $0.content { scalar.isPlain } else { false } }
        guard isPlain || !text.variables.isEmpty else {
            report(
                .wrongType, "expected \(expectation) for `\(fieldName)`, found the string `\"\(text.text.shortened)\"`", at: node,
                help: "remove the quotes")
            return nil
        }
        return text.text
    }
}

extension Optional: FieldValue where Wrapped: FieldValue {
    public static var fieldType: FieldType { Wrapped.fieldType }

    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> Wrapped?? {
        Wrapped.decode(node, with: decoder).map { .some($0) }
    }

    public var written: String? { flatMap(\.written) }
}

extension Array: FieldValue where Element: FieldValue {
    public static var fieldType: FieldType { .list(Element.fieldType) }

    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> [Element]? {
        decoder.withTarget(of: node) { node in
            guard case .sequence(let elements) = node.content else {
                decoder.report(
                    .wrongType, "expected a list for `\(decoder.fieldName)`, found \(node.kind)", at: node,
                    help: { if case .scalar(let scalar) = node.content, !node.isNull { "write `[\(scalar.text)]`" } else { nil } }())
                return nil
            }
            return elements.compactMap { Element.decode($0, with: decoder) }
        }
    }

    public var written: String? { "[\(compactMap(\.written).joined(separator: ", "))]" }
}
