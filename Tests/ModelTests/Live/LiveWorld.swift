import PipelineJSON
import PipelineTesting
import Synchronization

@testable import Pipeline

/// A server with a list that changes at random, and a pipeline that follows it through loads, messages and lost connections.
struct LiveWorld {
    /// The server's list: for each id the version of its item.
    private final class Server: Sendable {
        private let state = Mutex((items: [Int: Int](), version: 0))

        var items: [Int: Int] { state.withLock(\.items) }

        var list: String {
            "[" + items.sorted { $0.key < $1.key }.map { #"{"id":\#($0.key),"v":\#($0.value)}"# }.joined(separator: ",") + "]"
        }

        /// Changes one item; gives the message about it.
        func change(_ id: Int, isDelete: Bool) -> String {
            state.withLock { state in
                state.version += 1
                state.items[id] = isDelete ? nil : state.version
                return #"{"op":"\#(isDelete ? "gone" : "set")","id":\#(id),"v":\#(state.version)}"#
            }
        }
    }

    private let time = ManualClock()
    private let server = Server()
    private let api: StubOrigin
    private let events = LiveStub()
    private let pipeline: DataPipeline
    private let key: Key
    private let hasVersions: Bool
    private var random: SplitMix64
    private var onTheWay: [String] = []
    private var log: [String] = []

    init(seed: UInt64) throws {
        random = SplitMix64(seed: seed)
        hasVersions = Bool.random(using: &random)
        let (clock, server) = (time.clock, server)
        api = StubOrigin("api", clock: clock)
        let delay = Duration.milliseconds(Int.random(in: 0...300, using: &random))
        // The list is that of the moment at which the origin is asked; it comes later.
        api.answers { _ in .value(server.list).after(delay) }
        var policy = MergePolicy(
            id: [.id], operations: .init(at: .pointer(.operation), upsert: ["set"], delete: ["gone"]), insertion: .last)
        if hasVersions { policy.version = .version }
        var disk = TierPolicy(ttl: .seconds(600))
        disk.debounce = .seconds(2)
        pipeline = try DataPipeline(
            Pipeline.PipelineSpec(
                "friends",
                tiers: [
                    Pipeline.TierSpec(SourceSpec("memory", StubMemory()), ttl: .seconds(30)),
                    Pipeline.TierSpec(SourceSpec("disk", StubSource("disk", clock: clock)), disk),
                    Pipeline.TierSpec(SourceSpec("api", api)),
                ],
                live: [FeedSpec(SourceSpec("events", events), merging: policy)]), clock: clock, random: .seeded(seed))
        key = try pipeline.key()
    }

    /// Plays `count` steps, then lets everything come to rest. Returns what is wrong then, with the steps that led to it.
    mutating func play(steps count: Int) async throws -> String? {
        var watch: Snapshots.Iterator? = pipeline.snapshots(key).makeAsyncIterator()
        for _ in 0..<count { try await step() }
        // Quiet: every message arrives, and no connection is lost any more.
        var problem: String? = "the value never came to be the server's"
        for _ in 0..<4_000 {
            begin()
            deliver(onTheWay.count)
            time.advance(by: .milliseconds(500))
            for _ in 0..<20 { await Task.yield() }
            guard isLive, let payload = try await pipeline.fetch(key).payload, Self.items(in: payload) == server.items else { continue }
            problem = nil
            break
        }
        if problem != nil, let payload = try await pipeline.fetch(key).payload {
            problem =
                "it has \(Self.items(in: payload)), the server \(server.items), live: \(isLive), \(statuses), \(events.connections.count) connections, the last open: \(events.connections.last?.isOpen ?? false)\n\(log.joined(separator: "\n"))"
        }
        watch = nil
        _ = watch
        await pipeline.shutDown()
        return problem
    }

    private mutating func step() async throws {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<40:
            let message = server.change(Int.random(in: 0..<6, using: &random), isDelete: Int.random(in: 0..<3, using: &random) == 0)
            log.append("server \(message)")
            // Without a connection the message is lost.
            if connection != nil { onTheWay.append(message) }
        case 40..<60: deliver(1)
        case 60..<65 where hasVersions && !onTheWay.isEmpty:
            // Out of order, and twice.
            let message = onTheWay[Int.random(in: onTheWay.indices, using: &random)]
            log.append("early \(message)")
            connection?.send(message)
        case 65..<72:
            log.append("drop")
            onTheWay = []
            connection?.end(LiveEnding(.lost, "dropped"))
        case 72..<80: begin()
        case 80..<84:
            log.append("refresh")
            _ = Task { [pipeline, key] in try? await pipeline.fetch(key, policy: .refresh) }
        case 84..<86:
            log.append("remove")
            _ = try await pipeline.remove(key)
            _ = Task { [pipeline, key] in try? await pipeline.fetch(key) }
        default:
            let pause = Duration.milliseconds(Int.random(in: 1...400, using: &random))
            log.append("wait \(pause)")
            time.advance(by: pause)
        }
        for _ in 0..<Int.random(in: 0..<10, using: &random) { await Task.yield() }
    }

    /// The open connection, once its stream has begun.
    private var connection: LiveStubConnection? { events.connections.last.flatMap { $0.isOpen && begun.contains($0) ? $0 : nil } }

    private let begun = Connections()

    private mutating func begin() {
        guard let last = events.connections.last, last.isOpen, !begun.contains(last) else { return }
        log.append("begin")
        onTheWay = []
        begun.insert(last)
        last.begin()
    }

    private mutating func deliver(_ count: Int) {
        for _ in 0..<min(count, onTheWay.count) {
            let message = onTheWay.removeFirst()
            log.append("deliver \(message)")
            connection?.send(message)
        }
    }

    private var isLive: Bool {
        pipeline.lives[key]?.state.withLock { $0.feeds.allSatisfy { $0.status.state == .live } && $0.loads.isEmpty } ?? false
    }

    private var statuses: [FeedStatus] { pipeline.lives[key]?.state.withLock { $0.feeds.map(\.status) } ?? [] }

    private static func items(in payload: [UInt8]) -> [Int: Int] {
        let text = String(decoding: payload, as: UTF8.self)
        return Dictionary(text.matches(of: /"id":(\d+),"v":(\d+)/).map { (Int($0.1) ?? 0, Int($0.2) ?? 0) }) { first, _ in first }
    }
}

/// Connections whose streams have begun.
private final class Connections: Sendable {
    private let known = Mutex<Set<ObjectIdentifier>>([])

    func contains(_ connection: LiveStubConnection) -> Bool { known.withLock { $0.contains(ObjectIdentifier(connection)) } }

    func insert(_ connection: LiveStubConnection) { known.withLock { _ = $0.insert(ObjectIdentifier(connection)) } }
}

extension JSONPointer {
    fileprivate static let id = made("/id")
    fileprivate static let operation = made("/op")
    fileprivate static let version = made("/v")

    private static func made(_ text: String) -> JSONPointer { JSONPointer(text) ?? .whole }
}
