package import Pipeline

/// The receiver of the reports of a ``LiveSource``, for one connection.
///
/// Its methods return at once, also where a load is under way: nothing slows the reading of a connection. All of what is reported too fast
/// is dropped, and the value is loaded again.
public struct LiveListener: Sendable {
    /// The id of the last event that came through an earlier connection, for sources that resume; nil for none.
    public let position: String?
    private let handle: @Sendable (Event) -> Void
    private let delivery: @Sendable (LiveMessage) -> [MessageFate]
    private let reload: @Sendable () async throws -> Void

    /// A report of a source.
    package enum Event: Sendable {
        case began
        case message(LiveMessage)
        case position(String)
        case alive
        case skipped(String)
        case base(Duration)
    }

    package init(
        position: String? = nil, reload: @escaping @Sendable () async throws -> Void = {},
        deliver: @escaping @Sendable (LiveMessage) -> [MessageFate] = { _ in [] }, handle: @escaping @Sendable (Event) -> Void
    ) {
        delivery = deliver
        self.position = position
        self.reload = reload
        self.handle = handle
    }

    /// The stream has begun: what changes from now on will come.
    public func begin() { handle(.began) }

    /// A message came.
    public func receive(_ message: LiveMessage) { handle(.message(message)) }

    /// Delivers a message; says what became of it.
    package func deliver(_ message: LiveMessage) -> [MessageFate] { delivery(message) }

    /// The id of the last event, for ``position`` of the next connection. Empty forgets it.
    public func mark(_ position: String) { handle(.position(position)) }

    /// The other side showed that it lives, without a message: a pong, a comment.
    public func showAlive() { handle(.alive) }

    /// Something came that is no message, such as a binary frame. It is counted, with the reason.
    public func skip(_ reason: String) { handle(.skipped(reason)) }

    /// The server asks for pauses from `base` on (`retry:` of an event stream).
    public func setBase(_ base: Duration) { handle(.base(base)) }

    /// Loads the values of the connection's keys again, and returns when that is done, however it ended. Throws when cancelled.
    public func refresh() async throws {
        try await reload()
        try Task.checkCancellation()
    }
}

/// A message of a change source.
public struct LiveMessage: Sendable {
    /// The bytes of the message; nil for a signal without content, which means that the value must be loaded again.
    public var payload: [UInt8]?
    /// The name of the event, where the protocol names one (`event:` of an event stream).
    public var event: String?

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

/// The fate of a message in one feed, for a change source that a test plays.
package struct MessageFate: Sendable, Hashable {
    /// The meaning of a fate.
    package enum Meaning: Sendable, Hashable {
        /// The message told of a change.
        ///
        /// - Parameters:
        ///   - isKnown: whether the value had an item with its id.
        ///   - hasVersion: whether it says the version of the item.
        case change(Change.Operation, MergeEffect, isKnown: Bool, hasVersion: Bool)
        /// The message had the value loaded again.
        case refresh
        /// The message said that the list must be loaded again.
        case resync
        /// The message's number shows that messages before it are missing.
        case gap
        /// The message came before, by its number.
        case duplicate
        /// The message could not be read.
        case skipped
        /// The message is for a key that does not follow the feed.
        case elsewhere
    }

    /// The key; nil if it is not for one.
    package let key: Key?
    package let meaning: Meaning
}
