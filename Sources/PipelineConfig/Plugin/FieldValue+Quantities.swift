public import Pipeline

extension Duration: FieldValue {
    /// A duration.
    public static var fieldType: FieldType { .duration }

    /// A duration such as `250ms` or `1h30m`; never negative.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> Duration? {
        decoder.quantity(of: node, "a duration, as `30s`, `10m` or `1h30m`", meant: MeantQuantity.duration) {
            text throws(Quantity.Problem) in
            try Quantity.duration(text)
        }
    }

    /// The shortest spelling: `1h30m`.
    public var written: String? { spelling }

    /// The duration itself.
    public var duration: Duration? { self }
}

extension Size: FieldValue {
    /// A size.
    public static var fieldType: FieldType { .size }

    /// A size such as `512KB` or `64MiB`; never negative.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> Size? {
        decoder.quantity(of: node, "a size, as `512KB` or `64MiB`", meant: MeantQuantity.size) { text throws(Quantity.Problem) in
            try Quantity.size(text)
        }
    }

    /// In the largest unit that leaves no rest.
    public var written: String? { spelling }
}

extension Ratio: FieldValue {
    /// A ratio.
    public static var fieldType: FieldType { .ratio }

    /// A ratio such as `0.8` or `80%`; its bounds are the field's.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> Ratio? {
        decoder.quantity(of: node, "a ratio, as `0.8` or `80%`", meant: MeantQuantity.ratio) { text throws(Quantity.Problem) in
            try Quantity.ratio(text)
        }
    }

    /// As a decimal.
    public var written: String? { value == value.rounded() && abs(value) < 1e15 ? "\(Int(value))" : "\(value)" }
}

extension FieldDecoder {
    fileprivate func quantity<Value>(
        of node: ConfigNode, _ expectation: String, meant: (String) -> String?, parse: (String) throws(Quantity.Problem) -> Value
    ) -> Value? {
        guard let text = text(of: node, expecting: expectation) else { return nil }
        do {
            return try parse(text)
        } catch {
            let isWritten = quoted(node) == "`\(text)`"
            switch error {
            case .malformed:
                report(
                    .malformed, "malformed value \(quoted(node)) for `\(fieldName)`: expected \(expectation)", at: node,
                    help: isWritten
                        ? helpForRest(of: text) { (try? parse($0)) != nil } ?? meant(text).map { "write `\($0)`" } ?? helpForVariable(text)
                            ?? helpForNone(text) : nil)
            case .missingUnit:
                report(
                    .malformed, "\(quoted(node)) for `\(fieldName)` has no unit: expected \(expectation)", at: node,
                    help: isWritten ? "write `\(text)s` for seconds, or `\(text)ms` for milliseconds" : nil)
            case .negative:
                let positive = text.hasPrefix("-") ? String(text.dropFirst()) : ""
                report(
                    .outOfRange, "\(quoted(node)) is out of range for `\(fieldName)`: expected \(field.bounds?.words ?? "0 or more")",
                    at: node,
                    help: isWritten && (try? parse(positive)) != nil && !positive.isEmpty ? "write `\(positive)`" : nil)
            case .tooLarge:
                reportTooLarge(node)
            }
            return nil
        }
    }

    /// The number is greater than can be read.
    func reportTooLarge(_ node: ConfigNode) {
        let expected = field.bounds.flatMap { $0.upper == nil ? nil : ": expected \($0.words)" } ?? ""
        report(.outOfRange, "\(quoted(node)) is too large for `\(fieldName)`\(expected)", at: node)
    }

    /// `1h#x`, `3s // x` and `3s,`: a value that has more behind it.
    private func helpForRest(of text: String, isSound: (String) -> Bool) -> String? {
        let value = String(text.prefix { !"#/;,".contains($0) }.reversed().drop(while: \.isWhitespace).reversed())
        guard value.utf8.count < text.utf8.count, isSound(value) else { return nil }
        let rest = text[value.endIndex...]
        let words = rest.drop { "#/;, ".contains($0) }
        // `1,5GB` is one number.
        guard words.isEmpty || rest.drop(while: \.isWhitespace).first != "," else { return nil }
        return words.isEmpty
            ? "write `\(fieldName): \(value)`"
            : "a comment begins with a space and a `#`: `\(fieldName): \(value) # \(String(words).shortened)`"
    }

    /// `timeout: none` has no meaning here.
    private func helpForNone(_ text: String) -> String? {
        guard text == "none" || TimeToLive.endless.contains(text.lowercased()) else { return nil }
        return "leave `\(fieldName)` out for its default"
    }

    /// `$TTL` is no variable to this program.
    private func helpForVariable(_ text: String) -> String? {
        guard text.hasPrefix("$"), Identifier.isValid(text.dropFirst()) else { return nil }
        return "write `${\(text.dropFirst())}`"
    }
}
