import Glibc

/// The environment of the process.
enum Environment {
    struct Missing: Error, CustomStringConvertible {
        let name: String

        var description: String { "the environment variable `\(name)` is not set: `make bench` sets it" }
    }

    static subscript(name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    static func required(_ name: String) throws(Missing) -> String {
        guard let value = Self[name], !value.isEmpty else { throw Missing(name: name) }
        return value
    }
}
