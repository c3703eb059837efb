extension FieldDecoder {
    /// A parameter that a template names, and where.
    struct ParameterUse {
        let parameter: String
        let place: ConfigPlace
        /// How parameters are named there: `{` and `}` around the name, or `:` before it.
        var style = Style.braces
        /// Whether it stands in a secret, of which it may be a part.
        var isSecret = false

        /// How a parameter is named.
        enum Style {
            case braces
            case colon

            func written(_ parameter: String) -> String {
                switch self {
                case .braces: "{\(parameter)}"
                case .colon: ":\(parameter)"
                }
            }
        }
    }

    /// Reads the template of `node`, and remembers which parameters it uses.
    func template(
        of node: ConfigNode, expecting expectation: String, isLenient: Bool = false
    ) -> (Template, InterpolatedText)? {
        guard let (text, isComplete) = interpolation(of: node, expecting: expectation) else { return nil }
        let template = Template(text, isLenient: isLenient, limit: referenceRoom + 1)
        guard countReferences(template.uses.count + template.problems.count, at: node) else { return nil }
        guard template.problems.isEmpty else {
            for problem in template.problems {
                report(
                    .malformed, "malformed template for `\(fieldName)`: \(problem.message)",
                    at: place(of: subrange(of: node, offset: problem.offset, length: problem.length), in: node),
                    help: problem.meant.map { "write `\($0)`" } ?? "a parameter is written `{name}`, with letters, digits and `_`")
            }
            return nil
        }
        for use in template.uses {
            let range = subrange(of: node, offset: use.offset, length: use.parameter.unicodeScalars.count + 2)
            parameterUses.append(ParameterUse(parameter: use.parameter, place: place(of: range, in: node)))
        }
        return isComplete ? (template, text) : nil
    }

    /// Remembers that the uses noted since there were `count` of them stand in a secret.
    func keepSecretUses(since count: Int) {
        for index in parameterUses.indices.dropFirst(count) { parameterUses[index].isSecret = true }
    }

    /// Takes the uses that were noted since the last call.
    func takeParameterUses() -> [ParameterUse] {
        defer { parameterUses = [] }
        return parameterUses
    }
}
