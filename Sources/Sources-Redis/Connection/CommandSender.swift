import NIOCore
import Pipeline

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

    /// Sends a command behind all that were sent before.
    func send(_ request: Request) {
        guard outbox.add(request) else { return }
        eventLoop.execute { handler.value.send(outbox.takeAll()) }
    }

    /// Says that who waited for a reply has left.
    func leave(_ waiter: Race<Reply>) {
        eventLoop.execute { handler.value.leave(waiter) }
    }
}
