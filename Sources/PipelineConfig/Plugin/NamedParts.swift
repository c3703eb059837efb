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

    /// Reports that `value` is not `expected`; at the key that is wrong, where it has keys.
    func reportOutOfRange<Value>(_ value: Value, of node: ConfigNode, _ expected: String, isWrong: (Value) -> Bool) {
        func name<Parts: NamedParts>(in parts: Parts) -> String? {
            parts.firstName { ($0 as? Value).map(isWrong) ?? false }
        }
        if let name = (value as? any NamedParts).flatMap({ name(in: $0) }), let member = node.target.members.last(where: { $0.key == name })
        {
            report(
                .outOfRange, "`\(name.shortened)` is out of range for `\(fieldName)`: expected \(expected)", at: place(ofKeyOf: member))
        } else {
            report(
                .outOfRange, "\(quoted(node)) is out of range for `\(fieldName)`: expected \(expected)", at: node,
                help: percent(value, of: node, isWrong: isWrong))
        }
    }
}
