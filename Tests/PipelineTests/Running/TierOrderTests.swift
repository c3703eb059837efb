import Pipeline
import PipelineTesting
import Testing

@Suite struct TierOrderTests {
    @Test func `TI-01 a copy on disk answers, and the network is not asked`() async throws {
        let scene = try Scene()
        scene.disk.hold("[1]", for: scene.key)

        let outcome = try await scene.fetch()

        #expect(outcome.text == "[1]")
        #expect(outcome.source == "disk")
        #expect(outcome.trace == "memory: miss, disk: hit")
        #expect(scene.network.readCount == 0)
    }

    @Test func `TI-02 a hit in memory touches nothing below`() async throws {
        let scene = try Scene()
        try await scene.fetch()
        scene.disk.forgetCalls()
        scene.network.forgetCalls()

        let outcome = try await scene.fetch()

        #expect(outcome.source == "memory")
        #expect(outcome.trace == "memory: hit")
        #expect(scene.disk.calls.isEmpty)
        #expect(scene.network.calls.isEmpty)
    }

    @Test func `TI-03 a tier that throws is passed over and named`() async throws {
        let scene = try Scene()
        scene.disk.fail(.reads, with: Broken())

        let outcome = try await scene.fetch()

        #expect(outcome.text == "[\"v1\"]")
        #expect(outcome.trace == "memory: miss, disk: error, network: hit")
        #expect(outcome.attempts[1].reason?.contains("broken") == true)
    }

    @Test func `TI-04 on_error fail ends the fetch with the cause, and asks nobody below`() async throws {
        let scene = try Scene("tiers: [memory, { source: disk, on_error: fail }, network]")
        scene.disk.fail(.reads, with: Broken())

        let outcome = try await scene.fetch()

        let failure = try #require(outcome.failure)
        #expect(failure.kind == .tierFailed)
        #expect(failure.attempts.last?.error as? Broken == Broken())
        #expect(scene.network.readCount == 0)
    }

    @Test func `TI-05 when all fail, the error names every tier with what it did`() async throws {
        let scene = try Scene()
        scene.disk.fail(.reads)
        scene.network.answers(.error(SourceError("status 503 from api.example")))

        let outcome = try await scene.fetch()

        let failure = try #require(outcome.failure)
        #expect(failure.kind == .everyTierFailed)
        #expect(outcome.trace == "memory: miss, disk: error, network: error")
        for part in ["memory: miss", "disk: error", "network: error", "status 503 from api.example"] {
            #expect("\(failure)".contains(part))
        }
    }

    @Test func `TI-07 bytes that are no JSON are invalid, passed over, and replaced`() async throws {
        let scene = try Scene()
        scene.disk.hold("[1", for: scene.key)

        let outcome = try await scene.fetch()

        #expect(outcome.trace == "memory: miss, disk: invalid, network: hit")
        #expect(outcome.attempts[1].reason?.contains("not JSON") == true)
        #expect(scene.diskText == "[\"v1\"]")
    }

    @Test func `an origin's payload that is no JSON is invalid and never written back`() async throws {
        let scene = try Scene()
        scene.network.answers("<html>")

        let outcome = try await scene.fetch()

        #expect(outcome.trace == "memory: miss, disk: miss, network: invalid")
        #expect(outcome.failure?.kind == .everyTierFailed)
        #expect(scene.memoryText == nil)
        #expect(scene.disk.writeCount == 0)
    }

    @Test(arguments: [("text", "plain words", true), ("text", "\u{FEFF}", true), ("bytes", "\0", true), ("json", "plain words", false)])
    func `the format decides what is a payload`(format: String, payload: String, isValid: Bool) async throws {
        let scene = try Scene("format: \(format)\ntiers: [network]")
        scene.network.answers(.value(payload))

        let outcome = try await scene.fetch()

        #expect((outcome.text == payload) == isValid)
    }

    @Test func `not_found from an origin is an answer and stops`() async throws {
        let scene = try Scene("tiers: [memory, network, disk]")
        scene.network.answers(.notFound)
        scene.disk.hold("[1]", for: scene.key)

        let outcome = try await scene.fetch()

        #expect(outcome.isNotFound)
        #expect(outcome.source == "network")
        #expect(outcome.trace == "memory: miss, network: not_found")
    }

    @Test func `when nobody has it and nobody failed, it is not found`() async throws {
        let scene = try Scene("tiers: [memory, disk]")

        let outcome = try await scene.fetch()

        #expect(outcome.isNotFound)
        #expect(outcome.source == nil)
        #expect(outcome.trace == "memory: miss, disk: miss")
    }

    @Test func `when nobody has it and somebody failed, the fetch failed`() async throws {
        let scene = try Scene("tiers: [memory, disk]")
        scene.disk.fail(.reads)

        #expect(try await scene.fetch().failure != nil)
    }

    @Test(arguments: ["0", "\"\"", "[]", "null", "{}", "false"])
    func `NG-05 empty values are values, distinct from missing`(payload: String) async throws {
        let scene = try Scene()
        scene.network.answers(.value(payload))

        let first = try await scene.fetch()
        let second = try await scene.fetch()

        #expect(first.text == payload)
        #expect(second.text == payload)
        #expect(second.source == "memory")
    }

    @Test func `a moved line changes the order`() async throws {
        let scene = try Scene("tiers: [network, disk]")

        let first = try await scene.fetch()
        scene.network.fail(.reads)
        let second = try await scene.fetch()

        #expect(first.trace == "network: hit")
        #expect(second.trace == "network: error, disk: hit")
        #expect(second.text == "[\"v1\"]")
    }

    @Test func `a tier with read false is written and not asked`() async throws {
        let scene = try Scene("tiers: [{ source: disk, read: false }, network]")

        let first = try await scene.fetch()
        let second = try await scene.fetch()

        #expect(first.trace == "disk: skipped, network: hit")
        #expect(first.attempts[0].reason == "read: false")
        #expect(scene.diskText == "[\"v1\"]")
        #expect(second.source == "network")
    }

    @Test func `SH-08 what one caller does to its bytes is nobody else's concern`() async throws {
        let scene = try Scene()
        try await scene.fetch()

        var mine = try #require(try await scene.fetch().payload)
        mine.append(0)

        #expect(try await scene.fetch().text == "[\"v1\"]")
    }

    @Test func `FS-07 an origin whose answer is invalid has failed without throwing, and the expired copy is served`() async throws {
        let scene = try Scene("stale_if_error: 1h\ntiers: [{ source: memory, ttl: 1s }, network]")
        try await scene.fetch()
        scene.time.advance(by: .seconds(2))
        scene.network.answers("<html>maintenance</html>")

        let outcome = try await scene.fetch()

        #expect(outcome.text == "[\"v1\"]")
        #expect(outcome.trace == "memory: stale, network: invalid")
        #expect(scene.memoryText == "[\"v1\"]")
    }
}
