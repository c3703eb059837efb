/// A connection that closed between a request and the head of its answer.
struct LostConnection: Error {
    /// Whether the connection was reused and no byte of an answer came, so that a request that changes nothing by being repeated may be
    /// sent again at once (RFC 9112, section 9.3.1).
    let mayRepeat: Bool
    let cause: (any Error)?
}
