extension Composite {
    /// The key of a part: what its arguments say, else what the composite has under the same name.
    ///
    /// - Parameters:
    ///   - parameters: those of the key of the whole.
    ///   - text: gives the value of an argument.
    func key(
        of part: Part, in pipeline: DataPipeline, _ parameters: [Parameter], _ text: (PartArgument) throws(SourceError) -> String
    ) throws(SourceError) -> Key {
        var arguments: [String: String] = [:]
        for parameter in pipeline.spec.parameters {
            if let argument = part.spec.arguments[parameter.name] {
                arguments[parameter.name] = try text(argument)
            } else if let own = parameters.first(where: { $0.name.hasSameBytes(as: parameter.name) }) {
                arguments[parameter.name] = own.value
            }
        }
        do throws(UsageError) {
            return try pipeline.key(arguments)
        } catch {
            throw SourceError(error.message, kind: .unasked)
        }
    }
}

extension PartArgument {
    /// The text with the values of these parameters. Throws for one that is taken from a value, and where a parameter is missing.
    func given(_ parameters: [Parameter]) throws(SourceError) -> String {
        guard let text = text(parameters) else { throw SourceError("an argument has no value", kind: .invalid) }
        return text
    }
}
