internal import Pipeline

/// The phase of one client's connection, and the actions that follow from each event.
///
/// Requests are answered one after the other, in the order in which they came, and each complete one before anything else ends the
/// connection. A client that closes its end gets what is answered soon after; one that closes it while an answer is written gets that
/// answer.
struct ConnectionState {
    enum Action: Equatable {
        /// Make the answer to this request.
        case answer(ClientRequest)
        /// Write what is wrong with what came.
        case refuse(ClientRequest.Problem)
        /// Tell the client to go on with the body.
        case sendContinue
        /// The client does not wait for the answer any more.
        case cancel
        /// A comment is due that shows that the stream lives: nothing was written for a while.
        case showAlive
        /// End the stream.
        case endStream
        /// Read no more for now.
        case pauseReading
        case resumeReading
        /// Close this end, and wait for the client's.
        case closeOutput
        case close
    }

    private enum Phase {
        /// Between two requests.
        case idle
        /// A head is due: from the connection on, or from the first byte of a later request on.
        case head
        /// The rest of a body is due that is read before its request is answered.
        case body
        /// The answer is made.
        case answering
        /// An answer is being written, and the client has closed its end.
        case leaving
        /// The answer is written.
        case writing
        /// The answer is a stream, and what there was of it is written.
        case streaming
        /// The server's end is closed.
        case lingering
        case closed
    }

    private enum Waiting {
        case request(ClientRequest)
        case problem(ClientRequest.Problem)

        /// Indicates whether a body waits with it.
        var hasBody: Bool { if case .request(let request) = self { request.body != nil } else { false } }
    }

    private let limits: ServerLimits
    private var phase = Phase.head
    /// The moment when something last moved in this phase.
    private var since: Timestamp
    private var waiting: [Waiting] = []
    /// The request whose body is read, and the moment when something of it last came. It is the one that came last.
    private var reading: (request: ClientRequest, moved: Timestamp)?
    /// Indicates whether a request's head has come and its body has not ended.
    private var isInBody = false
    /// Indicates whether any byte of the head that is due has come.
    private var hasBegun = false
    /// Indicates whether what comes after the last request is ignored.
    private var takesNoMore = false
    private var isPaused = false
    private var inputHasEnded = false
    private var isDraining = false
    /// Indicates whether the connection ends with the answer under way.
    private var isLastAnswer = false
    /// Indicates whether the answer under way is an event stream.
    private var isStream = false
    /// Indicates whether the answer under way is to a request that changes something.
    private var isToWrite = false

    init(_ limits: ServerLimits, at now: Timestamp) {
        self.limits = limits
        since = now
    }

    /// The moment when ``tick(at:)`` is due; nil while the connection waits for an answer, which has limits of its own.
    var deadline: Timestamp? {
        switch phase {
        case .idle: since + limits.idle
        case .writing: since + (isStream ? limits.write : limits.idle)
        case .head: since + limits.head
        case .body: since + limits.body + .milliseconds((reading?.request.body?.count ?? 0) * 1_000 / limits.bodyRate)
        case .leaving: since + (isToWrite ? limits.linger : limits.leaving)
        case .streaming: since + (inputHasEnded ? limits.leaving : limits.silence)
        case .lingering: since + limits.linger
        case .answering, .closed: nil
        }
    }

    /// The moment from which the client may be sent away for another one; nil while an answer of it is made or written.
    ///
    /// What a client sent while it waited to be accepted is read in a moment, and its last answer may still be on its way.
    var dispensableFrom: Timestamp? {
        switch phase {
        case .idle: since
        case .head, .lingering: since + ServerLimits.grace
        case .body: (reading?.moved ?? since) + ServerLimits.grace
        case .answering, .leaving, .writing, .streaming, .closed: nil
        }
    }

    /// Indicates whether an answer is made or written.
    var isBusy: Bool { dispensableFrom == nil && !isClosed }

    var isClosed: Bool {
        if case .closed = phase { true } else { false }
    }
}

// What comes from the client.
extension ConnectionState {
    /// Bytes came, of whatever.
    mutating func receive(at now: Timestamp) {
        guard !isInBody else { return }
        hasBegun = true
        if case .idle = phase { move(to: .head, at: now) }
    }

    /// Takes the head of a request, which is answered once its body is read, if that is read.
    mutating func receive(_ request: ClientRequest, at now: Timestamp) -> [Action] {
        isInBody = true
        guard !takesNoMore else { return [] }
        takesNoMore = !request.keepsAlive
        guard request.body != nil else { return take(.request(request), at: now) }
        reading = (request, now)
        return awaitBody(at: now)
    }

    /// Takes a part of a body; gives the body that it is to be kept in, if it is.
    mutating func receiveBody(at now: Timestamp) -> RequestBody? {
        reading?.moved = now
        return reading?.request.body
    }

    /// The body that is read, if one is.
    var body: RequestBody? { reading?.request.body }

    /// Answers the request whose body is read, as far as it has come.
    mutating func endBody(at now: Timestamp) -> [Action] {
        guard let request = reading?.request else { return [] }
        reading = nil
        return take(.request(request), at: now)
    }

    /// Waits for a body that is read, unless an answer is on its way.
    private mutating func awaitBody(at now: Timestamp) -> [Action] {
        guard let request = reading?.request else { return [] }
        switch phase {
        case .idle, .head: move(to: .body, at: now)
        // A client that wants to write does not read the stream for ever: while it is open, nothing bounds the time of a body.
        case .streaming: return [.endStream]
        case .body, .answering, .leaving, .writing, .lingering, .closed: return []
        }
        return request.expectsContinue && body?.count == 0 ? [.sendContinue] : []
    }

    /// Notes that the request has come to its end.
    mutating func receiveEnd() {
        isInBody = false
        hasBegun = false
    }

