/// An order of sources in which a test runs.
package struct ScenarioOrder: Sendable, Hashable {
    /// Its name in the file; nil for one that only the command names.
    package let name: String?
    package let sources: [String]

    package init(name: String?, sources: [String]) {
        (self.name, self.sources) = (name, sources)
    }

    /// The name, or the sources with commas.
    package var title: String { name ?? sources.joined(separator: ",") }
}
