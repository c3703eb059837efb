package import PipelineJSON

/// Members that a message must have, each with a scalar: `{ /type: joined }`.
package struct MessagePattern: Sendable, Hashable {
    /// The scalar at each place, as text: a string's characters, or a literal as JSON writes it. Numbers are compared by value.
    package var members: [JSONPointer: String]

    /// A pattern of `members`; an empty one matches nothing.
    ///
    /// - Parameter members: the scalar at each place, as text: a string's characters, or a literal as JSON writes it. Numbers are compared by
    ///   value.
    package init(_ members: [JSONPointer: String]) {
        self.members = members
    }
}
