/// One argument of a pipeline: a name and its value.
public struct Parameter: Hashable, Sendable {
    /// The declared name.
    public let name: String
    /// The value as given; any text, also empty.
    public let value: String

    /// A parameter called `name` with `value`.
    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}
