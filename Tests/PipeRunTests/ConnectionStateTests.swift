import NIOHTTP1
import Pipeline
import Testing

@testable import PipeRunKit
@testable import PipelineServer

/// What a client's connection does, event by event, on a time of its own.
@Suite struct ConnectionStateTests {
    private let start = Timestamp(nanoseconds: 0)

    private func state() -> ConnectionState { ConnectionState(ServerLimits(connections: 10), at: start) }

    private func request(
        _ target: String = "/friends", _ fields: HTTPHeaders = [:], version: HTTPVersion = .http1_1, method: HTTPMethod = .GET
    ) throws -> ClientRequest {
        var headers: HTTPHeaders = ["Host": "localhost"]
        headers.add(contentsOf: fields)
        return try ClientRequest(
            HTTPRequestHead(version: version, method: method, uri: target, headers: headers),
            hosts: HostRule(listeningOn: "127.0.0.1", allowing: []))
    }

    private func after(_ seconds: Double) -> Timestamp { start + .seconds(seconds) }

    @Test func `requests are answered one after the other, in their order`() throws {
        var state = state()
        let (first, second) = (try request("/a"), try request("/b"))

        #expect(state.receive(first, at: start) == [.answer(first)])
        state.receiveEnd()
        #expect(state.receive(second, at: start) == [])
        state.receiveEnd()
        #expect(state.beginAnswer(keepsAlive: true, at: start) == false)
        #expect(state.endAnswer(at: start) == [.answer(second)])
        #expect(state.beginAnswer(keepsAlive: true, at: start) == false)
        #expect(state.endAnswer(at: start) == [])
        #expect(state.dispensableFrom == start)
    }

    @Test func `a new client and one with its last answer keep their places for a moment, an idle one does not`() throws {
        var state = state()
        #expect(state.dispensableFrom == start + .milliseconds(100))
        let request = try request("/a")
        #expect(state.receive(request, at: start) == [.answer(request)])
        state.receiveEnd()
        #expect(state.dispensableFrom == nil)
        var crowded = state

        #expect(state.beginAnswer(keepsAlive: true, at: start) == false)
        #expect(state.endAnswer(at: after(5)) == [])
        #expect(state.dispensableFrom == after(5))

        #expect(crowded.beginAnswer(keepsAlive: true, isCrowded: true, at: start) == true)
        #expect(crowded.endAnswer(at: after(5)) == [.closeOutput])
        #expect(crowded.dispensableFrom == after(5) + .milliseconds(100))
    }

    @Test func `the first head has ten seconds from the connection on, a later one from its first byte on`() throws {
        var state = state()
        #expect(state.deadline == after(10))
        state.receive(at: after(9))
        #expect(state.deadline == after(10), "one byte now and then gains no time")
        #expect(try state.receive(request(), at: after(9.5)).count == 1)
        #expect(state.deadline == nil, "a load has limits of its own")
        state.receiveEnd()
        _ = state.beginAnswer(keepsAlive: true, at: after(20))
        _ = state.endAnswer(at: after(21))

        #expect(state.deadline == after(81))
        state.receive(at: after(50))
        #expect(state.deadline == after(60))
        state.receive(at: after(59))
        #expect(state.deadline == after(60))
        #expect(state.tick(at: after(59.9)) == [])
        #expect(state.tick(at: after(60)) == [.refuse(.headTimeout)])
    }

    @Test func `a silent client is sent away without a word`() {
        var state = state()
        #expect(state.tick(at: after(10)) == [.close])
        #expect(state.isClosed)
    }

    @Test func `a client that closes its end has left shortly after, when its answer is not there by then`() throws {
        var state = state()
        _ = state.receive(try request("/a"), at: start)
        state.receiveEnd()
        _ = state.receive(try request("/b"), at: start)

        #expect(state.endInput(at: start) == [])
        #expect(state.tick(at: after(0.049)) == [])
        #expect(state.tick(at: after(0.05)) == [.cancel, .close])
        #expect(state.beginAnswer(keepsAlive: true, at: after(1)) == nil)
    }

    @Test func `a quick answer still reaches a client that closed its end, and is the last`() throws {
        var state = state()
        _ = state.receive(try request(), at: start)
        state.receiveEnd()
        _ = state.endInput(at: start)

        #expect(state.beginAnswer(keepsAlive: true, at: after(0.01)) == true)
        #expect(state.endAnswer(at: after(0.02)) == [.close])
    }

    @Test func `a client that closes its end while its answer is written gets it whole`() throws {
        var state = state()
        _ = state.receive(try request(), at: start)
        state.receiveEnd()
        _ = state.beginAnswer(keepsAlive: true, at: start)

        #expect(state.endInput(at: start) == [])
        state.progress(at: after(30))
        #expect(state.deadline == after(90))
        #expect(state.endAnswer(at: after(31)) == [.close])
    }

