import NIOCore
import Pipeline
internal import PipelineServer

/// The way from any thread to the handler of one connection.
struct CommandSender: Sendable {
    private let eventLoop: any EventLoop
    private let handler: NIOLoopBound<CommandHandler>
    private let outbox = Outbox()

    /// To be made in the event loop.
    init(_ handler: CommandHandler, in eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        self.handler = NIOLoopBound(handler, eventLoop: eventLoop)
    }

    /// Sends a command behind all that were sent before. Each asks for a turn of its own, so that none depends on another thread to go on;
    /// the first turn takes all.
    func send(_ request: Request) {
        outbox.add(request)
        eventLoop.execute { handler.value.send(outbox.takeAll()) }
    }

    /// Says that who waited for the reply to a command that was sent has left.
    func leave(_ waiter: Race<Reply>) {
        eventLoop.execute { handler.value.leave(waiter) }
    }
}
