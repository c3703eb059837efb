public import Pipeline

/// A decoded value and its status at one moment.
public struct ValueSnapshot<Value: Sendable>: Sendable {
    /// The value; nil while there is none, and when there is none to have.
    ///
    /// When the newest value is not a `Value`, this is still the one before: ``error`` says so.
    public let value: Value?
    /// What is known beside the value.
    public let status: LiveStatus
    /// Why the value is not the newest: a `DecodingError` when the newest is not a `Value`, else ``LiveStatus/error``; nil when it is.
    public let error: (any Error)?
    /// Whether the value was decoded for this snapshot: one that changed the status alone carries on the value before.
    package let hasNewValue: Bool

    init(_ decoded: Decoded<Value>, _ status: LiveStatus, hasNewValue: Bool) {
        value = decoded.value
        self.status = status
        error = decoded.error ?? status.error
        self.hasNewValue = hasNewValue
    }
}
