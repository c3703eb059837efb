extension TextTemplate: FieldValue {
    public static var fieldType: FieldType { .template }

    /// A brace that does not enclose a name is text, as in the JSON of a request's body.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> TextTemplate? {
        decoder.template(of: node, expecting: "text", isLenient: true).map { TextTemplate(template: $0.0) }
    }

    public var written: String? { nil }
}

extension SecretTemplate: FieldValue {
    public static var fieldType: FieldType { .secret }

    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> SecretTemplate? {
        guard let (template, text) = decoder.template(of: node, expecting: "text", isLenient: true) else { return nil }
        for piece in text.pieces {
            switch piece {
            case .literal(let literal, _): decoder.keepSecret(literal)
            case .value(let value, _): decoder.keepSecret(value)
            }
        }
        decoder.keepSecretRange(node.range)
        return SecretTemplate(template: template)
    }

    public var written: String? { nil }
}

extension PathTemplate: FieldValue {
    public static var fieldType: FieldType { .path }

    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> PathTemplate? {
        guard let (template, text) = decoder.template(of: node, expecting: "a path") else { return nil }
        guard !text.text.isEmpty, !text.text.contains("\0") else {
            decoder.report(.malformed, "malformed path for `\(decoder.fieldName)`: it is empty or has a NUL in it", at: node)
            return nil
        }
        guard !text.text.hasSuffix("/") else {
            decoder.report(
                .malformed, "malformed path for `\(decoder.fieldName)`: `\(text.text.shortened)` names a folder", at: node,
                help: "name a file in it: `\(text.text){key}.json`")
            return nil
        }
        return PathTemplate(template: template, base: decoder.folder)
    }

    public var written: String? { nil }
}

extension URLTemplate: FieldValue {
    public static var fieldType: FieldType { .url }

    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> URLTemplate? {
        guard let (_, text) = decoder.template(of: node, expecting: "a URL") else { return nil }
        do {
            let url = try URLTemplate.parse(text)
            if let credentials = url.credentials {
                for part in credentials.split(separator: ":", maxSplits: 1) { decoder.keepSecret(String(part)) }
                for case .value(let value, _) in text.pieces { decoder.keepSecret(value) }
                decoder.keepSecretRange(node.range)
            }
            return url
        } catch {
            let variables = text.variables.isEmpty
                ? "" : " (with the value of \(text.variables.map { "`\($0)`" }.joined(separator: ", ")))"
            decoder.report(.malformed, "malformed URL for `\(decoder.fieldName)`: \(error.message)\(variables)", at: node)
            return nil
        }
    }

    public var written: String? { nil }
}
