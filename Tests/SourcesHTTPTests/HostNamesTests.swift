import Dispatch
import NIOCore
import NIOPosix
import Pipeline
import PipelineTesting
import Synchronization
import Testing

@testable import PipelineSockets

/// Names without an answer hold up no other.
@Suite(.timeLimit(.minutes(15)))
struct HostNamesTests {
    private let time = ManualClock()

    /// The lookups that begin when all these names are asked for.
    private func begun(_ names: [String], in queue: inout LookupQueue) -> [String] {
        for name in names { _ = queue.ask(for: name, at: time.now) }
        return queue.begun()
    }

    @Test func `a name is looked up once at a time, and then not for a minute`() {
        var queue = LookupQueue()
        #expect(begun(["a.example", "a.example"], in: &queue) == ["a.example"])
        #expect(begun(["a.example"], in: &queue) == [])

        queue.end("a.example", isFound: true, at: time.now)
        #expect(queue.ask(for: "a.example", at: time.now + .seconds(59)) == .found)
        #expect(queue.ask(for: "a.example", at: time.now + .seconds(60)) == .wait)
    }

    @Test func `a name that was not found fails at once for 5 s`() {
        var queue = LookupQueue()
        _ = begun(["a.example"], in: &queue)
        queue.end("a.example", isFound: false, at: time.now)

        #expect(queue.ask(for: "a.example", at: time.now + .milliseconds(4_999)) == .failed)
        #expect(queue.ask(for: "a.example", at: time.now + .seconds(5)) == .wait)
    }

    @Test(arguments: [
        ((0..<60).map { "k\($0).dead.example" }, 8), ((0..<60).map { "dead\($0)" }, 8), ((0..<60).map { "k.d\($0).example" }, 24),
        ((0..<60).map { "k\($0).localhost" }, 32),
    ])
    func `many names have few places`(names: [String], count: Int) {
        var queue = LookupQueue()
        #expect(begun(names, in: &queue).count == count)
    }

    @Test func `a known name, localhost and a name of another zone are looked up beside sixty dead ones`() {
        var queue = LookupQueue()
        _ = begun(["api.example.org"], in: &queue)
        queue.end("api.example.org", isFound: true, at: time.now)
        _ = begun((0..<60).map { "k\($0).dead.example" }, in: &queue)
        #expect(begun(["other.example.net"], in: &queue) == ["other.example.net"])

        _ = begun((0..<60).map { "k.d\($0).example" }, in: &queue)
        time.advance(by: .seconds(61))
        #expect(begun(["new.example.com", "api.example.org", "localhost"], in: &queue) == ["api.example.org", "localhost"])
    }

    @Test func `those that wait are next when a lookup ends, in order`() {
        var queue = LookupQueue()
        let names = (0..<10).map { "k\($0).dead.example" }
        #expect(begun(names, in: &queue) == Array(names[..<8]))

        queue.end(names[3], isFound: false, at: time.now)
        #expect(queue.begun() == [names[8]])
    }

    @Test func `what is remembered of names has a bound, and so has what waits`() {
        var queue = LookupQueue()
        for index in 0..<10_000 {
            let name = "k\(index).example"
            _ = begun([name], in: &queue)
            queue.end(name, isFound: index.isMultiple(of: 2), at: time.now + .nanoseconds(Int64(index)))
        }
        #expect(queue.remembered <= 2 * LookupQueue.mostNames)
        let answers = (0..<2_000).map { queue.ask(for: "x\($0).example", at: time.now) }
        #expect(answers.last == .full && answers.count { $0 == .wait } == LookupQueue.mostNames)
    }

    @Test func `a name that nobody waits for any more keeps no other out, and one that was found is never kept out`() {
        var queue = LookupQueue()
        _ = begun(["found.example"], in: &queue)
        queue.end("found.example", isFound: true, at: time.now)
        for number in 0...LookupQueue.mostNames { _ = queue.ask(for: "\(number).example", at: time.now) }

        #expect(queue.ask(for: "new.example", at: time.now) == .full)
        #expect(queue.ask(for: "found.example", acceptingFound: false, at: time.now) == .wait)
        queue.drop("1.example")
        queue.drop("2.example")
        #expect(queue.ask(for: "new.example", at: time.now) == .wait)
    }

    /// Names of `.dead` have no answer until the end.
    private func withNames(_ body: (HostNames, _ asked: @Sendable () -> [String]) async throws -> Void) async throws {
        let end = DispatchSemaphore(value: 0)
        let asked = Mutex<[String]>([])
        let names = HostNames(clock: time.clock) { name in
            asked.withLock { $0.append(name) }
            if name.hasSuffix(".dead") {
                end.wait()
                end.signal()
            }
            if name.hasSuffix(".none") { throw HostNames.Unknown(name: name) }
            return [try SocketAddress(ipAddress: "127.0.0.1", port: 0)]
        }
        defer { end.signal() }
        try await body(names) { asked.withLock(\.self) }
    }

    @Test func `sixty names whose server is silent stop no other name, and no address`() async throws {
        try await withNames { names, asked async throws in
            for index in 0..<60 { names.ask(for: "k\(index).dead", acceptingFound: true) { _ in } }

            try await names.find(hostOf: HTTPURL("http://api.example"), within: .seconds(10), on: time.clock)
            try await names.find(hostOf: HTTPURL("http://127.0.0.1"), within: .seconds(10), on: time.clock)
            await #expect(throws: HostNames.Unknown(name: "a.none")) {
                try await names.find(hostOf: HTTPURL("http://a.none"), within: .seconds(10), on: time.clock)
            }
            #expect(asked().count <= LookupQueue.mostOfZone + 2)
        }
    }

    @Test func `who waits for a name does so until its time is over`() async throws {
        try await withNames { names, _ async throws in
            let find = Task { try await names.find(hostOf: HTTPURL("http://a.dead"), within: .seconds(10), on: time.clock) }
            await time.sleepers(atLeast: 1)
            time.advance(by: .seconds(10))
            await #expect(throws: ChannelError.self) { try await find.value }
        }
    }

    @Test func `a connection of ours asks there, and an address needs nothing`() async throws {
        try await withNames { names, asked async throws in
            let loop = MultiThreadedEventLoopGroup.singleton.next()
            func addresses(_ host: String) async throws -> [String?] {
                let resolver = HostResolver(on: loop, names: names)
                let six = resolver.initiateAAAAQuery(host: host, port: 80)
                let four = resolver.initiateAQuery(host: host, port: 80)
                return try await (six.get() + four.get()).map { "\($0.ipAddress ?? "") \($0.port ?? 0)" }
            }
            #expect(try await addresses("api.example") == ["127.0.0.1 80"])
            #expect(try await addresses("10.1.2.3") == ["10.1.2.3 80"])
            #expect(try await addresses("::1") == ["::1 80"])
            await #expect(throws: HostNames.Unknown.self) { try await addresses("b.none") }
            #expect(asked() == ["api.example", "b.none"])
        }
    }
}
