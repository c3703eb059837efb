internal import Pipeline

/// A value with parts that have names in the file, so that what is wrong with one is said of that one.
protocol NamedParts {
    /// The name of the first part that alone is wrong.
    func firstName(where isWrong: (Self) -> Bool) -> String?
}

extension FieldMap: NamedParts {
    func firstName(where isWrong: (FieldMap) -> Bool) -> String? {
        first { isWrong(FieldMap([$0])) }?.name
    }
}

extension FieldDecoder {
    /// A ratio that is written as a number of percent: `80%` for `80`.
    private func percent<Value>(_ value: Value, of node: ConfigNode, isWrong: (Value) -> Bool) -> String? {
        let ratio = value as? Ratio ?? (value as? Ratio?).flatMap(\.self)
        guard let ratio, let text = node.target.scalarText, ratio.value > 1, !text.hasSuffix("%"), quoted(node) == "`\(text)`" else {
            return nil
        }
        guard let meant = Ratio(ratio.value / 100) as? Value ?? (Ratio(ratio.value / 100) as Ratio?) as? Value, !isWrong(meant) else {
            return nil
        }
        return "write `\(text)%`"
    }

    /// Reports what is wrong with `value`; at the key that is wrong, or what stands there, where it has keys.
    func report<Value>(_ problem: FieldProblem, of value: Value, at node: ConfigNode, isWrong: (Value) -> Bool) {
        func firstName<Parts: NamedParts>(in parts: Parts) -> String? {
            parts.firstName { ($0 as? Value).map(isWrong) ?? false }
        }
        let name = (value as? any NamedParts).flatMap({ firstName(in: $0) })
        let member = name.flatMap { name in node.target.members.last { $0.key == name } }
        switch (problem, member) {
        case (.expected(let expected), let member?):
            report(
                .outOfRange, "`\(member.key.shortened)` is out of range for `\(fieldName)`: expected \(expected)",
                at: places.place(ofKeyOf: member))
        case (.expected(let expected), nil):
            report(
                .outOfRange, "\(quoted(node)) is out of range for `\(fieldName)`: expected \(expected)", at: node,
                help: percent(value, of: node, isWrong: isWrong))
        case (.name(let message), _):
            report(.outOfRange, message, at: member.map { places.place(ofKeyOf: $0) } ?? places.place(of: nil, in: node))
        case (.value(let message, let help), _):
            let place = member.map { member in places.withValue(of: member) { places.place(of: nil, in: $0) } }
            report(.malformed, message, at: place ?? places.place(of: nil, in: node), help: help)
        }
    }
}
