internal import NIOCore
internal import NIOHTTP1
internal import Pipeline
private import Synchronization

/// One client's connection: performs what its ``ConnectionState`` decides.
///
/// Everything that changes the state happens on the event loop of the connection.
final class ClientConnection: ChannelInboundHandler, Sendable {
    typealias InboundIn = HTTPServerRequestPart

    private struct State {
        var connection: ConnectionState
        /// The first bytes of the connection, which tell what the client speaks.
        var opening: [UInt8] = []
        /// The number of bytes that are still due of a body whose length was said.
        var bodyBytes = 0
        /// The answer that is made, or the stream of one that is written.
        var task: Task<Void, Never>?
        /// The request whose answer is made; nil when the answer is written.
        var request: ClientRequest?
        /// Waits until the client has taken what there is of a stream.
        var taken: CheckedContinuation<Void, Never>?
        /// The reply that is written.
        var reply: Reply?
        /// Looks at the connection's deadline when it rings.
        var alarm = AlarmSlot()
    }

    private let channel: any Channel
    /// The client's, which the channel does not know any more when it is closed.
    private let address: String?
    private let service: ClientService
    private let table: ConnectionTable
    private let state: Mutex<State>

    init(_ channel: any Channel, service: ClientService, table: ConnectionTable) {
        self.channel = channel
        address = channel.remoteAddress?.ipAddress
        self.service = service
        self.table = table
        state = Mutex(State(connection: ConnectionState(service.limits, at: service.clock.now)))
    }

    /// The moment from which the client may be sent away for another one; nil while an answer of it is made or written.
    var dispensableFrom: Timestamp? { state.withLock { $0.connection.dispensableFrom } }

    /// Answers what came, and takes no more. The loads of requests of low priority are cancelled.
    func drain() {
        channel.eventLoop.execute {
            self.change { $0.drain() }
            let (task, request) = self.state.withLock { ($0.task, $0.request) }
            if let request, self.service.responder.isLow(request) { task?.cancel() }
        }
    }

    /// Answers a write that waits for its outcome with what it has come to by now.
    func hurry() {
        channel.eventLoop.execute {
            let (task, request) = self.state.withLock { ($0.task, $0.request) }
            if request?.isWrite ?? false { task?.cancel() }
        }
    }

    /// Ends the connection, whatever it is at.
    func close() {
        channel.eventLoop.execute { self.change { $0.close() } }
    }

    private var now: Timestamp { service.clock.now }

    /// Changes the state, does what follows, and has the time looked at when that is due.
    private func change(_ body: (inout ConnectionState) -> [ConnectionState.Action]) {
        let actions = state.withLock { body(&$0.connection) }
        for action in actions { perform(action) }
        setAlarm()
    }

    private func perform(_ action: ConnectionState.Action) {
        switch action {
        case .answer(let request): answer(request)
        case .refuse(let problem): write(Reply(service.refusal(problem), to: nil, since: now))
        case .sendContinue: channel.writeAndFlush(ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n"), promise: nil)
        case .cancel: cancel()
        case .showAlive: send(.comment)
        case .endStream: endStream()
        case .pauseReading: _ = channel.setOption(.autoRead, value: false)
        case .resumeReading: _ = channel.setOption(.autoRead, value: true)
        case .closeOutput: channel.close(mode: .output, promise: nil)
        case .close: channel.close(promise: nil)
        }
    }
}

// What happens on the channel.
extension ClientConnection {
    func channelActive(context: ChannelHandlerContext) {
        setAlarm()
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            state.withLock { $0.bodyBytes = head.headers.statedLength ?? 0 }
            do throws(ClientRequest.Problem) {
                var request = try ClientRequest(head, hosts: service.hosts)
                request.body = service.responder.mostBytesOfBody(of: request).map { RequestBody(most: $0, in: service.room) }
                change { [now, request] in $0.receive(request, at: now) }
            } catch {
                change { [now] in $0.receive(error, at: now) }
            }
        case .body(let bytes):
            let body = state.withLock { [now] state in
                state.bodyBytes -= bytes.readableBytes
                return state.connection.receiveBody(at: now)
            }
            // What is still to come of it does not matter.
            if let body, !body.append(bytes.readableBytesView) { change { [now] in $0.endBody(at: now) } }
        case .end:
            let isRead = state.withLock { state in
                state.bodyBytes = 0
                state.connection.receiveEnd()
                return state.connection.body != nil
            }
            if isRead { change { [now] in $0.endBody(at: now) } }
        }
    }

    /// The number of bytes that are still due of a body whose length was said, and whether a body is read, however long it is.
    var body: (bytesDue: Int, isRead: Bool) { state.withLock { ($0.bodyBytes, $0.connection.body != nil) } }

