/// One argument of a pipeline: a name and its value.
package struct Parameter: Hashable, Sendable {
    /// The declared name.
    package let name: String
    /// The value as given; any text, also empty.
    package let value: String

    /// A parameter called `name` with `value`.
    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}
