internal import Pipeline
package import PipelineConfig

/// The expected value: one, or another one for each order.
package struct Expected<Value: FieldValue>: Sendable {
    /// The value for every order; nil if only some have one.
    package let everywhere: Placed<Value>?
    /// The values by the names of orders. Of JSON an object is both until it is known which orders there are.
    package let byOrder: NamedValues<Placed<Value>>

    /// Indicates whether the members are orders, of which `known` are the names.
    package func isByOrder(_ known: [String]) -> Bool {
        everywhere == nil || (!byOrder.members.isEmpty && byOrder.members.allSatisfy { known.contains($0.name) })
    }

    /// The value in `order`, of the orders that are `known`; nil if nothing is expected.
    package func value(in order: String?, of known: [String]) -> Placed<Value>? {
        guard isByOrder(known) else { return everywhere }
        return order.flatMap { byOrder[$0] }
    }

    /// Every value that may be expected.
    package func values(of known: [String]) -> [Placed<Value>] {
        isByOrder(known) ? byOrder.members.map(\.value) : [everywhere].compactMap(\.self)
    }
}

/// An expectation that may differ by order, whatever its value is.
protocol OrderedExpectation {
    /// Indicates whether something is expected in one of `orders`, nil among them for the pipeline's own. A name that is no order is
    /// reported, and may be meant for any.
    func applies(in orders: [String?], of known: [String]) -> Bool

    /// The names that stand for orders and are none of `known`.
    func unknownOrders(of known: [String]) -> [(name: String, range: TextRange)]
}

extension Expected: OrderedExpectation {
    func applies(in orders: [String?], of known: [String]) -> Bool {
        orders.contains { value(in: $0, of: known) != nil } || !unknownOrders(of: known).isEmpty
    }

    func unknownOrders(of known: [String]) -> [(name: String, range: TextRange)] {
        isByOrder(known) ? byOrder.members.filter { !known.contains($0.name) }.map { ($0.name, $0.range) } : []
    }
}

/// Several expectations, as those of a fetch.
protocol OrderedExpectations: OrderedExpectation {
    /// Each of them, in the order in which they are checked; nil for one that is not given.
    var all: [(any OrderedExpectation)?] { get }
}

extension OrderedExpectations {
    func applies(in orders: [String?], of known: [String]) -> Bool { all.contains { $0?.applies(in: orders, of: known) == true } }

    func unknownOrders(of known: [String]) -> [(name: String, range: TextRange)] {
        all.flatMap { $0?.unknownOrders(of: known) ?? [] }
    }
}

/// A value that a mapping can be.
protocol MappingValue {
    /// Indicates whether `members` are a value; else they are orders. Nil if they may be either.
    static func isValue(_ members: [ConfigNode.Member]) -> Bool?
}

extension JSONValue: MappingValue {
    static func isValue(_ members: [ConfigNode.Member]) -> Bool? { nil }
}

extension Expected: FieldValue {
    package static var fieldType: FieldType { .either([Value.fieldType, .map(Value.fieldType)]) }

    package static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> Expected? {
        decoder.places.withTarget(of: node) { node in
            guard case .mapping(let members) = node.content else {
                return Placed<Value>.decode(node, with: decoder).map { Expected(everywhere: $0, byOrder: NamedValues()) }
            }
            if Value.self is [Placed<TraceWord>].Type, let words = TraceWord.list(meantBy: members) {
                decoder.report(
                    .wrongType, "expected a list for `\(decoder.fieldName)`, found a mapping", at: node,
                    help: "write `\(decoder.fieldName): \(words)`".shortened(to: 200))
                return nil
            }
            let kind = (Value.self as? any MappingValue.Type).map { $0.isValue(members) } ?? false
            if kind == true { return Placed<Value>.decode(node, with: decoder).map { Expected(everywhere: $0, byOrder: NamedValues()) } }
            guard let byOrder = NamedValues<Placed<Value>>.decode(node, with: decoder) else { return nil }
            return Expected(everywhere: kind == nil ? Placed<Value>.decode(node, with: decoder) : nil, byOrder: byOrder)
        }
    }

    package var written: String? { everywhere?.written }
}
