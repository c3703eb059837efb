internal import Pipeline
internal import PipelineJSON

/// Any value of a configuration, as JSON: scalars by the core schema of YAML 1.2.2, mappings in the order of the file.
///
/// What has no quotes is what YAML takes it for, so that `yes` is text and `0x1F` the number 31. A scalar that a variable stands in
/// is always text: what its value looks like does not change its type.
public struct JSONValue: Sendable, Hashable {
    /// The JSON text, without spaces.
    public let text: String
}

extension JSONValue: FieldValue {
    /// Any value.
    public static var fieldType: FieldType { .any }

    /// The value that is written, aliases and merges expanded. `.inf` and `.nan`, which JSON does not have, are reported, and what would be
    /// longer than the longest file.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> JSONValue? {
        guard let value = decoder.json(node), decoder.hasJSONRoom(at: node) else { return nil }
        decoder.reportQuotedJSON(node)
        return JSONValue(text: value.text)
    }

    /// Nil: what stands in a file is no default.
    public var written: String? { nil }
}

extension FieldDecoder {
    /// The most bytes that values given as JSON may come to, aliases expanded: as many as the longest file has.
    static let mostJSONBytes = 16 << 20

    /// Counts `bytes` of such a value. Text is shared until it is written out, so that counting is soon enough.
    private func takeJSONRoom(_ bytes: Int) {
        if room.jsonBytes >= 0 { room.jsonBytes -= bytes }
    }

    /// Whether the values given as JSON, with that of `node`, are not too long; it is reported once when they are.
    fileprivate func hasJSONRoom(at node: ConfigNode) -> Bool {
        guard room.jsonBytes < 0 else { return true }
        guard room.jsonBytes > .min else { return false }
        room.jsonBytes = .min
        report(
            .overLimit, "the values given as JSON come to more than \(Self.mostJSONBytes >> 20) MiB with `\(fieldName)`", at: node,
            help: "keep it in a file of its own, and read it with a source of the type `file`")
        return false
    }

    /// Reports a list or an object of JSON that quotes make a string.
    fileprivate func reportQuotedJSON(_ node: ConfigNode) {
        places.withTarget(of: node) { node in
            guard case .scalar(let scalar) = node.content, !scalar.isPlain,
                let first = scalar.text.first(where: { !$0.isWhitespace }), first == "[" || first == "{",
                JSONScanner.problem(of: Array(scalar.text.utf8)) == nil
            else { return }
            let isShown = scalar.text.utf8.count <= 80 && !scalar.text.contains { "$\n".contains($0) } && !secrets.holds(node.range)
            report(
                .lookalike, "the value of `\(fieldName)` is text that looks like JSON: quotes make it a string",
                at: places.place(of: nil, in: node),
                help: isShown
                    ? "write `\(fieldName): \(scalar.text)` for the value itself" : "write it without quotes, or without the `|`, as YAML")
        }
    }

    fileprivate func json(_ node: ConfigNode) -> JSONText? {
        places.withTarget(of: node) { node in
            switch node.content {
            case .scalar(let scalar): return json(scalar, node)
            case .sequence(let elements):
                takeJSONRoom(elements.count + 2)
                let values = elements.map { json($0) }
                return values.contains { $0 == nil } ? nil : .array(values.compactMap(\.self))
            case .mapping(let members):
                // Every member is read before one that cannot be ends it, so that one run finds every problem.
                let values = members.map { member in
                    takeJSONRoom(member.key.utf8.count + 4)
                    return (member.key, places.withValue(of: member) { json($0) })
                }
                return values.contains { $0.1 == nil } ? nil : .object(values.compactMap { name, value in value.map { (name, $0) } })
            case .alias(let target): return json(target)
            }
        }
    }

    private func json(_ scalar: ConfigNode.Scalar, _ node: ConfigNode) -> JSONText? {
        takeJSONRoom(scalar.text.utf8.count + 2)
        guard scalar.isPlain, !scalar.text.utf8.contains(UInt8(ascii: "$")) else {
            return text(of: node, expecting: "a value").map { .string($0) }
        }
        switch PlainScalar(scalar.text) {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .number(let text): return .number(text)
        case .text: return .string(scalar.text)
        case .notInJSON:
            report(
                .notAllowed, "`\(scalar.text.shortened)` is not allowed for `\(fieldName)`: JSON has no such number", at: node,
                help: "quote it to give it as text")
            return nil
        }
    }
}
