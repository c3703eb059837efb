extension FieldDecoder {
    /// Remembers the credentials that are written in `document`, also where no field could be read: what stands beside the name of one, in
    /// `headers`, in a URL, or as the default of a variable that is one.
    func keepWrittenCredentials(in document: ConfigNode) {
        for section in document.members where ["sources", "pipelines"].contains(section.key) {
            // Names that people chose say nothing of what stands beside them.
            for member in section.value.members { keepWritten(member.value, isCredential: false) }
            if case .sequence = section.value.target.content { keepWritten(section.value.target, isCredential: false) }
        }
        for member in document.members where !["sources", "pipelines"].contains(member.key) {
            keepWritten(member.value, isCredential: Credential.isBeside(member.key))
        }
        if case .sequence = document.content { keepWritten(document, isCredential: false) }
    }

    /// Remembers a credential that was found in the lines of the text.
    func keepWritten(_ credential: WrittenCredential) {
        secretPlaces.insert(credential.range)
        credential.secrets.forEach(keepCredential)
    }

    /// Remembers the defaults of variables that are credentials, whether they count or not: they are shown where the file is.
    func keepDefaults(of node: ConfigNode) {
        withTarget(of: node) { node in
            guard case .scalar(let scalar) = node.content, scalar.text.contains(":-") else { return }
            let scalars = Array(scalar.text.unicodeScalars)
            for reference in VariableReference.all(in: scalar.text) where Credential.isOrigin(reference.name) {
                guard let range = reference.defaultRange else { continue }
                let literal = String(String.UnicodeScalarView(scalars[range]))
                guard literal.utf8.count >= Self.shortestSecret, !literal.contains("${"), CoreSchema.bool(literal) == nil else { continue }
                keepCredential(literal)
                keepSecretPart(subrange(of: node, offset: range.lowerBound, length: range.count), of: node)
            }
        }
    }

    private func keepWritten(_ node: ConfigNode, isCredential: Bool) {
        switch node.content {
        case .alias(let target): if isCredential { keepWritten(target, isCredential: true) }
        case .sequence(let elements): for element in elements { keepWritten(element, isCredential: isCredential) }
        case .mapping(let members):
            for member in members {
                keepWritten(member.value, isCredential: isCredential || member.key == "headers" || Credential.isBeside(member.key))
            }
        case .scalar(let scalar): keepWritten(scalar.text, in: node, isCredential: isCredential)
        }
    }

    private func keepWritten(_ text: String, in node: ConfigNode, isCredential: Bool) {
        if text.contains("://") {
            keepCredentials(ofURL: node)
            if let range = URLTemplate.credentials(in: text) {
                let literal = String(String.UnicodeScalarView(Array(text.unicodeScalars)[range]))
                for part in [literal[...]] + literal.split(separator: ":", maxSplits: 1) where !part.contains("${") {
                    keepSecret(String(part))
                }
            }
        }
        if text.contains("${") {
            keepDefaults(of: node)
        } else if isCredential, !node.isNull, CoreSchema.bool(text) == nil {
            keepCredential(text)
            keepSecretPlace(of: node)
        }
    }
}
