import Pipeline
import PipelineConfig
import PipelineNetwork
import PipelineSending
import PipelineTesting
import TestSupport
import Testing

@testable import SourcesHTTP

/// Sends without an answer: which surely were not made, and which perhaps were.
@Suite(.timeLimit(.minutes(15)))
struct SendFailureTests {
    // MARK: Nothing went out

    @Test(arguments: ["127.0.0.1", "localhost"]) func `where no server listens nothing was sent`(host: String) async throws {
        let port = LoopbackPort.closed()
        try await withSource("http://\(host):\(port)/friends") {
            $0.method = .post
        } _: { source async throws in
            let sent = await source.sent()

            #expect(sent.word == "not sent")
            #expect(sent.failure?.isUnreached == true)
            #expect(sent.failure?.reason == "connection refused by \(host):\(port)")
        }
    }

    @Test func `a certificate that is not trusted gets no send`() async throws {
        try await ScriptedServer.run({ _ in Answer.text("") }, as: SelfSigned()) { server async throws in
            try await withSource(server.url) {
                $0.method = .post
            } _: { source async throws in
                let sent = await source.sent()

                #expect(sent.word == "not sent")
                #expect(sent.failure?.kind == .refused)
                #expect(server.requests.isEmpty)
            }
        }
    }

    @Test func `a certificate that names no host gets no send, and a good one does`() async throws {
        let folder = try TemporaryFolder()
        for (names, word) in [([], "not sent"), (["DNS:localhost"], "accepted")] {
            let certificate = try SelfSigned(for: names)
            try folder.put(certificate.pem, into: "ca.pem")
            try await ScriptedServer.run({ _ in Answer.text("") }, as: certificate) { server async throws in
                try await withSource("https://localhost:\(server.port)/friends") {
                    $0.method = .post
                    $0.trusted = CertificateFile(folder.path + "/ca.pem")
                } _: { source async throws in
                    #expect(await source.sent().word == word)
                    #expect(server.requests.count == (word == "accepted" ? 1 : 0))
                    #expect(server.requests.first?[SendTickets.field] == nil)
                }
            }
        }
    }

    @Test func `a server that closes while TLS begins has seen nothing`() async throws {
        try await SilentServer.run(closingAtOnce: true) { server async throws in
            try await withSource("https://\(server.authority)/friends") {
                $0.method = .post
            } _: { source async throws in
                #expect(await source.sent().word == "not sent")
            }
        }
    }

    @Test func `a time limit that ends before there is a connection has sent nothing`() async throws {
        let time = ManualClock()
        try await SilentServer.run(closingAtOnce: false) { server async throws in
            try await withSource("https://\(server.authority)/friends", clock: time.clock) {
                $0.method = .post
                $0.timeout = .seconds(2)
            } _: { source async throws in
                async let sent = source.sent()
                await time.sleepers(atLeast: 1)
                time.advance(by: .seconds(2))

                #expect(await sent.word == "not sent")
                #expect(await sent.failure?.reason == "not sent: no answer within 2s")
                await server.hangUp()
            }
        }
    }

    @Test func `an origin that wants to be left alone gets no send`() async throws {
        try await withSender({ _ in Answer.text("", status: 429, headers: ["Retry-After: 20"]) }) { server, source async throws in
            #expect(await source.sent(.of(id: "a-1", in: IDHeader("X-Send-Key"))).word == "answered 429")

            let sent = await source.sent(.of("[2]", id: "a-2", in: IDHeader("X-Send-Key")))

            #expect(sent.word == "not sent")
            #expect(sent.failure?.kind == .skipped)
            #expect(sent.failure?.reason == "asked to wait 20s")
            #expect(server.requests.count == 1)
        }
    }

