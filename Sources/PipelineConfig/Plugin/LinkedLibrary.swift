/// A library in C that is linked into the program, as `pipe-run --version --verbose` names it.
package struct LinkedLibrary: Sendable {
    package let name: String
    package let version: String

    package init(name: String, version: String) {
        self.name = name
        self.version = version
    }

    /// - Parameter version: text that the library keeps.
    package init(name: String, version: UnsafePointer<CChar>?) {
        self.init(name: name, version: version.map { String(cString: $0) } ?? "unknown")
    }
}

extension SourcePlugin {
    /// This plugin, whose sources are made with `library`.
    package func linking(_ library: LinkedLibrary) -> SourcePlugin {
        var copy = self
        copy.library = library
        return copy
    }
}
