import Pipeline
import PipelineTesting
import Testing

extension TierCase {
    /// In which order tiers are asked, and what becomes of those that have nothing.
    package static let order: [TierCase] = [copyBelow, hitAbove, brokenTier, endingTier, everyTierBroken, damagedCopy] + emptyValues

    private static let copyBelow = TierCase("TI-01 a copy in the middle answers, and the network is not asked") { scene in
        try await scene.hold("[1]")

        let outcome = try await scene.fetch()

        #expect(outcome.text == "[1]" && outcome.source == "disk")
        #expect(outcome.trace == "memory: miss, disk: hit")
        #expect(scene.network.readCount == 0)
    }

    private static let hitAbove = TierCase("TI-02 a hit in memory touches nothing below") { scene in
        try await scene.fetch()
        let isTouched = try await scene.disk.watch()
        scene.network.forgetCalls()

        let outcome = try await scene.fetch()

        #expect(outcome.source == "memory")
        #expect(outcome.trace == "memory: hit")
        #expect(try await !isTouched())
        #expect(scene.network.calls.isEmpty)
        // Else nothing would be noticed at all.
        try await scene.fetch(.refresh)
        #expect(try await isTouched())
    }

    private static let brokenTier = TierCase("TI-03 a cache that cannot be read is passed over and named") { scene in
        let fault = try await scene.disk.breakDown()

        let outcome = try await scene.fetch()

        #expect(outcome.text == "[\"v1\"]")
        #expect(outcome.trace == "memory: miss, disk: error, network: hit")
        #expect(outcome.attempts[1].reason?.hasSuffix(fault.words) == true)
    }

    private static let endingTier = TierCase(
        "TI-04 on_error fail ends the fetch with the cause, and asks no tier below",
        "tiers: [memory, { source: disk, on_error: fail }, network]"
    ) { scene in
        let fault = try await scene.disk.breakDown()

        let failure = try #require(try await scene.fetch().failure)

        #expect(failure.kind == .tierFailed)
        #expect(fault.isCause(try #require(failure.attempts.last?.error)))
        #expect(scene.network.readCount == 0)
    }

    private static let everyTierBroken = TierCase("TI-05 when all fail, the error names every tier with what it did") { scene in
        let fault = try await scene.disk.breakDown()
        scene.network.answers(.error(SourceError("status 503 from api.example")))

        let outcome = try await scene.fetch()

        let failure = try #require(outcome.failure)
        #expect(failure.kind == .everyTierFailed)
        #expect(outcome.trace == "memory: miss, disk: error, network: error")
        for part in ["memory: miss", "disk: error", fault.words, "network: error", "status 503 from api.example"] {
            #expect("\(failure)".contains(part))
        }
    }

    private static let damagedCopy = TierCase("TI-07 bytes that are no JSON are invalid, passed over, and replaced") { scene in
        try await scene.hold("[1")

        let outcome = try await scene.fetch()

        #expect(outcome.trace == "memory: miss, disk: invalid, network: hit")
        #expect(outcome.attempts[1].reason?.contains("not JSON") == true)
        #expect(try await scene.diskText() == "[\"v1\"]")
    }

    private static let emptyValues = ["0", "\"\"", "[]", "null", "{}", "false"].map { payload in
        TierCase("NG-05 \(payload) is a value, distinct from missing", "tiers: [disk, network]") { scene in
            scene.network.answers(.value(payload))

            let first = try await scene.fetch()
            let second = try await scene.fetch()

            #expect(first.text == payload && second.text == payload)
            #expect(second.source == "disk")
        }
    }
}
