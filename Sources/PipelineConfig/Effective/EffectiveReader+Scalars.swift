internal import Pipeline

extension EffectiveReader {
    /// The text of a scalar with its variables looked up; nil for anything else.
    func interpolated(_ node: ConfigNode) -> InterpolatedText? {
        guard case .scalar(let scalar) = node.target.content else { return nil }
        return interpolated(scalar.text)
    }

    private func interpolated(_ text: String) -> InterpolatedText { interpolation(of: text).text }

    /// The text, and whether every variable in it has a value.
    private func interpolation(of text: String) -> (text: InterpolatedText, isComplete: Bool) {
        var interpolator = Interpolator(
            lookUp: environment.variable,
            readFile: {
                environment.opened($0, from: folder).map(environment.file) ?? .failure(ConfigEnvironment.FileProblem("no such file"))
            })
        interpolator.interpolate(text)
        return (interpolator.result, interpolator.problems.isEmpty)
    }

    /// What tells a scalar from others: its text, and the variables that gave parts of it.
    func identity(of scalar: ConfigNode.Scalar) -> [String] {
        let (text, isComplete) = interpolation(of: scalar.text)
        return [isComplete ? text.text : scalar.text] + text.variables
    }

    /// The value of a scalar of `type`.
    func single(_ scalar: ConfigNode.Scalar, _ node: ConfigNode, of type: FieldType, uses: [TextRange]) -> EffectiveValue {
        let place = ValueOrigin.place(node.range, uses: uses)
        if node.isNull { return EffectiveValue(.scalar(.init(text: "null", mustBePlain: true)), from: [place]) }
        if type.mayBe(.secret) { return secret(scalar, node, at: place) }
        if type.mayBe(.any), scalar.isPlain, PlainScalar(scalar.text) != .text {
            return EffectiveValue(.scalar(.init(text: scalar.text, mustBePlain: true)), from: [place])
        }
        let (text, isComplete) = interpolation(of: scalar.text)
        var origins = [place] + origins(of: text)
        if type.isQuantity, isComplete, text.text.isUnquotedQuantity {
            return EffectiveValue(.scalar(.init(text: text.text, mustBePlain: true)), from: origins)
        }
        if type.holdsUnquoted, isComplete, scalar.isPlain || !text.variables.isEmpty, CoreSchema.isUnquoted(text.text) {
            return EffectiveValue(.scalar(.init(text: text.text, mustBePlain: true)), from: origins)
        }
        let replaced = isComplete ? replaced(text, of: type) : nil
        if replaced == nil { origins = [place, .kept] }
        let (masked, isMasked) = masked(replaced ?? Self.withoutCredentials(scalar.text), of: type, text)
        let shown = replaced == nil ? masked : masked.escapingDollars
        return EffectiveValue(.scalar(.init(text: shown, mustBePlain: false)), from: origins + (isMasked ? [.secret] : []))
    }

    /// A secret as it is written where that shows nothing of it: its references, and the scheme before them.
    private func secret(_ scalar: ConfigNode.Scalar, _ node: ConfigNode, at place: ValueOrigin) -> EffectiveValue {
        let text = interpolation(of: scalar.text).text
        let isHidden = secretRanges.contains { $0.start < node.range.end && node.range.start < $0.end }
        guard isHidden else {
            let origins = [place] + origins(of: text) + (text.variables.isEmpty ? [] : [.secret])
            return EffectiveValue(.scalar(.init(text: scalar.text, mustBePlain: false)), from: origins)
        }
        let hasOnlyScheme = text.pieces.allSatisfy { piece in
            guard case .literal(let literal, _) = piece else { return true }
            return literal.hasSuffix(" ") && Self.schemes.contains(literal.dropLast().lowercased())
        }
        guard hasOnlyScheme, !text.variables.isEmpty, VariableReference.all(in: scalar.text).allSatisfy({ $0.defaultRange == nil }) else {
            return EffectiveValue(.scalar(.init(text: "***", mustBePlain: false)), from: [place, .secret])
        }
        return EffectiveValue(.scalar(.init(text: scalar.text, mustBePlain: false)), from: [place] + origins(of: text) + [.secret])
    }

    /// What stands before a credential in `Authorization` (RFC 9110, section 11.6.2).
    private static let schemes: Set<String> = ["basic", "bearer", "token", "apikey"]

    private func origins(of text: InterpolatedText) -> [ValueOrigin] {
        var origins: [ValueOrigin] = []
        for name in text.variables {
            let origin: ValueOrigin =
                name.hasPrefix("file:")
                ? .file(String(name.dropFirst(5)))
                : environment.variable(name)?.isEmpty == false ? .variable(name) : .unsetVariable(name)
            if !origins.contains(origin) { origins.append(origin) }
        }
        return origins
    }

    /// The text with the values in their places; nil where it would then be read as something else, because a value has braces in it,
    /// or parts that a URL encodes.
    private func replaced(_ text: InterpolatedText, of type: FieldType) -> String? {
        if type.mayBe(.url), let url = try? URLTemplate.parse(text) {
            let written = url.description
            let again = try? URLTemplate.parse(InterpolatedText(pieces: [.literal(written, offset: 0)]))
            return again?.template == url.template ? written : nil
        }
        // Its variables are bound values, and no text of it.
        if type.mayBe(.query), !text.variables.isEmpty { return nil }
        guard type.mayBe(.path) || type.mayBe(.template) else { return text.text }
        let isLenient = !type.mayBe(.path)
        let again = Template(InterpolatedText(pieces: [.literal(text.text, offset: 0)]), isLenient: isLenient)
        return again.problems.isEmpty && again == Template(text, isLenient: isLenient) ? text.text : nil
    }

    /// Words that the program chose are shown even where a secret is the same word: they are no secret there.
    private func masked(_ written: String, of type: FieldType, _ text: InterpolatedText) -> (String, Bool) {
        guard [FieldType.string, .url, .path, .template, .query, .any].contains(where: type.mayBe) || type.mayBeWord else {
            return (written, false)
        }
        let shown = redactor.redacted(written)
        let hasCredentials = type.mayBe(.url) && (try? URLTemplate.parse(text))?.credentials != nil
        return (shown, hasCredentials || shown != written)
    }

    /// The text of a URL as it is written, `***` for the user and password in it.
    private static func withoutCredentials(_ written: String) -> String {
        guard let range = URLTemplate.credentials(in: written) else { return written }
        let scalars = Array(written.unicodeScalars)
        return String(String.UnicodeScalarView(scalars[..<range.lowerBound])) + "***"
            + String(String.UnicodeScalarView(scalars[range.upperBound...]))
    }
}

extension CoreSchema {
    /// Whether an unquoted `text` is a number or a bool.
    static func isUnquoted(_ text: String) -> Bool { int(text) != nil || bool(text) != nil }
}

extension String {
    /// Whether it can be nothing but a number with a unit or without.
    var isUnquotedQuantity: Bool {
        utf8.first.map { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } == true && utf8.count <= 100
            && unicodeScalars.allSatisfy { Identifier.canContain($0) && $0 != "_" || $0 == "." || $0 == "%" }
    }

    /// The text as it is written in the file: `$$` for each `$`.
    var escapingDollars: String {
        var result = UnicodeScalarView()
        for scalar in unicodeScalars {
            if scalar == "$" { result.append(scalar) }
            result.append(scalar)
        }
        return String(result)
    }
}
