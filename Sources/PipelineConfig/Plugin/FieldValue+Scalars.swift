internal import Pipeline

extension String: FieldValue {
    /// Text.
    public static var fieldType: FieldType { .string }

    /// The text of a scalar, variables looked up.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> String? {
        guard let text = decoder.interpolated(node, expecting: "text") else { return nil }
        if decoder.field.isOfSource { decoder.reportLookalikes(in: text, of: node, allowsParameters: false) }
        return text.text
    }

    /// The text itself.
    public var written: String? { self }
}

extension Int: FieldValue {
    /// An integer.
    public static var fieldType: FieldType { .int }

    /// A decimal integer, `0o17` or `0x1F`, written without quotes.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> Int? {
        guard let text = decoder.unquotedText(of: node, expecting: "an integer") else { return nil }
        if let value = CoreSchema.int(text) { return value }
        if CoreSchema.isInteger(text) {
            if text.hasPrefix("-") {
                decoder.report(.outOfRange, "\(decoder.quoted(node)) is too small for `\(decoder.fieldName)`", at: node)
            } else {
                decoder.reportTooLarge(node)
            }
        } else {
            decoder.report(
                .wrongType, "expected an integer for `\(decoder.fieldName)`, found \(decoder.quoted(node))", at: node,
                help: decoder.quoted(node) == "`\(text)`" ? MeantQuantity.integer(text).map { "write `\($0)`" } : nil)
        }
        return nil
    }

    /// In decimal.
    public var written: String? { "\(self)" }
}

extension Bool: FieldValue {
    /// `true` or `false`.
    public static var fieldType: FieldType { .bool }

    /// `true`, `yes` and `on`, or `false`, `no` and `off`, written without quotes.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> Bool? {
        guard let text = decoder.unquotedText(of: node, expecting: "`true` or `false`") else { return nil }
        if let value = CoreSchema.bool(text) { return value }
        let meant = ["n": "false", "f": "false", "0": "false", "y": "true", "t": "true", "1": "true"][text.lowercased()]
        decoder.report(
            .wrongType, "expected `true` or `false` for `\(decoder.fieldName)`, found \(decoder.quoted(node))", at: node,
            help: meant.map { "write `\(decoder.fieldName): \($0)`" })
        return nil
    }

    /// `true` or `false`.
    public var written: String? { self ? "true" : "false" }
}

extension FieldDecoder {
    /// The text of a scalar that loses its meaning in quotes, unless a variable stands in it.
    fileprivate func unquotedText(of node: ConfigNode, expecting expectation: String) -> String? {
        guard let text = interpolated(node, expecting: expectation) else { return nil }
        let isPlain = if case .scalar(let scalar) = node.target.content { scalar.isPlain } else { false }
        guard isPlain || !text.variables.isEmpty else {
            let isMeant = CoreSchema.int(text.text) != nil || CoreSchema.bool(text.text) != nil
            report(
                .wrongType, "expected \(expectation) for `\(fieldName)`, found the string `\"\(text.text.shortened)\"`",
                at: places.place(of: nil, in: node), help: isMeant ? "remove the quotes" : nil,
                fix: isMeant ? node.target.withoutQuotes : nil)
            return nil
        }
        return text.text
    }
}

extension Optional: FieldValue where Wrapped: FieldValue {
    /// The type of what can be written if there is a value.
    public static var fieldType: FieldType { Wrapped.fieldType }

    /// A value; that there is none is said by leaving the field out.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> Wrapped?? {
        Wrapped.decode(node, with: decoder).map { .some($0) }
    }

    /// The value; nil when there is none.
    public var written: String? { flatMap { $0.written } }

    /// The explanation of the value; nil if there is none.
    public var explanation: String? { flatMap { $0.explanation } }

    /// The duration of the value; nil if there is none.
    public var duration: Duration? { flatMap { $0.duration } }
}

extension Array: FieldValue where Element: FieldValue {
    /// A list.
    public static var fieldType: FieldType { .list(Element.fieldType) }

    /// The elements that could be read; the others have been reported.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> [Element]? {
        decoder.places.withTarget(of: node) { node in
            guard case .sequence(let elements) = node.content else {
                decoder.report(
                    .wrongType, "expected a list for `\(decoder.fieldName)`, found \(node.kind)", at: node,
                    help: decoder.helpWithBrackets(node))
                decoder.notes.hasUnreadTexts = true
                return nil
            }
            let outer = decoder.field.elementRange
            defer { decoder.field.elementRange = outer }
            return elements.compactMap {
                decoder.field.elementRange = $0.range
                return Element.decode($0, with: decoder)
            }
        }
    }

    /// The elements in brackets.
    public var written: String? {
        // Each start of the program comes here for what plugins declare. With the type known only at run time, to make a key path or a
        // lazy sequence would take the longer part of it.
        var text = ""
        for index in indices {
            guard let element = self[index].written else { continue }
            text += text.isEmpty ? element : ", " + element
        }
        return "[\(text)]"
    }
}
