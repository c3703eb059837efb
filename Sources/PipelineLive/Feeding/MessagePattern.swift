import Pipeline
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

extension MessagePattern {
    /// Indicates whether `payload` is JSON that has every member of the pattern.
    package func matches(_ payload: [UInt8]) -> Bool {
        !members.isEmpty && JSONScanner.problem(of: payload) == nil && matches(json: payload)
    }

    /// Indicates whether `payload`, which is known to be JSON, has every member of the pattern.
    func matches(json payload: [UInt8]) -> Bool {
        !members.isEmpty
            && members.allSatisfy { pointer, text in
                guard let scalar = JSONScanner.scalar(at: pointer, in: payload) else { return false }
                if case .number(let number) = scalar, let wanted = JSONNumber(text) { return number == wanted }
                return scalar.text.hasSameBytes(as: text)
            }
    }
}
