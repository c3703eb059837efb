import NIOCore
import NIOEmbedded
import NIOHPACK
import NIOHTTP1
import NIOHTTP2
import PipelineSockets
import Testing

@testable import SourcesHTTP

/// The right of a request to go out once.
@Suite
struct SendTicketTests {
    private let ticket = SendTickets.process.issue()

    @Test func `a ticket is used once, and then cannot be withdrawn`() {
        #expect(!ticket.isUsed)
        #expect(ticket.use())
        #expect(ticket.isUsed)
        #expect(!ticket.use())
        #expect(!ticket.withdraw())
    }

    @Test func `a ticket that was withdrawn is never used`() {
        #expect(ticket.withdraw())
        #expect(ticket.withdraw())
        ticket.renew()
        #expect(!ticket.use())
        #expect(!ticket.isUsed)
    }

    @Test func `a ticket that is renewed is good for one more`() {
        ticket.renew()
        #expect(ticket.use())
        ticket.renew()
        #expect(!ticket.isUsed)
        #expect(ticket.use())
        #expect(!ticket.use())
    }

    @Test func `a number is good until its ticket is taken back`() {
        let number = "\(ticket.number)"
        #expect(SendTickets.process.use(number))
        ticket.renew()
        SendTickets.process.takeBack(ticket)
        #expect(!SendTickets.process.use(number))
        #expect(!SendTickets.process.use("x"))
    }

    // MARK: Connections

    private func guardedConnection(toProxy isToProxy: Bool = false) throws -> EmbeddedChannel {
        let guarding = AnswerGuard(watch: FirstByteWatch(), reader: AnswerReader(), refusal: nil, toProxy: isToProxy)
        let channel = EmbeddedChannel(handler: guarding)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return channel
    }

    private func head(_ number: String?) -> HTTPClientRequestPart {
        var head = HTTPRequestHead(version: .http1_1, method: .POST, uri: "/friends", headers: ["Host": "a.example"])
        if let number { head.headers.add(name: SendTickets.field, value: number) }
        return .head(head)
    }

    @Test(arguments: [false, true]) func `a connection uses the ticket, and lets the request out without it`(toProxy: Bool) throws {
        let channel = try guardedConnection(toProxy: toProxy)

        try channel.writeOutbound(head("\(ticket.number)"))

        #expect(ticket.isUsed)
        guard case .head(let sent)? = try channel.readOutbound(as: HTTPClientRequestPart.self) else {
            Issue.record("no head")
            return
        }
        #expect(sent.headers == ["Host": "a.example"])
        #expect(sent.uri == (toProxy ? "http://a.example/friends" : "/friends"))
        _ = try? channel.finish()
    }

    @Test func `a connection lets no request out whose ticket was withdrawn or used, nor what follows`() throws {
        let used = SendTickets.process.issue()
        #expect(used.use())
        #expect(ticket.withdraw())
        for number in ["\(ticket.number)", "\(used.number)", "0"] {
            let channel = try guardedConnection()

            #expect(throws: SendTicket.Unusable.self) { try channel.writeOutbound(head(number)) }
            _ = try? channel.writeOutbound(HTTPClientRequestPart.end(nil))
            channel.embeddedEventLoop.run()

            #expect(try channel.readOutbound(as: HTTPClientRequestPart.self) == nil)
            #expect(!channel.isActive)
            _ = try? channel.finish()
        }
    }

    @Test func `a request of a read needs no ticket`() throws {
        let channel = try guardedConnection()

        try channel.writeOutbound(head(nil))

        #expect(try channel.readOutbound(as: HTTPClientRequestPart.self) == head(nil))
        _ = try? channel.finish()
    }

    private func headers(_ number: String) -> HTTP2Frame.FramePayload {
        .headers(.init(headers: [":path": "/friends", SendTickets.field: number]))
    }

    @Test func `a stream uses the ticket, and lets the request out without it`() throws {
        let channel = EmbeddedChannel(handler: StreamGuard(refusal: nil))

        try channel.writeOutbound(headers("\(ticket.number)"))

        #expect(ticket.isUsed)
        guard case .headers(let sent)? = try channel.readOutbound(as: HTTP2Frame.FramePayload.self) else {
            Issue.record("no headers")
            return
        }
        #expect(sent.headers == [":path": "/friends"])
        _ = try? channel.finish()
    }

    @Test func `a stream lets no request out whose ticket was withdrawn`() throws {
        #expect(ticket.withdraw())
        let channel = EmbeddedChannel(handler: StreamGuard(refusal: nil))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()

        #expect(throws: SendTicket.Unusable.self) { try channel.writeOutbound(headers("\(ticket.number)")) }
        channel.embeddedEventLoop.run()

        #expect(try channel.readOutbound(as: HTTP2Frame.FramePayload.self) == nil)
        #expect(!channel.isActive)
        _ = try? channel.finish()
    }
}
