import Pipeline
internal import PipelineJSON
public import PipelineLive

extension MergePolicy.Operations: FieldValue {
    private static let fields = FieldGroup(
        Field<Place>("at", "Where the word stands in a message; `event` for the name of an SSE event.", example: "/type"),
        Field(
            "upsert", default: OneOrMore<String>?.none, "The words that insert an item, or replace the one with its id.",
            example: "[added, updated]"),
        Field("delete", default: OneOrMore<String>?.none, "The words that remove the item.", example: "removed"),
        Field(
            "patch", default: OneOrMore<String>?.none,
            "The words that change members of the item (RFC 7396): null removes a member, arrays are replaced.", example: "renamed")
    ) { place, upsert, delete, patch in
        MergePolicy.Operations(
            at: place, upsert: upsert?.elements ?? [], delete: delete?.elements ?? [], patch: patch?.elements ?? [])
    }

    /// A mapping with these fields.
    public static var fieldType: FieldType { .object(fields.declarations) }

    /// The operations; nil unless it is known where their words stand.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> MergePolicy.Operations? {
        decoder.places.withTarget(of: node) { node in
            guard case .mapping(let members) = node.content else {
                let place = node.scalarText.flatMap { JSONPointer($0) == nil ? nil : $0 } ?? "/type"
                decoder.report(
                    .wrongType, "expected a mapping for `\(decoder.fieldName)`, found \(node.kind)", at: node,
                    help: "say which word does what: `op: { at: \(place.shortened), upsert: updated, delete: removed }`")
                return nil
            }
            if let meant = meant(by: members) {
                decoder.report(
                    .unknownField, "`op` has the words of messages as its fields", at: node,
                    help: "name the operation before its words: `op: { at: /type, \(meant) }`".shortened(to: 200))
                return nil
            }
            return fields.decode(members, of: FieldOwner(description: "`op`", range: node.range), with: decoder)
        }
    }

    /// The operations with their words, where it is written the other way round: `{ added: upsert, removed: delete }`.
    private static func meant(by members: [ConfigNode.Member]) -> String? {
        let names = ["upsert", "delete", "patch"]
        let words = members.filter { $0.key != "at" }.map { (operation: $0.value.target.scalarText ?? "", word: $0.key) }
        guard !words.isEmpty, words.allSatisfy({ names.contains($0.operation) && !names.contains($0.word) }) else { return nil }
        return names.compactMap { name in
            let own = words.filter { $0.operation == name }.map(\.word.inFlow)
            return own.isEmpty ? nil : "\(name): \(own.count == 1 ? own[0] : "[\(own.joined(separator: ", "))]")"
        }.joined(separator: ", ")
    }

    /// Nil: it is not written on one line.
    public var written: String? { nil }
}

extension MergePolicy.Operations.Place: FieldValue {
    /// A JSON Pointer, or `event`.
    public static var fieldType: FieldType { .either([.choice(["event"]), JSONPointer.fieldType]) }

    /// The place that is written.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> MergePolicy.Operations.Place? {
        guard let text = decoder.text(of: node, expecting: "a JSON Pointer, as `/type`, or `event`") else { return nil }
        return text == "event" ? .event : decoder.pointer(text, of: node).map(MergePolicy.Operations.Place.pointer)
    }

    /// The pointer, or `event`.
    public var written: String? {
        switch self {
        case .event: "event"
        case .pointer(let pointer): pointer.description
        }
    }
}

/// Which way items are sorted.
private enum SortOrder: String, FieldChoice {
    case ascending = "asc"
    case descending = "desc"
}

extension MergePolicy.Insertion: FieldValue {
    typealias Word = (String, MergePolicy.Insertion)

    private static let words: [Word] = [
        ("refresh", .refresh), ("first", .first), ("last", .last), ("ignore", .ignore),
    ]

    private static let sorting = FieldGroup(
        Field<JSONPointer>("by", "The place of the sort key in an item.", example: "/name"),
        Field("order", default: SortOrder.ascending, "Ascending or descending.")
    ) { MergePolicy.Insertion.sorted($0, isDescending: $1 == .descending) }

    /// A word, or a mapping that says what to sort by.
    public static var fieldType: FieldType { fieldType(words) }

    /// One of `words`, or a mapping that says what to sort by.
    static func fieldType(_ words: [Word]) -> FieldType { .either([.choice(words.map(\.0)), .object(sorting.declarations)]) }

    /// The place that is written.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> MergePolicy.Insertion? {
        decode(node, among: words, with: decoder)
    }

    static func decode(_ node: ConfigNode, among words: [Word], with decoder: FieldDecoder) -> MergePolicy.Insertion? {
        decoder.places.withTarget(of: node) { node in
            if case .mapping(let members) = node.content {
                return sorting.decode(members, of: FieldOwner(description: "`insert`", range: node.range), with: decoder)
            }
            let names = words.map(\.0)
            let expectation = "\(names.map { "`\($0)`" }.joined(separator: ", ")) or a mapping with `by`"
            guard let text = decoder.text(of: node, expecting: expectation) else { return nil }
            if let (_, insertion) = words.first(where: { $0.0 == text }) { return insertion }
            let message = "\(decoder.quoted(node)) is not allowed for `\(decoder.fieldName)`"
            if text.hasPrefix("/"), JSONPointer(text) != nil {
                decoder.report(.notAllowed, message, at: node, help: "write `insert: { by: \(text.shortened) }` to sort by it")
            } else {
                decoder.report(.notAllowed, message, word: text, of: node, among: names, noun: "values")
            }
            return nil
        }
    }

    /// The word, or `{ by: /name, order: desc }`.
    public var written: String? {
        guard case .sorted(let pointer, let isDescending) = self else { return Self.words.first { $0.1 == self }?.0 }
        return "{ by: \(pointer.description.inFlow)\(isDescending ? ", order: desc" : "") }"
    }
}
