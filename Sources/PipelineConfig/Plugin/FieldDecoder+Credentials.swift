internal import Pipeline

extension FieldDecoder {
    /// Remembers a value whose name says that it is secret, wherever it stands; also as a URL, or a key, has it.
    func keepCredential(_ value: String) {
        // A switch such as `USE_TOKEN=true` is no credential, and its word is in many messages.
        guard CoreSchema.bool(value) == nil, !CoreSchema.isNull(value) else { return }
        keepSecret(value)
        guard value.utf8.count <= Self.longestEncoded else { return }
        for encoding in [PercentEncoding.url, .fileName] { keepSecret(encoding.encoded(value)) }
    }

    /// No URL and no key has more of a credential.
    private static let longestEncoded = 1 << 16

    /// Reports a secret that is written in the file: one that no variable gives, and no parameter.
    ///
    /// In a map not every value is a credential: there the name decides.
    func reportCredential(_ text: InterpolatedText, in template: Template, at node: ConfigNode) {
        guard memberName.map(Credential.isName) ?? true else { return }
        guard text.variables.isEmpty else { return reportDefaults(of: node) }
        guard template.uses.isEmpty, text.text.contains(where: { !$0.isWhitespace }) else { return }
        let name = memberName ?? fieldName
        withTarget(of: node) { node in
            let reference = reference(to: Credential.variable(for: name), inPlaceOf: node)
            report(
                .credentialInFile, "a credential is written in the file: the value of `\(name.shortened)`", at: node,
                help: "set an environment variable and write `\(reference)` in its place")
        }
    }

    /// The reference in the quotes that its braces want within a mapping on one line, where none stand there.
    private func reference(to variable: String, inPlaceOf node: ConfigNode) -> String {
        if case .scalar(let scalar) = node.content, scalar.isPlain { "\"${\(variable)}\"" } else { "${\(variable)}" }
    }

    /// Reports secrets that are written in the file as defaults of variables.
    ///
    /// - Parameter part: where in the text, in Unicode scalars; nil for all of it.
    private func reportDefaults(of node: ConfigNode, within part: Range<Int>? = nil) {
        withTarget(of: node) { node in
            guard let text = node.scalarText else { return }
            let scalars = Array(text.unicodeScalars)
            for reference in VariableReference.all(in: text) where part?.contains(reference.range.lowerBound) ?? true {
                guard let range = reference.defaultRange else { continue }
                let literal = String(String.UnicodeScalarView(scalars[range]))
                guard Self.isLongEnough(literal), !literal.contains("${"), literal.contains(where: { !$0.isWhitespace }) else { continue }
                keepSecret(literal)
                report(
                    .credentialInFile, "a credential is written in the file: the default of `\(reference.name.shortened)`",
                    range: subrange(of: node, offset: range.lowerBound, length: range.count),
                    help: "set the variable and write `${\(reference.name.shortened)}`")
            }
        }
    }

    /// Reports the password of a URL, or a user without one, that is written in the file; and credentials among its parameters.
    func reportCredentials(ofURL node: ConfigNode) {
        withTarget(of: node) { node in
            guard case .scalar(let scalar) = node.content else { return }
            for parameter in URLParameter.credentials(in: scalar.text) {
                reportParameter(
                    parameter.name, range: subrange(of: node, offset: parameter.range.lowerBound, length: parameter.range.count))
            }
            guard let range = URLTemplate.credentials(in: scalar.text) else { return }
            let scalars = Array(scalar.text.unicodeScalars)[range]
            let colon = VariableReference.first(":", outsideOfReferencesIn: scalar.text, within: scalars.indices)
            let start = colon.map { $0 + 1 } ?? scalars.startIndex
            let literal = String(String.UnicodeScalarView(scalars[start...]))
            guard !literal.contains("${") else {
                return reportDefaults(of: node, within: range)
            }
            guard !literal.isEmpty else { return }
            let isPassword = start > scalars.startIndex
            report(
                .credentialInFile, "a credential is written in the file: the \(isPassword ? "password" : "user") of the URL",
                range: subrange(of: node, offset: start, length: scalars.endIndex - start),
                help: "set an environment variable and write `${\(isPassword ? "PASSWORD" : "TOKEN")}` in its place")
        }
    }

    /// Remembers the places of credentials in a URL, also in one that turns out to be none, and those among its parameters.
    func keepCredentials(ofURL node: ConfigNode) {
        withTarget(of: node) { node in
            guard case .scalar(let scalar) = node.content else { return }
            let parameters = URLParameter.credentials(in: scalar.text)
            for parameter in parameters { keepSecret(parameter.value) }
            keepSecretPlaces(of: node, within: parameters.map(\.range) + [URLTemplate.credentials(in: scalar.text)].compactMap(\.self))
        }
    }

    /// Remembers the value of a parameter, as in `query: { api_key: abc }`, that is a credential, and reports one that is written in the file.
    func reportParameter(_ text: InterpolatedText, in template: Template, at node: ConfigNode) {
        guard let name = memberName, template.uses.isEmpty, Self.isLongEnough(text.text), Credential.isParameter(name, value: text.text)
        else { return }
        keepCredential(text.text)
        guard text.variables.isEmpty else { return }
        keepSecretPlace(of: node)
        withTarget(of: node) { reportParameter(name, range: $0.range) }
    }

    private func reportParameter(_ name: String, range: TextRange) {
        report(
            .credentialInFile, "a credential is written in the file: the parameter `\(name.shortened)`", range: range,
            help: "set an environment variable and write `${\(Credential.variable(for: name))}` in its place")
    }

    /// Shorter texts are no secrets, and not masked.
    private static func isLongEnough(_ text: String) -> Bool { text.utf8.count >= shortestSecret }
}
