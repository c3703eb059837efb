/// What a ``LiveSource`` reports to, for one connection.
///
/// Its methods return at once, also where a load is under way: nothing slows the reading of a connection. What is reported too fast is
/// dropped in whole, and the value is loaded again.
public struct LiveListener: Sendable {
    /// The id of the last event that came through an earlier connection, for sources that resume; nil for none.
    public let position: String?
    private let handle: @Sendable (Event) -> Void
    private let delivery: @Sendable (LiveMessage) -> [MessageFate]
    private let reload: @Sendable () async throws -> Void

    /// What a source reports.
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

    /// The same; says what became of the message.
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
