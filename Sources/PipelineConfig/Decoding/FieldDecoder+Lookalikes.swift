extension FieldDecoder {
    /// So many are named of one text.
    private static let mostLookalikes = 8

    /// Reports what looks like a variable or a parameter in the text of `node`, and is plain text.
    ///
    /// - Parameters:
    ///   - allowsParameters: whether the text is a template.
    ///   - isURL: whether a parameter may have been meant by `/:user`, as other routers write it.
    func reportLookalikes(in text: InterpolatedText, of node: ConfigNode, allowsParameters: Bool = true, isURL: Bool = false) {
        let found = Lookalike.all(in: text) + (isURL ? Lookalike.segments(of: text).filter { known.parameters.contains($0.name) } : [])
        for lookalike in found.prefix(Self.mostLookalikes) where allowsParameters || lookalike.form == .dollar {
            let isParameter = allowsParameters && (lookalike.form != .dollar || known.parameters.contains(lookalike.name))
            let (name, plain) = (lookalike.name, "`$$\(lookalike.name)` for the text itself")
            let message =
                switch lookalike.form {
                case .dollar:
                    "`$\(name)` is plain text: a \(isParameter ? "parameter is written `{\(name)}`" : "variable is written `${\(name)}`")"
                case .doubleBraces: "`{{\(name)}}` has two pairs of braces: a parameter is written `{\(name)}`"
                case .colon: "`:\(name)` is plain text: a parameter is written `{\(name)}`"
                }
            if let whole = quoted(lookalike, of: node, as: isParameter ? "{\(name)}" : "${\(name)}") {
                report(
                    .lookalike, message, at: places.place(of: nil, in: node),
                    help: "write `\(whole)`" + (lookalike.form == .colon ? "" : ", or \(plain)"))
                continue
            }
            report(
                .lookalike, message, at: lookalike.range, of: node,
                help: lookalike.form != .dollar
                    ? "write `{\(name)}`" : isParameter ? "write `{\(name)}`, or \(plain)" : "write `${\(name)}`, or \(plain)")
        }
    }

    /// The whole text with `reference` in it, in the quotes that its braces want; nil where it stands in quotes, or is long.
    private func quoted(_ lookalike: Lookalike, of node: ConfigNode, as reference: String) -> String? {
        let node = node.target
        guard case .scalar(let scalar) = node.content, scalar.isPlain, scalar.text.utf8.count < 100, !secrets.holds(node.range),
            !scalar.text.contains(where: { "\"\\`".contains($0) })
        else { return nil }
        let scalars = Array(scalar.text.unicodeScalars)
        let (before, after) = (scalars[..<lookalike.range.lowerBound], scalars[lookalike.range.upperBound...])
        return "\"" + String(String.UnicodeScalarView(before)) + reference + String(String.UnicodeScalarView(after)) + "\""
    }

    /// Reports lookalikes in a secret, of which nothing is quoted. Only names in capitals count: a password may well have a `$` in it.
    ///
    /// - Returns: whether there is one, so that the text is most likely not the secret itself.
    func reportLookalikes(inSecret text: InterpolatedText, of node: ConfigNode) -> Bool {
        let found = Lookalike.all(in: text).filter { lookalike in
            switch lookalike.form {
            case .dollar: lookalike.name.utf8.count > 2 && lookalike.name == lookalike.name.uppercased()
            case .doubleBraces: true
            case .colon: false
            }
        }
        for lookalike in found.prefix(Self.mostLookalikes) {
            let isVariable = lookalike.form == .dollar
            report(
                .lookalike,
                isVariable
                    ? "this name after a `$` is plain text: a variable has braces around its name"
                    : "two pairs of braces are plain text: a parameter has one",
                at: lookalike.range, of: node,
                help: isVariable ? "put braces around the name, as in `${NAME}`; `$$` stands for a `$` itself" : "remove one pair of braces"
            )
        }
        return !found.isEmpty
    }

    /// `<user>` in a URL is no parameter.
    func helpForAngleBrackets(in text: InterpolatedText) -> String? {
        guard text.text.contains("<") else { return nil }
        let meant = known.parameters.sorted().prefix(20).first { text.text.contains("<\($0)>") }
        return meant.map { "a parameter is written `{\($0)}`" }
    }

    /// The reference to write: `{user}` where that is a parameter, or `${API}`.
    func written(_ meant: MeantReference) -> String {
        switch meant {
        case .name(let name): known.parameters.contains(name) ? "{\(name)}" : "${\(name)}"
        case .written(let text): text
        }
    }
}
