internal import Pipeline
internal import PipelineConfig

/// What `serve` allows its clients, so that none of them holds up the others.
package struct ServerLimits {
    /// The time for the head of a request: for the first one from the connection on, for a later one from its first byte on.
    var head = Duration.seconds(10)
    /// How long a connection may stay open while nothing moves on it: between two requests, or while a client does not read its answer.
    package var idle = Duration.seconds(60)
    /// How long the client of an event stream may take for a piece of what there is: one that takes none keeps its text in memory.
    package var write = Duration.seconds(30)
    /// How long the server waits for the client's end of the connection after it closed its own: closed at once, the last answer could be lost.
    var linger = Duration.seconds(2)
    /// How long an answer may still take after the client closed its end: it may only have ended its sending, and a quick answer still counts.
    var leaving = Duration.milliseconds(50)
    /// How long a stream may be silent before a comment shows that it lives.
    var silence = Duration.seconds(15)
    /// How long answers that were begun may take after the server was told to stop.
    package var drain = Duration.seconds(10)
    /// The most bytes of a request's head.
    var headBytes = 80 * 1024
    /// How many requests of one connection may wait for their turn before no more is read from it.
    var pipelined = 32
    /// The most connections at a time: what the descriptors that the process may have leave for them.
    package var connections = DescriptorBudget.process.clients
    /// How long no connection is accepted after the system had no descriptor for one.
    var pause = Duration.seconds(1)

    /// - Parameter connections: nil for as many as the system lets it have.
    package init(connections: Int? = nil) {
        if let connections { self.connections = connections }
    }
}
