internal import Pipeline

extension FieldDecoder {
    /// Reports a secret that is written in the file: one that no variable gives, and no parameter.
    ///
    /// In a map not every value is a credential: there the name decides.
    func reportCredential(_ text: InterpolatedText, in template: Template, at node: ConfigNode) {
        guard field.memberName.map(Credential.isName) ?? true else { return }
        guard text.variables.isEmpty else { return reportDefaults(of: node) }
        guard template.uses.isEmpty, text.text.contains(where: { !$0.isWhitespace }) else { return }
        let name = field.memberName ?? fieldName
        let reference = reference(to: Credential.variable(for: name), inPlaceOf: node.target)
        report(
            .credentialInFile, "a credential is written in the file: the value of `\(name.shortened)`", at: node,
            help: "set an environment variable and write `\(reference)` in its place")
    }

    /// Remembers the variable of a secret that is a credential by its name, or by that of the variable. A file is not the environment's.
    func noteSentCredential(in node: ConfigNode) {
        guard notes.sentCredential == nil, let text = node.target.scalarText else { return }
        let isCredential = field.memberName.map(Credential.isName) ?? true
        let variable = VariableReference.all(in: text).first {
            !$0.name.hasPrefix("file:") && (isCredential || Credential.isOrigin($0.name))
        }
        if let variable {
            notes.sentCredential = SentCredential(variable: variable.name, range: places.range(of: variable.range, in: node))
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
        guard let text = node.target.scalarText else { return }
        let scalars = Array(text.unicodeScalars)
        for reference in VariableReference.all(in: text) where part?.contains(reference.range.lowerBound) ?? true {
            // Those of variables that are called like credentials are reported wherever they stand.
            guard !Credential.isBeside(reference.name), let range = reference.defaultRange else { continue }
            let literal = String(String.UnicodeScalarView(scalars[range]))
            guard ConfigSecrets.isLongEnough(literal), !literal.contains("${"), literal.contains(where: { !$0.isWhitespace }) else {
                continue
            }
            secrets.keep(literal)
            reportDefault(of: reference.name, at: range, of: node)
        }
    }

    /// Reports the default of a variable as a credential that is written in the file.
    func reportDefault(of variable: String, at range: Range<Int>, of node: ConfigNode) {
        report(
            .credentialInFile, "a credential is written in the file: the default of `\(variable.shortened)`", at: range, of: node,
            help: "set the variable and write `${\(variable.shortened)}`")
    }

    /// Reports the password of a URL, or a user without one, that is written in the file; and credentials among its parameters.
    func reportCredentials(ofURL node: ConfigNode) {
        guard case .scalar(let scalar) = node.target.content else { return }
        for parameter in URLParameter.credentials(in: scalar.text) {
            reportParameter(parameter.name, at: places.place(of: parameter.range, in: node))
        }
        guard let range = URLTemplate.credentials(in: scalar.text) else { return }
        let scalars = Array(scalar.text.unicodeScalars)[range]
        let colon = VariableReference.first(":", outsideOfReferencesIn: scalar.text, within: scalars.indices)
        let start = colon.map { $0 + 1 } ?? scalars.startIndex
        let literal = String(String.UnicodeScalarView(scalars[start...]))
        guard !literal.contains("${") else { return reportDefaults(of: node, within: range) }
        guard !literal.isEmpty else { return }
        let isPassword = start > scalars.startIndex
        report(
            .credentialInFile, "a credential is written in the file: the \(isPassword ? "password" : "user") of the URL",
            at: start..<scalars.endIndex, of: node,
            help: "set an environment variable and write `${\(isPassword ? "PASSWORD" : "TOKEN")}` in its place")
    }

    /// Remembers the value of a parameter, as in `query: { api_key: abc }`, that is a credential, and reports one that is written in the file.
    func reportParameter(_ text: InterpolatedText, in template: Template, at node: ConfigNode) {
        guard let name = field.memberName, template.uses.isEmpty, ConfigSecrets.isLongEnough(text.text),
            Credential.isParameter(name, value: text.text)
        else { return }
        secrets.keepCredential(text.text)
        guard text.variables.isEmpty else { return }
        secrets.keepPlace(of: node)
        reportParameter(name, at: places.place(of: nil, in: node))
    }

    private func reportParameter(_ name: String, at place: ConfigPlace) {
        report(
            .credentialInFile, "a credential is written in the file: the parameter `\(name.shortened)`", at: place,
            help: "set an environment variable and write `${\(Credential.variable(for: name))}` in its place")
    }
}
