internal import PipelineJSON

extension Composite {
    /// Assembles the whole where memory has a fresh copy of each part at hand: then there is nothing to decide. Nil where that is not so, or
    /// the copies make no whole; an ``Assembly`` says why.
    ///
    /// - Parameter found: what memory has of the parts that were looked for, in their order; nil for one that must be asked.
    func wholeAtHand(for key: Key, noting found: inout [Outcome?]) -> AssembledWhole? {
        guard canBeAtHand else { return nil }
        let (pipelines, parameters) = (pipelines, key.parameters)
        var times = PartTimes()
        var pieces: [Piece] = []
        pieces.reserveCapacity(parts.count)
        found.reserveCapacity(parts.count)
        do throws(SourceError) {
            for (index, part) in parts.enumerated() {
                guard let pipeline = pipelines[index] else { return nil }
                let key = try self.key(of: part, in: pipeline, parameters) { argument throws(SourceError) in try argument.given(parameters)
                }
                found.append(pipeline.immediate(key))
                guard let copy = found[index]?.answer, let payload = copy.payload else { return nil }
                pieces.append(Piece(label: part.member, value: try selected(part, of: pipeline, payload)))
                times.use(copy: copy, as: "part `\(part.name)`")
            }
            guard let payload = try spec.assembled(pieces) else { return nil }
            let composition = Composition(atHand: found, of: parts, notKept: times.notKept)
            return AssembledWhole(ending: .value(payload), times: times, composition: composition, isCut: false)
        } catch {
            return nil
        }
    }

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