    /// Bytes came, which are yet to be read as requests.
    func receive(_ bytes: ByteBuffer) {
        state.withLock { [now] state in
            let missing = ClientRequest.Problem.openingLength - state.opening.count
            if missing > 0 { state.opening += bytes.readableBytesView.prefix(missing) }
            // Empty lines before a head are no part of it (RFC 9112, section 2.2).
            if bytes.readableBytesView.contains(where: { !"\r\n".utf8.contains($0) }) { state.connection.receive(at: now) }
        }
        setAlarm()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed { change { [now] in $0.endInput(at: now) } }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case HTTPParserError.headerOverflow:
            let words = "the head of the request is larger than \(service.limits.headBytes) bytes, or has more than 256 fields"
            change { [now] in $0.receive(ClientRequest.Problem(status: .requestHeaderFieldsTooLarge, message: words), at: now) }
        // A half request whose client closed its end is for `inputClosed`, which comes with it.
        case HTTPParserError.invalidEOFState: break
        case is HTTPParserError:
            let problem = ClientRequest.Problem(unreadable: "\(error)", opening: state.withLock { $0.opening })
            change { [now] in $0.receive(problem, at: now) }
        // What comes behind a head that could not be read is not read either; its client is still to get the answer to that.
        case is ByteToMessageDecoderError: break
        default: change { $0.close() }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        change { $0.close() }
        state.withLock { $0.alarm.cancel(on: service.clock) }
        table.leave(self)
        context.fireChannelInactive()
    }
}

// How an answer is made and written.
extension ClientConnection {
    private func answer(_ request: ClientRequest) {
        let begin = now
        // Ends with the answer; cancelled when the client leaves. The server waits for its connections before it ends.
        let task = Task {
            let answer = await service.responder.answer(to: request)
            channel.eventLoop.execute { self.write(Reply(answer, to: request, since: begin)) }
        }
        let isInTime = state.withLock { state in
            (state.task, state.request) = (task, request)
            return state.connection.isBusy
        }
        if !isInTime || table.isDraining && service.responder.isLow(request) || table.isHurrying && request.isWrite {
            task.cancel()
        }
    }

    /// Begins to write, unless the client has left.
    private func write(_ made: Reply) {
        var reply = made
        let isFramed = reply.answer.stream == nil || reply.request?.isChunkable ?? false
        let keepsAlive = reply.request?.keepsAlive ?? false && isFramed
        let isStream = reply.answer.stream != nil
        let isLast = state.withLock { [now, isCrowded = table.isFull] state in
            (state.task, state.request) = (nil, nil)
            return state.connection.beginAnswer(keepsAlive: keepsAlive, isCrowded: isCrowded, isStream: isStream, at: now)
        }
        guard let isLast else { return note(reply, isComplete: false) }
        // The client has not left: the server stops.
        if made.answer.status == ServedAnswer.abandoned.status {
            reply = Reply(.stopping.about(made.answer.subject), to: made.request, since: made.since)
        }
        reply.begin(closing: isLast, at: service.clock.wall(), made: now)
        state.withLock { [reply] in $0.reply = reply }
        setAlarm()
        if reply.isOpen, let stream = reply.answer.stream { begin(stream) }
        writeNextPiece()
    }

    /// Writes one piece after the other, so that no more than one of them is held for a client that does not read.
    private func writeNextPiece() {
        let (piece, isOpen, counting) = state.withLock { ($0.reply?.nextPiece(), $0.reply?.isOpen ?? false, $0.reply?.counting()) }
        // A client that has the last bytes finds itself in the metrics.
        if let counting { service.log.count(counting) }
        guard let piece else { return isOpen ? pauseStream() : endAnswer() }
        channel.writeAndFlush(ByteBuffer(bytes: piece)).whenComplete { [self] result in
            switch result {
            case .success:
                state.withLock { [now] in
                    $0.reply?.sent += piece.count
                    $0.connection.progress(at: now)
                }
                // In a turn of its own: others have theirs between two pieces, and pieces that go at once do not pile up calls.
                channel.eventLoop.execute { self.writeNextPiece() }
            case .failure: change { $0.close() }
            }
        }
    }

    private func endAnswer() {
        let (reply, taken) = state.withLock { state in
            defer { (state.task, state.taken, state.reply) = (nil, nil, nil) }
            return (state.reply, state.taken)
        }
        taken?.resume()
        guard let reply else { return }
        note(reply)
        change { [now] in $0.endAnswer(at: now) }
    }