    @Test func `no send goes out that is cancelled while it waits for its turn, or before`() async throws {
        try await withSender({ _ in [] }) {
            $0.limits.concurrency = .fixed(1)
        } _: { server, source async throws in
            let first = Task { await source.sent() }
            await server.arrival()
            let second = Task { await source.sent() }
            while snapshot(of: server)?.waiting != 1 { try await turn() }
            second.cancel()
            let third = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return await source.sent()
            }

            #expect(await second.value.word == "not sent")
            #expect(await third.value.word == "not sent")
            first.cancel()
            #expect(await first.value.word == "cancelled")
            #expect(server.requests.count == 1)
        }
    }

    @Test func `a source that is closed sends nothing`() async throws {
        try await withSender({ _ in Answer.text("") }) { server, source async throws in
            await source.close()

            let sent = await source.sent()

            #expect(sent.word == "not sent")
            #expect(sent.failure?.reason == "not sent: the source is closed")
            #expect(server.requests.isEmpty)
        }
    }

    // MARK: Something may have gone out

    @Test(arguments: [RequestMethod.post, .put, .delete], HTTPSourceReuseTests.End.allCases)
    func `a request that the server read and did not answer may have been processed, and is not sent again`(
        method: RequestMethod, end: HTTPSourceReuseTests.End
    ) async throws {
        try await withSender({ _ in [end.step] }) {
            $0.method = method
        } _: { server, source async throws in
            let sent = await source.sent()

            #expect(sent.word == "perhaps sent")
            #expect(sent.failure?.reason == "the connection was closed before the answer was whole")
            #expect(server.requests.count == 1)
        }
    }

    @Test(arguments: HTTPSourceReuseTests.End.allCases)
    func `on a kept connection, too, also where the request may be repeated`(end: HTTPSourceReuseTests.End) async throws {
        try await withSender({ $0.number == 1 ? Answer.text("") : [end.step] }) {
            $0.method = .put
        } _: { server, source async throws in
            #expect(await source.sent().word == "accepted")
            #expect(await source.sent().word == "perhaps sent")
            #expect(server.requests.map(\.number) == [1, 2])
        }
    }

    @Test(arguments: [(RequestMethod.post, Bool?.none, 3), (.post, true, 1), (.put, nil, 1), (.put, false, 3)])
    func `what may not be repeated has a connection of its own`(method: RequestMethod, idempotent: Bool?, connections: Int) async throws {
        try await withSender({ _ in Answer.text("") }) {
            $0.method = method
            $0.isIdempotent = idempotent
        } _: { server, source async throws in
            for _ in 0..<3 { #expect(await source.sent().word == "accepted") }
            #expect(server.connections == connections)
        }
    }

    @Test func `of a server that closes at once it is not known what it saw, and it gave no answer`() async throws {
        try await SilentServer.run(closingAtOnce: true) { server async throws in
            try await withSource("http://\(server.authority)/friends") {
                $0.method = .post
            } _: { source async throws in
                #expect(["perhaps sent", "not sent"].contains(await source.sent().word))
            }
        }
    }

    @Test(arguments: [
        "220 mail.example.org ESMTP\r\n\r\n", "HTTP/1.1 000 X\r\n\r\n", "HTTP/1.1 101 Switching Protocols\r\n\r\n", "HTTP/1.1 20", "\0",
        "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 201 X\r\nContent-Length: x\r\n\r\n",
    ])
    func `after an answer that breaks the rules nothing is known`(answer: String) async throws {
        try await withSender({ _ in [.text(answer), .close] }) { server, source async throws in
            #expect(await source.sent().word == "perhaps sent")
            #expect(server.requests.count == 1)
        }
    }

    @Test(arguments: [(Duration?.none, 30, "30s"), (.seconds(2), 2, "2s"), (.seconds(90), 90, "1m30s")])
    func `a try has the time of the source, else half a minute`(timeout: Duration?, seconds: Int, words: String) async throws {
        for answer in ["", "HTTP/1.1 201 X\r\nContent-Length: 10\r\n\r\nhalf"] {
            let time = ManualClock()
            try await withSender({ _ in [.text(answer)] }, clock: time.clock) {
                $0.timeout = timeout
            } _: { server, source async throws in
                async let sent = source.sent()
                await server.arrival()
                await time.sleepers(atLeast: 1)
                time.advance(by: .seconds(seconds))

                #expect(await sent.word == "perhaps sent")
                #expect(await sent.failure?.kind == .timeout)
                #expect(await sent.failure?.reason == "no answer within \(words)")
                await server.closing()
            }
        }
    }

    @Test(arguments: ["", "HTTP/1.1 201 X\r\nContent-Length: 10\r\n\r\nhalf"])
    func `a send that is cancelled while the server has it ends as cancelled`(answer: String) async throws {
        try await withSender({ _ in [.text(answer)] }) { server, source async throws in
            let sending = Task { await source.sent() }
            await server.arrival()
            sending.cancel()

            #expect(await sending.value.word == "cancelled")
            await server.closing()
            #expect(server.requests.count == 1)
        }
    }

    @Test func `a source that is closed while the server has a send does not know`() async throws {
        try await withSender({ _ in [] }) {
            // A client that no other source shares ends with this one.
            $0.idleLimit = .seconds(61)
        } _: { server, source async throws in
            let sending = Task { await source.sent() }
            await server.arrival()

            await source.close()

            #expect(await sending.value.word == "perhaps sent")
            #expect(server.requests.count == 1)
        }
    }

    @Test(arguments: [SourceError.Kind.failure, .invalid, .timeout, .refused, .rejected, .skipped, .unasked, .notKept])
    func `an error says that nothing was sent only where that is sure, whatever it said before`(kind: SourceError.Kind) {
        for isUnreached in [false, true] {
            // A connection is lost for the same reason as none can be opened: the host cannot be reached.
            var error = SourceError("cannot reach a.example:80", kind: kind)
            error.isUnreached = isUnreached

            #expect(Sent(error: SourceError.perhapsSent(error)).word == "perhaps sent")
            #expect(Sent(error: SourceError.notSent(error)).word == "not sent")
        }
        #expect(Sent(error: SourceError.perhapsSent(CancellationError())).word == "cancelled")
        #expect(Sent(error: SourceError.notSent(CancellationError())).word == "not sent")
    }

    // MARK: Its turn

    @Test func `the time of a try begins with its turn`() async throws {
        let time = ManualClock()
        let isWell = Switch()
        try await withSender({ _ in isWell.isOn ? Answer.text("") : [] }, clock: time.clock) {
            $0.limits.concurrency = .fixed(1)
            $0.timeout = .seconds(2)
        } _: { server, source async throws in
            let first = Task { await source.sent() }
            await server.arrival()
            let second = Task { await source.sent() }
            while snapshot(of: server)?.waiting != 1 { try await turn() }
            await time.sleepers(atLeast: 1)
            isWell.turnOn()
            time.advance(by: .seconds(2))

            #expect(await first.value.word == "perhaps sent")
            #expect(await second.value.word == "accepted")
        }
    }

    @Test func `an urgent send does not wait for others`() async throws {
        try await withSender({ $0.target == "/held" ? [] : Answer.text("") }, path: "/{user}") {
            $0.limits.concurrency = .fixed(1)
        } _: { server, source async throws in
            let held = Task { await source.sent(.of(user: "held")) }
            await server.arrival()

            #expect(await source.sent(.of(), ReadContext(load: LoadPriority(.high))).word == "accepted")

            held.cancel()
            _ = await held.value
        }
    }

    @Test func `no second request is sent, however long the first takes`() async throws {
        let time = ManualClock()
        try await withSender({ _ in [] }, clock: time.clock) {
            $0.method = .put
            $0.hedge = HedgePolicy(after: .fixed(.milliseconds(300)), budget: 1)
        } _: { server, source async throws in
            let sending = Task { await source.sent() }
            await server.arrival()
            await time.sleepers(atLeast: 1)
            time.advance(by: .seconds(29))
            sending.cancel()

            #expect(await sending.value.word == "cancelled")
            await server.closing()
            #expect(snapshot(of: server)?.hedges == 0)
            #expect(server.requests.count == 1)
        }
    }

    @Test func `a send takes nothing from the budget of retries, and gives its permit back`() async throws {
        try await withSender({ _ in [.close] }) {
            $0.method = .put
        } _: { server, source async throws in
            for _ in 0..<8 { #expect(await source.sent().word == "perhaps sent") }

            #expect(snapshot(of: server)?.budget == 5)
            #expect(snapshot(of: server)?.underWay == 0)
            #expect(server.requests.count == 8)
        }
    }
}
