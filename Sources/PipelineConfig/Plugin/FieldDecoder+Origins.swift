internal import Pipeline

extension FieldDecoder {
    /// The variables and files of a scalar.
    struct OutsideValues {
        let names: [String]
        /// The one that is all there is of the scalar.
        let whole: String?
        let node: ConfigNode
    }

    /// Remembers which values of `text` come from outside, where it stands in `node`.
    func noteOutsideValues(of text: InterpolatedText, in node: ConfigNode) {
        var names: [String] = []
        for name in text.variables where names.count < Self.mostUses && !names.contains(name) { names.append(name) }
        guard !names.isEmpty else { return }
        withTarget(of: node) {
            outsideValues[$0.range] = OutsideValues(names: names, whole: text.pieces.count == 1 ? names.first : nil, node: $0)
        }
    }

    /// Whether the text at `range` has values of variables or files in it.
    func isFromOutside(_ range: TextRange) -> Bool {
        outsideValues[range] != nil
    }

    /// What else there is to know of what stands at `place`: where its value comes from, and the aliases and merges on the way.
    func remarks(on place: ConfigPlace) -> [Diagnostic.Related] {
        let origins = outsideValues[place.range].map { values in values.names.map { remark(onOrigin: $0, in: values.node) } } ?? []
        return origins + place.uses.suffix(Self.mostUses).reversed().map { Diagnostic.Related.use(at: $0) }
    }

    /// Where a value of a scalar came from. Never the value: it may be secret, and the file does not say so.
    private func remark(onOrigin name: String, in node: ConfigNode) -> Diagnostic.Related {
        let reference = node.scalarText.flatMap { VariableReference.find(name, in: $0) }
        let range = reference.map { subrange(of: node, offset: $0.range.lowerBound, length: $0.range.count) } ?? node.range
        return Diagnostic.Related(words(forOriginOf: name, hasDefault: reference?.defaultRange != nil), at: range)
    }

    private func words(forOriginOf name: String, hasDefault: Bool) -> String {
        if name.hasPrefix("file:") { return "the value comes from the file `\(name.dropFirst(5).description.shortened)`" }
        switch environment.variable(name) {
        case nil: return "the environment variable `\(name)` is not set, so that its default counts"
        case "": return "the environment variable `\(name)` is empty" + (hasDefault ? ", so that its default counts" : "")
        default: return "the value comes from the environment variable `\(name)`"
        }
    }
}
