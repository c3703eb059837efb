package import PipelineConfig

/// A value and where it is written.
package struct Placed<Value: Sendable>: Sendable {
    package let value: Value
    package let range: TextRange

    package init(_ value: Value, at range: TextRange) {
        (self.value, self.range) = (value, range)
    }
}

extension Placed: FieldValue where Value: FieldValue {
    package static var fieldType: FieldType { Value.fieldType }

    package static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> Placed? {
        decoder.places.withTarget(of: node) { node in Value.decode(node, with: decoder).map { Placed($0, at: node.range) } }
    }

    package var written: String? { value.written }
}