    /// Lets go of the answer that is made or written.
    private func cancel() {
        let (task, taken, reply) = state.withLock { state in
            defer { (state.task, state.request, state.taken, state.reply) = (nil, nil, nil, nil) }
            return (state.task, state.taken, state.reply)
        }
        task?.cancel()
        taken?.resume()
        if let reply { note(reply, isComplete: false) }
    }

    private func note(_ reply: Reply, isComplete: Bool = true) {
        let client = service.proxies.client(address, reply.request?.headers)
        service.log.note(reply, client: client, until: now, isComplete: isComplete)
    }
}

// How a stream is written.
extension ClientConnection {
    private func begin(_ stream: EventStream) {
        // Ends with the stream; cancelled when the client leaves, and when the server stops.
        let task = Task {
            await stream.run { event in
                // The next one is made when the client has taken this one.
                await withCheckedContinuation { taken in
                    channel.eventLoop.execute { self.send(event, taken: taken) }
                }
            }
            channel.eventLoop.execute { self.endStream() }
        }
        state.withLock { $0.task = task }
    }

    /// Writes `event` when there is nothing else to write.
    private func send(_ event: StreamEvent, taken: CheckedContinuation<Void, Never>? = nil) {
        let isFree: Bool? = state.withLock { [now] state in
            guard state.reply?.isOpen == true else { return nil }
            state.reply?.add(event)
            if let taken { state.taken = taken }
            return state.connection.resumeAnswer(at: now)
        }
        guard let isFree else { return taken?.resume() ?? () }
        setAlarm()
        if isFree { writeNextPiece() }
    }

    /// Pauses a stream of which the client has taken all that there is.
    private func pauseStream() {
        let taken = state.withLock { state in
            defer { state.taken = nil }
            return state.taken
        }
        change { [now] in $0.pauseAnswer(at: now) }
        taken?.resume()
    }

    /// Writes the end of the stream behind what is being written.
    private func endStream() {
        let (task, isFree) = state.withLock { [now] state in
            guard state.reply?.isOpen == true else { return (Task<Void, Never>?.none, false) }
            state.reply?.endStream()
            return (state.task, state.connection.resumeAnswer(at: now))
        }
        task?.cancel()
        if isFree { writeNextPiece() }
    }
}

// Time.
extension ClientConnection {
    /// Has the connection looked at when it has to move on. An alarm that rings too early is set again then.
    private func setAlarm() {
        state.withLock { state in
            guard let deadline = state.connection.deadline else { return }
            state.alarm.set(by: deadline, on: service.clock) { [weak self] moment in
                guard let self else { return }
                channel.eventLoop.execute { self.ring(moment) }
            }
        }
    }

    private func ring(_ moment: Timestamp) {
        state.withLock { $0.alarm.end(moment) }
        change { [now] in $0.tick(at: now) }
    }
}

/// Tells a connection that bytes came, before they are read as requests: the time for a head counts from its first byte.
///
/// What came at once goes on in pieces, none of which has the end of one request and the begin of the next.
final class ByteWatch: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let connection: ClientConnection

    init(_ connection: ClientConnection) {
        self.connection = connection
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var rest = unwrapInboundIn(data)
        while rest.readableBytes > 0 {
            let body = connection.body
            let end = body.bytesDue > 0 ? min(body.bytesDue, rest.readableBytes) : rest.withUnsafeReadableBytes(Self.endOfEmptyLine)
            guard let piece = rest.readSlice(length: end) else { return }
            connection.receive(piece)
            context.fireChannelRead(wrapInboundOut(body.isRead ? piece : Self.spaced(piece)))
        }
    }

    /// The offset in `bytes` behind the end of an empty line and of those after it, where a head or a body in chunks can end. A line end
    /// that they begin with may end such a line.
    private static func endOfEmptyLine(in bytes: UnsafeRawBufferPointer) -> Int {
        var lineEnds = 1
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "\n"): lineEnds += 1
            case UInt8(ascii: "\r"): break
            default:
                if lineEnds > 1 { return index }
                lineEnds = 0
            }
        }
        return bytes.count
    }

    /// The bytes with a space in place of each tab, which is as good in a head (RFC 9110, section 5.6.3; RFC 9112, section 3): the decoder
    /// knows no tab behind a length or a coding. Only for what is no body, or one that is not read.
    private static func spaced(_ bytes: ByteBuffer) -> ByteBuffer {
        let tab = UInt8(ascii: "\t")
        guard bytes.readableBytesView.contains(tab) else { return bytes }
        return ByteBuffer(bytes: bytes.readableBytesView.map { $0 == tab ? UInt8(ascii: " ") : $0 })
    }
}
