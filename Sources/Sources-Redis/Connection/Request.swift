import Pipeline
internal import PipelineServer

/// A command on its way to the event loop, and who waits for its reply.
struct Request: Sendable {
    let command: Command
    let waiter: Race<Reply>
}
