import PipelineComposing
import PipelineJSON
import PipelineLive
import PipelineScenarios
import PipelineTesting
import Synchronization
import Testing

@testable import Pipeline

/// A whole of which a part changes all the time, beside a part that takes long and that no cache keeps.
@Suite
struct SteadyFeedTests {
    /// Where the slow part is.
    enum Shape: String, Sendable {
        case beside, within, below, followed, failing, hanging, expiring

        /// Those whose slow part no cache keeps.
        static let uncached: [Shape] = [.beside, .within, .below, .followed, .failing, .hanging]
    }

    private struct Seen: Sendable {
        /// The values, in their order, each once.
        var values: [String] = []
        var readCount = 0
    }

    @Test(arguments: Shape.uncached, [UInt64(1), 2, 3])
    func `a steady feed starves no observer, and a part without a cache is asked once a second`(shape: Shape, seed: UInt64) async throws {
        let seen = try await JobLoop.run { loop in Result { try Self.play(shape, messages: 150, every: 113_000_000, seed, loop) } }.get()

        #expect(seen.values.count >= 50 && seen.readCount <= 20, "\(seen.values.count) values, asked \(seen.readCount) times")
        #expect(seen.values.last?.contains(#""n":150"#) == true, "\(seen.values.last ?? "")")
    }

    @Test func `a whole is published although a part has changed while another expired part was asked`() async throws {
        let seen = try await JobLoop.run { loop in Result { try Self.play(.expiring, messages: 150, every: 113_000_000, 1, loop) } }.get()

        #expect(seen.values.count >= 40 && seen.readCount >= 40, "\(seen.values.count) values, asked \(seen.readCount) times")
        #expect(seen.values.last?.contains(#""n":150"#) == true, "\(seen.values.last ?? "")")
    }

    @Test(arguments: Shape.uncached)
    func `many changes in one turn give one whole`(shape: Shape) async throws {
        let seen = try await JobLoop.run { loop in Result { try Self.play(shape, messages: 100, every: 0, 1, loop) } }.get()

        #expect(seen.values.count == 2 && seen.readCount <= 2, "\(seen.values.count) values, asked \(seen.readCount) times")
        #expect(seen.values.last?.contains(#""n":100"#) == true, "\(seen.values.last ?? "")")
    }

    private static func play(
        _ shape: Shape, messages: Int, every pause: Int64, _ seed: UInt64, _ loop: JobLoop
    ) throws -> Seen {
        let order = Mutex(SplitMix64(seed: seed))
        loop.choose = { count in order.withLock { $0.below(count) } }
        let time = SimulatedClock(loop)
        let clock = time.makeClock()
        let (events, slow) = (LiveStub(), StubOrigin("slow", clock: clock))
        slow.answers(shape == .failing ? StubAnswer.error().after(.milliseconds(300)) : StubAnswer.value("7").after(.milliseconds(300)))
        if shape == .hanging { slow.answers(.hanging) }
        let pipelines = try Pipelines(specs(shape, events, slow, clock), clock: clock)
        let home = try pipelines.pipeline(named: "home")
        let key = try home.key()
        let values = Mutex<[String]>([])
        let observer = loop.start {
            for await snapshot in home.snapshots(key) {
                guard let payload = snapshot.entry?.payload else { continue }
                let text = String(decoding: payload, as: UTF8.self)
                values.withLock { if $0.last != text { $0.append(text) } }
            }
        }
        time.advance(to: time.now + 1_000_000_000)
        events.connections.first?.begin()
        time.advance(to: time.now + 1_000_000_000)
        for number in 1...messages {
            events.connections.first?.send(#"{"id":1,"n":\#(number)}"#)
            if pause > 0 { time.advance(to: time.now + pause) }
        }
        time.advance(to: time.now + 2_000_000_000)
        observer.cancel()
        loop.drain()
        return Seen(values: values.withLock(\.self), readCount: slow.readCount)
    }

    private static func specs(
        _ shape: Shape, _ events: LiveStub, _ slow: StubOrigin, _ clock: PipelineClock
    ) -> [Pipeline.PipelineSpec] {
        let source = SourceSpec("memory", StubMemory(), capabilities: [.keepsMetadata])
        let memory = Pipeline.TierSpec(source, ttl: .seconds(600))
        let quick = shape == .expiring ? [Pipeline.TierSpec(source, ttl: .milliseconds(10))] : []
        let id = JSONPointer(tokens: ["id"])
        let list = Pipeline.PipelineSpec(
            "list",
            tiers: [memory, Pipeline.TierSpec(SourceSpec("list", StubOrigin("list", clock: clock, answering: #"[{"id":1,"n":0}]"#)))],
            live: [FeedSpec(SourceSpec("events", events), merging: MergePolicy(id: [id]))],
            links: [LinkSpec("author", at: JSONPath(JSONPointer(tokens: ["0", "id"])), pipeline: "author")])
        let origin = Pipeline.TierSpec(SourceSpec("slow", slow))
        func combine(_ name: String, _ members: [(String, PartSpec)]) -> Pipeline.PipelineSpec {
            Pipeline.PipelineSpec(name, combine: CompositeSpec(.object(members.map { (name: $0.0, part: $0.1) })), tiers: [])
        }
        let others = [
            list, Pipeline.PipelineSpec("slow", tiers: quick + [origin]),
            Pipeline.PipelineSpec("author", parameters: ["id"], tiers: [Pipeline.TierSpec(SourceSpec("slow", slow))]),
        ]
        let wholes =
            switch shape {
            case .beside, .expiring: [combine("home", [("list", "list"), ("slow", "slow")])]
            case .within: [combine("inner", [("list", "list"), ("slow", "slow")]), combine("home", [("inner", "inner")])]
            case .below: [combine("inner", [("slow", "slow")]), combine("home", [("list", "list"), ("inner", "inner")])]
            case .followed:
                [Pipeline.PipelineSpec("home", combine: CompositeSpec(.of(PartSpec("list", follow: ["author"]))), tiers: [])]
            case .failing: [combine("home", [("list", "list"), ("slow", PartSpec("slow", optional: true))])]
            case .hanging:
                [combine("home", [("list", "list"), ("slow", PartSpec("slow", optional: true, timeout: .milliseconds(300)))])]
            }
        return others + wholes
    }
}
