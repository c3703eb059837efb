internal import PipelineJSON

/// Where a place in the value of a part stands in the whole.
struct PartPlacing {
    let part: Composite.Part
    let spec: CompositeSpec
    /// The value of which `pick` takes members; nil where the part has none.
    let value: JSONFragment?

    /// The place in the whole of what stands at `place` in the value of the part's pipeline; nil where that is not in the whole. Of what is
    /// around `select` or around what is picked, the place of that.
    func place(of place: String) -> String? {
        guard let tokens = JSONPointer(place)?.tokens else { return part.at }
        guard let rest = Self.rest(of: tokens, in: part.spec.select.tokens) else { return nil }
        switch spec.shape {
        // A place in one of several lists is no place in the list of all.
        case .merge, .join: return part.at
        case .object:
            if spec.pick.isEmpty { return text([part.name] + rest) }
            // What is not picked can still be an argument of others.
            return part.at.isEmpty ? part.at : picked([part.name] + rest).map(text)
        case .of:
            if spec.pick.isEmpty || rest.isEmpty { return text(rest) }
            guard value?.isArray ?? false else { return picked(rest).map(text) }
            let inner = Array(rest.dropFirst())
            return (inner.isEmpty ? [] : picked(inner)).map { text(rest.prefix(1) + $0) }
        }
    }

    private func text(_ tokens: [String]) -> String { JSONPointer(tokens: tokens).description }

    private func text(_ tokens: ArraySlice<String>) -> String { text(Array(tokens)) }

    /// Where `pick` has put what is at `tokens`, or the first place of those within; nil where nothing of it is picked.
    private func picked(_ tokens: [String]) -> [String]? {
        for (name, at) in spec.pick where at.tokens.count <= tokens.count {
            if let rest = Self.rest(of: tokens, in: at.tokens) { return [name] + rest }
        }
        return spec.pick.first { Self.rest(of: tokens, in: $0.at.tokens) != nil }.map { [$0.name] }
    }

    /// What of `tokens` follows `begin`: none where they lead to it or to what is around it; nil where they lead elsewhere.
    private static func rest(of tokens: [String], in begin: [String]) -> [String]? {
        guard zip(tokens, begin).allSatisfy({ $0.hasSameBytes(as: $1) }) else { return nil }
        return Array(tokens.dropFirst(begin.count))
    }
}
