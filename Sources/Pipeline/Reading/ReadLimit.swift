/// When a read has to end that has no answer.
package struct ReadLimit: Sendable {
    /// The moment.
    package let end: Timestamp
    /// Ends it before; nil where only the moment does.
    let callOff: CallOff?

    /// - Parameter callOff: called, the read ends at once with ``CalledOff``.
    package init(end: Timestamp, callOff: CallOff? = nil) {
        self.end = end
        self.callOff = callOff
    }
}