    @Test func `the client of an event stream has the write timeout for each piece, and any time while there is nothing`() throws {
        var state = state()
        _ = state.receive(try request(), at: start)
        _ = state.beginAnswer(keepsAlive: true, isStream: true, at: start)
        #expect(state.deadline == after(30))
        state.progress(at: after(20))
        #expect(state.deadline == after(50) && state.tick(at: after(49)) == [])
        _ = state.pauseAnswer(at: after(49))
        #expect(state.tick(at: after(1_000)) == [.showAlive])
        _ = state.resumeAnswer(at: after(1_000))
        #expect(state.tick(at: after(1_030)) == [.cancel, .close])
    }

    @Test func `a reader that stops is sent away after the idle timeout`() throws {
        var state = state()
        _ = state.receive(try request(), at: start)
        _ = state.beginAnswer(keepsAlive: true, at: start)
        state.progress(at: after(5))

        #expect(state.tick(at: after(64)) == [])
        #expect(state.tick(at: after(65)) == [.cancel, .close])
    }

    @Test func `told to stop, it answers the requests that came, and takes no other`() throws {
        var (idle, busy) = (state(), state())
        let second = try request("/b")
        _ = busy.receive(try request("/a"), at: start)
        busy.receiveEnd()
        _ = busy.receive(second, at: start)
        busy.receiveEnd()

        #expect(idle.drain() == [.close])
        #expect(busy.drain() == [])
        #expect(try busy.receive(request("/c"), at: start) == [])
        #expect(busy.beginAnswer(keepsAlive: true, at: start) == false)
        #expect(busy.endAnswer(at: start) == [.answer(second)])
        #expect(busy.beginAnswer(keepsAlive: true, at: start) == true)
        #expect(busy.endAnswer(at: start) == [.closeOutput])
        #expect(busy.endInput(at: start) == [.close])
    }

    @Test func `requests that came whole are answered before a server without room ends the connection`() throws {
        var state = state()
        let second = try request("/b")
        _ = state.receive(try request("/a"), at: start)
        state.receiveEnd()
        _ = state.receive(second, at: start)
        state.receiveEnd()

        #expect(state.beginAnswer(keepsAlive: true, isCrowded: true, at: start) == false)
        #expect(state.endAnswer(at: start) == [.answer(second)])
        #expect(state.beginAnswer(keepsAlive: true, isCrowded: true, at: start) == true)
        #expect(state.endAnswer(at: start) == [.closeOutput])
    }

    @Test func `a body that cannot be read gets one answer, behind those of the requests before it`() throws {
        let problem = ClientRequest.Problem(status: .badRequest, message: "no chunk")
        var waiting = state()
        _ = waiting.receive(try request("/a"), at: start)
        waiting.receiveEnd()
        _ = waiting.receive(try request("/b"), at: start)
        #expect(waiting.receive(problem, at: start) == [])
        #expect(waiting.beginAnswer(keepsAlive: true, at: start) == false)
        #expect(waiting.endAnswer(at: start) == [.refuse(problem)])

        var answering = state()
        _ = answering.receive(try request("/a"), at: start)
        #expect(answering.receive(problem, at: start) == [])
        #expect(answering.beginAnswer(keepsAlive: true, at: start) == true)
        #expect(answering.endAnswer(at: start) == [.closeOutput])
    }

    @Test func `after an answer that ends the connection it waits for the client's end, for two seconds`() throws {
        var state = state()
        let last = try request("/a", ["Connection": "close"])
        _ = state.receive(last, at: start)
        state.receiveEnd()
        #expect(try state.receive(request("/b"), at: start) == [], "nothing comes after it")
        #expect(state.beginAnswer(keepsAlive: last.keepsAlive, at: start) == true)
        #expect(state.endAnswer(at: start) == [.closeOutput])

        #expect(state.tick(at: after(1.9)) == [])
        #expect(state.tick(at: after(2)) == [.close])
    }

    @Test func `an answer to a request whose body has not come to its end is the last`() throws {
        var state = state()
        _ = state.receive(try request(), at: start)

        #expect(state.beginAnswer(keepsAlive: true, at: start) == true)
    }

    /// A request whose body is read.
    private func write(_ target: String = "/add", _ fields: HTTPHeaders = [:], most: Int = 1 << 20) throws -> ClientRequest {
        var write = try request(target, fields, method: .POST)
        write.body = RequestBody(most: most, in: BodyRoom(limit: 1 << 20))
        return write
    }

