/// A cache that cannot keep its copies at another place: its fields do not say how.
package struct UnmovableCache: Error, CustomStringConvertible {
    /// The name of the source.
    package let source: String

    package var description: String { "the copies of `\(source)` cannot be kept at a temporary place" }
}
