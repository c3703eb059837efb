/// A value on the heap, in the room of one pointer: for what is large and seldom there.
indirect enum Boxed<Value> {
    case none
    case some(Value)

    init(_ value: Value?) {
        self = value.map { .some($0) } ?? .none
    }

    var value: Value? {
        if case .some(let value) = self { value } else { nil }
    }
}

extension Boxed: Sendable where Value: Sendable {}