    @Test func `a body that is read comes before the answer, and requests behind it after`() throws {
        var state = state()
        let (first, write, last) = (try request("/a"), try write(), try request("/b"))
        #expect(state.receive(first, at: start) == [.answer(first)])
        state.receiveEnd()
        #expect(state.receive(write, at: start) == [])
        #expect(state.receiveBody(at: start) === write.body)

        #expect(state.beginAnswer(keepsAlive: true, isCrowded: true, at: start) == false, "a request is under way")
        #expect(state.endAnswer(at: start) == [])
        #expect(!state.isBusy && state.dispensableFrom == start + .milliseconds(100))
        state.receiveEnd()
        #expect(state.endBody(at: start) == [.answer(write)])
        #expect(state.receive(last, at: start) == [])
        #expect(state.beginAnswer(keepsAlive: true, at: start) == false)
        #expect(state.endAnswer(at: start) == [.answer(last)])
    }

    @Test func `a body has 30 s, and a second more for each 16 KiB that have come`() throws {
        var state = state()
        let write = try write()
        #expect(state.receive(write, at: after(5)) == [])
        #expect(state.deadline == after(35))

        _ = write.body?.append([UInt8](repeating: 1, count: 32 << 10))
        _ = state.receiveBody(at: after(34))

        #expect(state.deadline == after(37))
        #expect(state.tick(at: after(36.9)) == [])
        #expect(state.tick(at: after(37)) == [.refuse(.bodyTimeout)])
        #expect(state.endBody(at: after(37)) == [], "what comes later is none of it")
        #expect(state.beginAnswer(keepsAlive: false, at: after(37)) == true)
    }

    @Test func `a client is told to go on when nothing is on its way, and only if it waits for that`() throws {
        let expecting = try write("/add", ["Expect": "100-continue"])
        var idle = state()
        #expect(idle.receive(expecting, at: start) == [.sendContinue])

        var busy = state()
        _ = busy.receive(try request("/a"), at: start)
        busy.receiveEnd()
        #expect(busy.receive(expecting, at: start) == [])
        _ = busy.beginAnswer(keepsAlive: true, at: start)
        #expect(busy.endAnswer(at: start) == [.sendContinue])

        var hasty = state()
        _ = hasty.receive(try request("/a"), at: start)
        hasty.receiveEnd()
        _ = hasty.receive(expecting, at: start)
        _ = expecting.body?.append([1])
        _ = hasty.beginAnswer(keepsAlive: true, at: start)
        #expect(hasty.endAnswer(at: start) == [])
    }

    @Test func `a body that is refused on its way is answered at once, and ends the connection`() throws {
        var state = state()
        let write = try write("/add", ["Connection": "close"], most: 3)
        _ = state.receive(write, at: start)

        #expect(write.body?.append([1, 2]) == true && write.body?.append([3, 4]) == false)
        #expect(write.body?.problem == .tooLarge && write.body?.bytes == [])
        #expect(state.endBody(at: start) == [.answer(write)])
        #expect(state.receiveBody(at: start) == nil)
        #expect(state.beginAnswer(keepsAlive: true, at: start) == true)
    }

    @Test func `a body that breaks is answered in the place of its request, which was the last one`() throws {
        let problem = ClientRequest.Problem(status: .badRequest, message: "no chunk")
        var state = state()
        _ = state.receive(try write("/add", ["Connection": "close"]), at: start)

        #expect(state.receive(problem, at: start) == [.refuse(problem)])
        #expect(state.receive(problem, at: start) == [])
    }

    @Test func `a body that is not whole is dropped when the client ends, and when the server stops`() throws {
        for end in [{ $0.endInput(at: start) }, { $0.drain() }] as [(inout ConnectionState) -> [ConnectionState.Action]] {
            var idle = state()
            _ = idle.receive(try write(), at: start)
            #expect(end(&idle) == [.close])

            var busy = state()
            _ = busy.receive(try request("/a"), at: start)
            busy.receiveEnd()
            _ = busy.receive(try write(), at: start)
            #expect(end(&busy) == [])
            busy.receiveEnd()
            #expect(busy.endBody(at: start) == [])
            #expect(busy.beginAnswer(keepsAlive: true, at: start) == true)
        }
    }

    @Test func `a stream ends when a write comes behind it, since its body would have no time limit`() throws {
        var waiting = state()
        _ = waiting.receive(try request("/a"), at: start)
        waiting.receiveEnd()
        _ = waiting.beginAnswer(keepsAlive: true, isStream: true, at: start)
        #expect(waiting.pauseAnswer(at: start) == [])
        #expect(waiting.receive(try write(), at: start) == [.endStream])

        var writing = state()
        _ = writing.receive(try request("/a"), at: start)
        writing.receiveEnd()
        _ = writing.beginAnswer(keepsAlive: true, isStream: true, at: start)
        #expect(writing.receive(try write(), at: start) == [])
        #expect(writing.pauseAnswer(at: start) == [.endStream])
    }

