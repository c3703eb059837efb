/// A parameter that a pipeline takes.
public struct ParameterSpec: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The name of the parameter.
    public let name: String
    /// The value it has when a fetch gives none; nil when a fetch must give one.
    public let defaultValue: String?

    /// A parameter called `name`.
    public init(_ name: String, default defaultValue: String? = nil) {
        self.name = name
        self.defaultValue = defaultValue
    }

    /// A parameter of this name, which every fetch must give.
    public init(stringLiteral name: String) {
        self.init(name)
    }
}

/// The arguments of a fetch, written as a dictionary literal: `["user": "42"]`.
///
/// A literal with one argument allocates nothing, where a dictionary is an allocation and a hash of the name.
public struct Arguments: ExpressibleByDictionaryLiteral, Sendable {
    @usableFromInline enum Contents: Sendable {
        case one(name: String, value: String)
        case dictionary([String: String])
    }

    @usableFromInline let contents: Contents

    /// The arguments of a literal. Names must differ.
    @inlinable
    @inline(__always)
    public init(dictionaryLiteral elements: (String, String)...) {
        if elements.count == 1 {
            contents = .one(name: elements[0].0, value: elements[0].1)
        } else {
            contents = .dictionary(Self.dictionary(elements))
        }
    }

    // Not inlined, so that the caller's optimizer sees that a list of one element goes nowhere.
    @inlinable
    @inline(never)
    static func dictionary(_ elements: [(String, String)]) -> [String: String] {
        Dictionary(uniqueKeysWithValues: elements)
    }
}
