/// A parameter that a pipeline takes.
public struct ParameterSpec: Sendable, Hashable, ExpressibleByStringLiteral {
    /// Its name.
    package let name: String
    /// The value it has when a fetch gives none; nil when a fetch must give one.
    package let defaultValue: String?

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