    @Test func `who closes its sending side behind a write is told what it has come to by now`() throws {
        var state = state()
        let write = try write()
        _ = state.receive(write, at: start)
        state.receiveEnd()
        #expect(state.endBody(at: start) == [.answer(write)])

        #expect(state.endInput(at: start) == [.cancel])
        #expect(state.beginAnswer(keepsAlive: true, at: start) == true)
    }

    @Test func `a body whose bytes are not needed any more gives their room to others`() {
        let room = BodyRoom(limit: 4)
        let first = RequestBody(most: 100, in: room)
        #expect(first.append([1, 2, 3, 4]) && !RequestBody(most: 100, in: room).append([1]))

        first.release()

        #expect(first.bytes == [] && RequestBody(most: 100, in: room).append([1]))
    }

    @Test func `of bodies one is read ahead`() throws {
        var state = state()
        _ = state.receive(try request("/a"), at: start)
        state.receiveEnd()
        let write = try write()
        _ = state.receive(write, at: start)
        state.receiveEnd()

        #expect(state.endBody(at: start) == [.pauseReading])
        _ = state.beginAnswer(keepsAlive: true, at: start)
        #expect(state.endAnswer(at: start) == [.resumeReading, .answer(write)])
    }

    @Test func `all bodies together have a room, in which one alone always fits`() {
        let room = BodyRoom(limit: 4)
        var first: RequestBody? = RequestBody(most: 100, in: room)
        let second = RequestBody(most: 100, in: room)

        #expect(first?.append([1, 2, 3]) == true && second.append([1]) == true)
        #expect(second.append([2]) == false && second.problem == .noRoom)
        #expect(first?.append([4, 5, 6]) == true, "what the other had is given back")
        first = nil
        #expect(RequestBody(most: 100, in: room).append([1, 2, 3, 4]) == true)
    }

    @Test func `many requests at once are not read on until their turn has come`() throws {
        var state = state()
        var actions: [ConnectionState.Action] = []
        for number in 0...40 {
            actions += state.receive(try request("/\(number)"), at: start)
            state.receiveEnd()
        }
        #expect(try actions == [.answer(request("/0")), .pauseReading])

        actions = []
        for _ in 0...40 {
            _ = state.beginAnswer(keepsAlive: true, at: start)
            actions += state.endAnswer(at: start)
        }
        #expect(actions.filter { $0 == .resumeReading }.count == 1)
        #expect(actions.count == 41)
    }

    @Test(
        arguments: [
            (.http1_1, [:], true), (.http1_1, ["Connection": "close"], false), (.http1_1, ["Connection": "foo, Close"], false),
            (.http1_0, [:], false), (.http1_0, ["Connection": "keep-alive"], true), (.http1_1, ["Upgrade": "h2c"], false),
        ] as [(HTTPVersion, HTTPHeaders, Bool)])
    func `what a connection is after a request is what version and fields say`(version: HTTPVersion, fields: HTTPHeaders, stays: Bool)
        throws
    {
        #expect(try request("/", fields, version: version).keepsAlive == stays)
    }

    /// A connection whose answer is a stream, at `start`; what there was of it is written.
    private func streaming() throws -> ConnectionState {
        var state = state()
        _ = try state.receive(request(), at: start)
        state.receiveEnd()
        _ = state.beginAnswer(keepsAlive: true, at: start)
        #expect(state.pauseAnswer(at: start) == [])
        return state
    }

    @Test func `a stream shows that it lives after 15 s of silence, and is never idle`() throws {
        var state = try streaming()

        #expect(state.deadline == after(15) && state.dispensableFrom == nil && state.isBusy)
        #expect(state.tick(at: after(15)) == [.showAlive])
        #expect(state.resumeAnswer(at: after(15)) == true)
        #expect(state.resumeAnswer(at: after(15)) == false, "it is being written")
        #expect(state.deadline == after(75), "a client that does not read is sent away")
        #expect(state.pauseAnswer(at: after(16)) == [])
        #expect(state.deadline == after(31))
    }

    @Test func `a client that closes its end has left its stream`() throws {
        var state = try streaming()

        #expect(state.endInput(at: after(3)) == [])
        #expect(state.deadline == start + .milliseconds(3050))
        #expect(state.tick(at: start + .milliseconds(3050)) == [.cancel, .close])
    }

    @Test func `a server that stops ends its streams at once, one that is written behind its event`() throws {
        var waiting = try streaming()
        #expect(waiting.drain() == [.endStream])
        #expect(waiting.resumeAnswer(at: after(1)) == true)
        #expect(waiting.endAnswer(at: after(1)) == [.closeOutput])

        var written = try streaming()
        #expect(written.resumeAnswer(at: after(1)) == true)
        #expect(written.drain() == [])
        #expect(written.pauseAnswer(at: after(2)) == [.endStream])
    }
}
