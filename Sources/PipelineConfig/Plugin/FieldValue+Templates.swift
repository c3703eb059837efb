internal import Pipeline

extension TextTemplate: FieldValue {
    /// A template.
    public static var fieldType: FieldType { .template }

    /// A brace that does not enclose a name is text, as in the JSON of a request's body.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> TextTemplate? {
        guard let (template, text) = decoder.template(of: node, expecting: "text", isLenient: true) else { return nil }
        decoder.reportLookalikes(in: text, of: node)
        if decoder.field.memberName != nil { decoder.reportParameter(text, in: template, at: node) }
        return TextTemplate(template: template)
    }

    /// Nil: a template is no default.
    public var written: String? { nil }
}

extension SecretTemplate: FieldValue {
    /// A secret template.
    public static var fieldType: FieldType { .secret }

    /// A template whose text is kept out of every message.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> SecretTemplate? {
        // Before anything is said about it, so that no message shows it.
        decoder.secrets.keepPlace(of: node)
        decoder.noteSentCredential(in: node)
        let count = decoder.notes.parameterUses.count
        defer { decoder.notes.keepSecretUses(since: count) }
        guard let (template, text) = decoder.template(of: node, expecting: "text", isLenient: true) else { return nil }
        for piece in text.pieces {
            switch piece {
            case .literal(let literal, _):
                // Not the name of a parameter, which is in many messages.
                let written = Template(InterpolatedText(pieces: [.literal(literal, offset: 0)]), isLenient: true)
                for case .literal(let text) in written.pieces { decoder.secrets.keep(text) }
            case .value(let value, _): decoder.secrets.keep(value)
            }
        }
        if !decoder.reportLookalikes(inSecret: text, of: node) { decoder.reportCredential(text, in: template, at: node) }
        return SecretTemplate(template: template)
    }

    /// A template that is a secret where the name it has in its map says so, or a variable in it: `TOKEN` is one, and `MODE` is none.
    package static func decodeByName(_ node: ConfigNode, with decoder: FieldDecoder) -> SecretTemplate? {
        if let name = decoder.field.memberName, Credential.isBeside(name) { return decode(node, with: decoder) }
        decoder.secrets.keepCredentials(ofURL: node)
        guard let (template, text) = decoder.template(of: node, expecting: "text", isLenient: true) else { return nil }
        let whole = text.text
        if let range = URLTemplate.credentials(in: whole) {
            let credentials = String(String.UnicodeScalarView(Array(whole.unicodeScalars)[range]))
            decoder.secrets.keep(credentials: credentials)
            decoder.reportCredentials(ofURL: node)
        }
        return SecretTemplate(template: template)
    }

    /// Nil: a secret is never written.
    public var written: String? { nil }
}

extension PathTemplate: FieldValue {
    /// A path template.
    public static var fieldType: FieldType { .path }

    /// The path of a file, relative to the folder of the configuration.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> PathTemplate? {
        guard let (template, text) = decoder.template(of: node, expecting: "a path") else { return nil }
        guard !text.text.isEmpty else {
            decoder.report(.malformed, "malformed path for `\(decoder.fieldName)`: it is empty", at: node)
            return nil
        }
        guard !text.text.utf8.contains(0) else {
            decoder.report(.malformed, "malformed path for `\(decoder.fieldName)`: there is a NUL character in it", at: node)
            return nil
        }
        guard !text.text.hasSuffix("/") else {
            decoder.report(
                .malformed, "malformed path for `\(decoder.fieldName)`: \(decoder.quoted(node)) names a folder", at: node,
                help: text.variables.isEmpty
                    ? "name a file in it: `\(text.text.shortened){key}.json`" : "name a file in it: add `{key}.json`")
            return nil
        }
        decoder.reportLookalikes(in: text, of: node)
        guard case .literal(let start, _)? = text.pieces.first, start.utf8.starts(with: "~/".utf8) else {
            return PathTemplate(template: template, base: decoder.folder)
        }
        guard let home = decoder.interpolation.environment.home else {
            decoder.reportMissingHome(in: node)
            return nil
        }
        var whole = template
        whole.replacePrefix(home + String(Substring(template.prefix.utf8.dropFirst())))
        return PathTemplate(template: whole, base: decoder.folder)
    }

    /// Nil: a template is no default.
    public var written: String? { nil }

    /// The template with `folder` in place of ``folder``: the paths of two keys differ as before.
    public func moved(into folder: String) -> PathTemplate? {
        let name = template.prefix.utf8.lastIndex(of: UInt8(ascii: "/")).map { template.prefix[template.prefix.index(after: $0)...] }
        var moved = template
        moved.replacePrefix("\(folder)/\(name ?? template.prefix[...])")
        return PathTemplate(template: moved, base: "")
    }
}

extension URLTemplate: FieldValue {
    /// A URL template.
    public static var fieldType: FieldType { .url }

    /// A URL; user and password in it are kept out of every message.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> URLTemplate? {
        decode(node, with: decoder, example: example)
    }

    /// Decodes the template of a field that expects other URLs.
    ///
    /// - Parameter example: one of them, named where the scheme is missing: `redis://host:6379`.
    package static func decode(_ node: ConfigNode, with decoder: FieldDecoder, example: String) -> URLTemplate? {
        decoder.secrets.keepCredentials(ofURL: node)
        let mark = decoder.problems.mark
        defer { if decoder.problems.isSoundInForm(since: mark) { decoder.reportCredentials(ofURL: node) } }
        guard let (_, text) = decoder.template(of: node, expecting: "a URL") else { return nil }
        do {
            let url = try URLTemplate.parse(text, example: example)
            decoder.reportLookalikes(in: text, of: node, isURL: true)
            if let credentials = url.credentials {
                decoder.secrets.keep(credentials: credentials)
                // Those of its variables, as they are outside of the URL. The host is no secret.
                for case .value(let value, _) in text.pieces
                where credentials.contains(value) || credentials.contains(PercentEncoding.url.encoded(value)) {
                    decoder.secrets.keep(value)
                }
            }
            return url
        } catch {
            let isShown = text.variables.isEmpty && decoder.quoted(node) == "`\(text.text)`"
            let meant =
                isShown
                ? MeantURL.withScheme(text.text, example: example) ?? MeantURL.encoded(text.text, parameters: decoder.known.parameters)
                : nil
            let isBetter = meant.map { meant in
                meant != text.text
                    && (try? URLTemplate.parse(InterpolatedText(pieces: [.literal(meant, offset: 0)]), example: example)) != nil
            }
            decoder.report(
                .malformed, "malformed URL for `\(decoder.fieldName)`: \(error.message)", at: node,
                help: isBetter == true ? meant.map { "write `\($0.inFlow)`" } : decoder.helpForAngleBrackets(in: text))
            return nil
        }
    }

    /// Nil: a template is no default.
    public var written: String? { nil }
}
