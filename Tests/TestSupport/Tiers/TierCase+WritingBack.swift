import Pipeline
import PipelineTesting
import Testing

extension TierCase {
    /// Where answers are kept, and what becomes of a fetch whose answer cannot be.
    package static let writingBack: [TierCase] = [
        hitBelow, answerOfOrigin, refusedWrite, refusedFirstWrite, slowWrite, equalValue, noStore, noWriteBack, refresh,
    ]

    private static let hitBelow = TierCase("WB-01 a hit in the middle is written to memory once, and not to the middle again") { scene in
        try await scene.hold("[1]")
        let held = try await scene.disk.entry(for: scene.key)
        scene.time.advance(by: .seconds(1))

        let outcome = try await scene.fetch()

        #expect(outcome.writeTrace == "memory: written")
        #expect(scene.memoryText == "[1]")
        #expect(try await scene.diskText() == "[1]")
        // One that was written again would be stored a second later.
        #expect(try await scene.disk.entry(for: scene.key) == held)
    }

    private static let answerOfOrigin = TierCase("WB-02 an origin's answer goes to every cache") { scene in
        let outcome = try await scene.fetch()

        #expect(outcome.writeTrace == "memory: written, disk: written")
        #expect(scene.memoryText == "[\"v1\"]")
        #expect(try await scene.diskText() == "[\"v1\"]")
    }

    private static let refusedWrite = TierCase(
        "WB-03 a cache that cannot be written never fails the read", patience: .milliseconds(5)
    ) { scene in
        try await scene.hold("[\"old\"]")
        let fault = try await scene.disk.refuseChanges()

        let outcome = try await scene.fetch(.refresh)

        #expect(outcome.text == "[\"v1\"]")
        #expect(outcome.writeTrace == "memory: written, disk: failed")
        #expect(outcome.writes[1].reason?.hasSuffix(fault.words) == true)
        #expect(scene.memoryText == "[\"v1\"]")
        try await scene.disk.takeChanges()
        #expect(try await scene.diskText() == "[\"old\"]")
    }

    private static let refusedFirstWrite = TierCase(
        "WB-04 a first cache that cannot be written never fails the read", "tiers: [disk, network]", patience: .milliseconds(5)
    ) { scene in
        try await scene.hold("[\"old\"]")
        _ = try await scene.disk.refuseChanges()

        let outcome = try await scene.fetch(.refresh)

        #expect(outcome.text == "[\"v1\"]")
        #expect(outcome.writeTrace == "disk: failed")
        try await scene.disk.takeChanges()
    }

    private static let slowWrite = TierCase(
        "WB-05 the fetch returns before a slow cache is written, which shows the old value until then",
        "tiers: [{ source: memory, read: false }, { source: disk, ttl: 10s }, network]", patience: .seconds(3_600)
    ) { scene in
        try await scene.fetch()
        scene.network.answers("[\"v2\"]")
        try await scene.disk.holdUpChanges()

        let outcome = try await scene.friends.fetch(scene.key, policy: .refresh)
        try await scene.disk.changeWaits()

        #expect(outcome.text == "[\"v2\"]")
        #expect(outcome.writeTrace == "memory: written, disk: scheduled")
        #expect(try await scene.textMeanwhile() == "[\"v1\"]")

        try await scene.disk.takeChanges()
        try await outcome.waitForWrites()

        #expect(outcome.writeTrace == "memory: written, disk: written")
        #expect(try await scene.friends.fetch(scene.key).text == "[\"v2\"]")
    }

    private static let equalValue = TierCase(
        "WB-08 a value that the cache holds is not written again, and its times are renewed",
        // A server goes by the real time: an hour is longer than any machine takes for the steps.
        "tiers: [network, { source: disk, ttl: 1h }]"
    ) { scene in
        try await scene.fetch()
        let held = try await scene.disk.entry(for: scene.key)
        let atOnce = try await scene.fetch()
        let heldAtOnce = try await scene.disk.entry(for: scene.key)
        scene.time.advance(by: .seconds(3_000))

        let second = try await scene.fetch()
        let confirmed = scene.time.now
        scene.network.answers(.error())
        scene.time.advance(by: .seconds(3_000))
        let inOutage = try await scene.fetch()
        let renewed = try await scene.disk.entry(for: scene.key)

        #expect(atOnce.writeTrace == "disk: unchanged")
        #expect(held != nil && heldAtOnce == held)
        #expect(second.writeTrace == "disk: renewed")
        #expect(inOutage.trace == "network: error, disk: hit" && inOutage.text == "[\"v1\"]")
        #expect(renewed?.payload == held?.payload)
        #expect(renewed?.created == confirmed && renewed?.stored == confirmed)
    }

    private static let noStore = TierCase("WB-09 no-store leaves the caches as they are") { scene in
        try await scene.fetch()
        scene.network.answers("[\"v2\"]")

        let outcome = try await scene.fetch(.noStore)

        #expect(outcome.text == "[\"v2\"]" && outcome.writes.isEmpty)
        #expect(try await scene.diskText() == "[\"v1\"]")
        #expect(try await scene.fetch().text == "[\"v1\"]")
    }

    private static let noWriteBack = TierCase(
        "WB-10 write_back none gives the value and writes nothing", "write_back: none\ntiers: [memory, disk, network]"
    ) { scene in
        let outcome = try await scene.fetch()

        #expect(outcome.text == "[\"v1\"]" && outcome.writes.isEmpty)
        #expect(scene.memoryText == nil)
        #expect(try await scene.disk.count() == 0)
    }

    private static let refresh = TierCase("WB-11 a refresh writes every cache that holds older data") { scene in
        try await scene.fetch()
        scene.network.answers("[\"v2\"]")

        let outcome = try await scene.fetch(.refresh)

        #expect(outcome.writeTrace == "memory: written, disk: written")
        #expect(scene.memoryText == "[\"v2\"]")
        #expect(try await scene.diskText() == "[\"v2\"]")
    }
}
