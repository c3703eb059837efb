extension FieldDecoder {
    /// Remembers a value whose name says that it is secret, wherever it stands; also as a URL, or a key, has it.
    func keepCredential(_ value: String) {
        // A switch such as `USE_TOKEN=true` is no credential, and its word is in many messages.
        guard CoreSchema.bool(value) == nil, !CoreSchema.isNull(value) else { return }
        keepSecret(value)
        for encoding in [PercentEncoding.url, .fileName] { keepSecret(encoding.encoded(value)) }
    }

    /// Reports a secret that is written in the file: one that no variable gives, and no parameter.
    ///
    /// In a map not every value is a credential: there the name decides.
    func reportCredential(_ text: InterpolatedText, in template: Template, at node: ConfigNode) {
        guard text.variables.isEmpty, template.uses.isEmpty, text.text.contains(where: { !$0.isWhitespace }),
            memberName.map(Credential.isName) ?? true
        else { return }
        let name = memberName ?? fieldName
        withTarget(of: node) { node in
            report(
                .credentialInFile, "a credential is written in the file: the value of `\(name.shortened)`", at: node,
                help: "set an environment variable and write `${\(Credential.variable(for: name))}` in its place")
        }
    }

    /// Reports the password of a URL, or a user without one, that is written in the file.
    func reportCredentials(ofURL node: ConfigNode) {
        withTarget(of: node) { node in
            guard case .scalar(let scalar) = node.content, let range = URLTemplate.credentials(in: scalar.text) else { return }
            let scalars = Array(scalar.text.unicodeScalars)[range]
            let start = scalars.firstIndex(of: ":").map { $0 + 1 } ?? scalars.startIndex
            let literal = String(String.UnicodeScalarView(scalars[start...]))
            guard !literal.isEmpty, !literal.contains("${") else { return }
            let isPassword = start > scalars.startIndex
            report(
                .credentialInFile, "a credential is written in the file: the \(isPassword ? "password" : "user") of the URL",
                range: subrange(of: node, offset: start, length: scalars.endIndex - start),
                help: "set an environment variable and write `${\(isPassword ? "PASSWORD" : "TOKEN")}` in its place")
        }
    }
}
