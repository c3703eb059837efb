import Pipeline
import PipelineTesting
import Testing

@Suite struct TierOrderTests {
    @Test(arguments: TierCase.order)
    func `TI-01, TI-02, TI-03, TI-04, TI-05, TI-07, NG-05 the order of tiers, over a scripted cache`(tierCase: TierCase) async throws {
        try await tierCase.play { time, _ in StubMiddle(time) }
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

    @Test func `when no tier has it and none failed, it is not found`() async throws {
        let scene = try Scene("tiers: [memory, disk]")

        let outcome = try await scene.fetch()

        #expect(outcome.isNotFound)
        #expect(outcome.source == nil)
        #expect(outcome.trace == "memory: miss, disk: miss")
    }

    @Test func `when no tier has it and one failed, the fetch failed`() async throws {
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

    @Test func `SH-08 what one caller does to its bytes changes nothing for others`() async throws {
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
