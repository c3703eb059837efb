import Dispatch
import NIOCore
import NIOPosix
import Pipeline
import Testing

@testable import PipelineSockets

/// Lookups of one name do not hold up those of another.
@Suite(.timeLimit(.minutes(15)))
struct HostLoopsTests {
    private func group(_ host: String, of loops: HostLoops) throws -> ObjectIdentifier {
        ObjectIdentifier(loops.group(for: try HTTPURL("http://\(host):8080/friends")))
    }

    @Test func `each name has a loop of its own, and keeps it`() throws {
        let loops = HostLoops(limit: 4)

        let groups = try ["a.example", "b.example", "c.example"].map { try group($0, of: loops) }

        #expect(Set(groups).count == 3)
        #expect(try ["A.example", "b.example", "c.example"].map { try group($0, of: loops) } == groups)
    }

    @Test func `addresses use the loops of the process`() throws {
        let loops = HostLoops(limit: 2)

        for host in ["127.0.0.1", "[::1]", "10.1.2.3"] {
            #expect(try group(host, of: loops) == ObjectIdentifier(MultiThreadedEventLoopGroup.singleton))
        }
        #expect(try group("a.example", of: loops) != ObjectIdentifier(MultiThreadedEventLoopGroup.singleton))
    }

    @Test func `there are no more loops than the bound, however many names there are`() throws {
        let loops = HostLoops(limit: 3)

        let groups = try (0..<200).map { try group("h\($0).example", of: loops) }

        #expect(Set(groups).count == 3)
        #expect(try (0..<200).map { try group("h\($0).example", of: loops) } == groups)
    }

    @Test func `a name whose lookup hangs does not hold up another`() async throws {
        try await ScriptedServer.run({ _ in Answer.text("1") }) { server async throws in
            try await withSource("http://localhost:\(server.port)") { source async throws in
                // Holds the loop as a dead name server holds its lookups.
                let dead = HostLoops.process.group(for: try HTTPURL("http://dead.invalid/"))
                let end = DispatchSemaphore(value: 0)
                defer { end.signal() }
                await withCheckedContinuation { held in
                    dead.next().execute {
                        held.resume()
                        end.wait()
                    }
                }

                #expect(try await source.text() == "1")
                try await source.connect()
            }
        }
    }
}