    /// Takes bytes that are no request; nothing after them can be understood.
    mutating func receive(_ problem: ClientRequest.Problem, at now: Timestamp) -> [Action] {
        guard !takesNoMore || reading != nil else { return [] }
        takesNoMore = true
        let isUnanswered = reading != nil
        reading = nil
        guard isInBody, !isUnanswered else { return take(.problem(problem), at: now) }
        // It is the body of the request that came last, which gets one answer: this one, unless another is on its way.
        if !waiting.isEmpty { waiting[waiting.count - 1] = .problem(problem) }
        return []
    }

    /// The client closed its end.
    mutating func endInput(at now: Timestamp) -> [Action] {
        inputHasEnded = true
        takesNoMore = true
        reading = nil
        switch phase {
        case .idle, .head, .body, .lingering: return close()
        case .answering:
            move(to: .leaving, at: now)
            // What it wrote stays. It is told what has become of it by now.
            return isToWrite ? [.cancel] : []
        case .streaming:
            move(to: .streaming, at: now)
            return []
        case .writing, .leaving, .closed: return []
        }
    }

    private mutating func take(_ item: Waiting, at now: Timestamp) -> [Action] {
        switch phase {
        case .idle, .head, .body:
            waiting.append(item)
            return next(at: now)
        case .answering, .writing, .streaming:
            waiting.append(item)
            // Of bodies one is read ahead.
            guard !isPaused, waiting.count >= limits.pipelined || item.hasBody else { return [] }
            isPaused = true
            return [.pauseReading]
        case .leaving, .lingering, .closed: return []
        }
    }
}

// How an answer goes.
extension ConnectionState {
    /// Begins an answer that goes on its way; says whether the connection ends with it. Nil if the client has left.
    ///
    /// - Parameters:
    ///   - keepsAlive: whether another answer can follow.
    ///   - isCrowded: whether others wait for the place of this connection.
    ///   - isStream: whether it is an event stream.
    mutating func beginAnswer(keepsAlive: Bool, isCrowded: Bool = false, isStream: Bool = false, at now: Timestamp) -> Bool? {
        switch phase {
        case .answering, .leaving:
            self.isStream = isStream
            let isFollowed = !waiting.isEmpty || reading != nil
            isLastAnswer = !keepsAlive || !isFollowed && (isCrowded || isInBody || isDraining || inputHasEnded)
            if isLastAnswer { takesNoMore = true }
            move(to: .writing, at: now)
            return isLastAnswer
        case .idle, .head, .body, .writing, .streaming, .lingering, .closed: return nil
        }
    }

    /// The client took a part of the answer.
    mutating func progress(at now: Timestamp) {
        if case .writing = phase { since = now }
    }

    /// Notes that all there was of a stream is written.
    mutating func pauseAnswer(at now: Timestamp) -> [Action] {
        guard case .writing = phase else { return [] }
        move(to: .streaming, at: now)
        return isDraining || reading != nil || waiting.contains(where: \.hasBody) ? [.endStream] : []
    }

    /// Takes more of a stream; says whether nothing is being written now.
    mutating func resumeAnswer(at now: Timestamp) -> Bool {
        guard case .streaming = phase else { return false }
        move(to: .writing, at: now)
        return true
    }

    /// Notes that all of the answer is written.
    mutating func endAnswer(at now: Timestamp) -> [Action] {
        guard case .writing = phase else { return [] }
        guard isLastAnswer || waiting.isEmpty && (isDraining || inputHasEnded) else { return next(at: now) }
        takesNoMore = true
        move(to: .lingering, at: now)
        if inputHasEnded { return close() }
        return resume() + [.closeOutput]
    }

    private mutating func next(at now: Timestamp) -> [Action] {
        guard !waiting.isEmpty else {
            move(to: hasBegun && !isInBody ? .head : .idle, at: now)
            return resume() + awaitBody(at: now)
        }
        let item = waiting.removeFirst()
        move(to: inputHasEnded ? .leaving : .answering, at: now)
        let resumed = waiting.isEmpty ? resume() : []
        if case .request(let request) = item { isToWrite = request.isWrite } else { isToWrite = false }
        switch item {
        case .request(let request): return resumed + [.answer(request)]
        case .problem(let problem): return resumed + [.refuse(problem)]
        }
    }

    private mutating func resume() -> [Action] {
        defer { isPaused = false }
        return isPaused ? [.resumeReading] : []
    }
}

// What ends it.
extension ConnectionState {
    /// Looks at the time.
    mutating func tick(at now: Timestamp) -> [Action] {
        guard let deadline, deadline <= now else { return [] }
        switch phase {
        case .head where hasBegun: return receive(.headTimeout, at: now)
        case .body: return receive(.bodyTimeout, at: now)
        case .streaming where !inputHasEnded: return [.showAlive]
        case .idle, .head, .leaving, .writing, .streaming, .lingering: return close()
        case .answering, .closed: return []
        }
    }

    /// The server stops: the requests that came are answered, and no other is taken.
    mutating func drain() -> [Action] {
        isDraining = true
        takesNoMore = true
        reading = nil
        switch phase {
        case .idle, .head, .body: return close()
        case .streaming: return [.endStream]
        case .answering, .leaving, .writing, .lingering, .closed: return []
        }
    }

    /// Ends the connection whatever it is at.
    mutating func close() -> [Action] {
        switch phase {
        case .closed: return []
        case .answering, .leaving, .writing, .streaming:
            phase = .closed
            return [.cancel, .close]
        case .idle, .head, .body, .lingering:
            phase = .closed
            return [.close]
        }
    }

    private mutating func move(to phase: Phase, at now: Timestamp) {
        self.phase = phase
        since = now
    }
}
