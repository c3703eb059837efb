/// A message of a change source.
public struct LiveMessage: Sendable {
    /// Its bytes; nil for a signal without content, which means that the value must be loaded again.
    package var payload: [UInt8]?
    /// The name of the event, where the protocol names one (`event:` of an event stream).
    package var event: String?

    /// A message with these bytes; without any, a signal.
    ///
    /// - Parameter event: the name of the event, where the protocol names one (`event:` of an event stream).
    public init(_ payload: [UInt8]? = nil, event: String? = nil) {
        self.payload = payload
        self.event = event
    }

    /// A signal: something has changed.
    package static let signal = LiveMessage()
}
