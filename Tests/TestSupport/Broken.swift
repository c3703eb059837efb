/// An error of a test's own.
package struct Broken: Error, Equatable {
    package var name: String

    package init(name: String = "broken") {
        self.name = name
    }
}
