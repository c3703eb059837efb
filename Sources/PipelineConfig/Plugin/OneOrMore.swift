/// One value, or a list of at least one.
struct OneOrMore<Element: FieldValue>: FieldValue {
    let elements: [Element]

    static var fieldType: FieldType { .either([Element.fieldType, .list(Element.fieldType, atLeast: 1)]) }

    static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> OneOrMore? {
        decoder.places.withTarget(of: node) { node in
            guard case .sequence(let nodes) = node.content else {
                return Element.decode(node, with: decoder).map { OneOrMore(elements: [$0]) }
            }
            guard !nodes.isEmpty else {
                decoder.report(.outOfRange, "the list for `\(decoder.fieldName)` is empty", at: node)
                return nil
            }
            let elements = nodes.compactMap { Element.decode($0, with: decoder) }
            return elements.count == nodes.count ? OneOrMore(elements: elements) : nil
        }
    }

    /// Without brackets where it is one.
    var written: String? { elements.count == 1 ? elements.first?.written : elements.written }
}
