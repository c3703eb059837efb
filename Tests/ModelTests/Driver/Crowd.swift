import PipelineScenarios
import PipelineTesting
import PipelineYAML
import Synchronization

@testable import Pipeline
@testable import PipelineConfig

/// Many who fetch, leave, put and remove at once, over a disk and an origin that answer when they are let; what must never be, is
/// looked for after every step. Jobs run in random order.
final class Crowd {
    private struct Caller {
        let key: Key
        let running: SimulatedTask<Result<Outcome, any Error>>
        /// Answers of calls up to this number are older than what the caller may see.
        let newest: Int
        var hasLeft = false
        var wasDone = false
    }

    private struct Removal {
        let key: Key
        /// Answers of calls up to this number are to be gone; nil when they may still be there.
        let running: SimulatedTask<Int?>
    }

    private let loop: JobLoop
    private let time: SimulatedClock
    private let memory = StubMemory()
    private let disk: StubSource
    /// A second disk below the first, in some runs.
    private let far: StubSource?
    private let origin: GatedOrigin
    private let pipelines: Pipelines
    private let pipeline: DataPipeline
    private let keys = ["a", "b"].map { Key(pipeline: "p", parameters: ["id": $0]) }
    private var numbers: SplitMix64
    private var callers: [Caller] = []
    private var removals: [Removal] = []
    private var writesGate: Gate?
    private var farGate: Gate?
    /// How many removals were under way at once in a generation of a key.
    private var overlaps: [String: Int] = [:]
    /// For each key: answers up to this number may be nowhere, and no fetch that begins now may get them.
    private var floor: [Key: Int] = [:]
    private(set) var steps: [String] = []
    private(set) var problems: [String] = []

    /// - Parameter reading: how the disk is read.
    init(seed: UInt64, loop: JobLoop, reading: StubReading) throws {
        var numbers = SplitMix64(seed: seed)
        self.loop = loop
        let time = SimulatedClock(loop)
        self.time = time
        let clock = time.makeClock()
        let memory = memory
        let disk = StubSource("disk", clock: clock)
        let origin = GatedOrigin(clock: clock)
        let far = StubSource("far", clock: clock)
        let hasFar = [1, 2, 5].contains(seed % 8)
        (self.disk, self.far, self.origin) = (disk, hasFar ? far : nil, origin)
        let debounce = numbers.chance(30) ? ", debounce: 20ms" : ""
        let isUsual = numbers.chance(70)
        let front = reading != .inTask && numbers.chance(40) ? "" : "memory, "
        let usual = hasFar ? "{ source: disk, ttl: 25ms\(debounce) }, far, origin" : "\(front){ source: disk, ttl: 1s\(debounce) }, origin"
        let unusual = hasFar ? "memory, origin, { source: disk\(debounce) }, far" : "memory, origin, { source: disk\(debounce) }"
        let tiers = isUsual ? usual : unusual
        let text = """
            sources:
              memory: { type: stub_memory }
              disk: { type: stub_disk }
              far: { type: stub_far }
              origin: { type: stub_origin }
            pipelines:
              p:
                parameters: [id]
                tiers: [\(tiers)]
            """
        self.numbers = numbers
        steps.append(text)
        let source = reading.source(disk)
        let plugins = [
            SourcePlugin(cache: "stub_memory", summary: "", capabilities: [.keepsMetadata, .keepsNotFound]) { _ in memory },
            SourcePlugin(cache: "stub_disk", summary: "", capabilities: [.keepsMetadata]) { _ in source },
            SourcePlugin(cache: "stub_far", summary: "", capabilities: [.keepsMetadata]) { _ in far },
            SourcePlugin(origin: "stub_origin", summary: "") { _ in origin },
        ]
        let report = ConfigFile(text: Array(text.utf8), name: "crowd.yaml").report(plugins: plugins, environment: ConfigEnvironment([:]))
        pipelines = try Pipelines(report, clock: clock, random: .greatest)
        pipeline = try pipelines.pipeline(named: "p")
        let choices = Mutex(SplitMix64(seed: seed &* 31 &+ 7))
        loop.choose = { count in choices.withLock { $0.below(count) } }
    }

    /// Plays `count` steps, then lets all end.
    func play(_ count: Int) {
        for _ in 0..<count where problems.isEmpty {
            act()
            // Two disks are of interest where the upper one has no fresh copy, or has not been written.
            if far != nil, numbers.chance(30) { passTime() }
            if far != nil, numbers.chance(10) { toggleWrites() }
            // Now and then everything that can happen does; mostly only a little of it.
            if numbers.chance(30) { loop.drain() } else { for _ in 0..<numbers.below(6) { _ = loop.step() } }
            check()
        }
        finish()
        loop.choose = nil
    }

    private func act() {
        let key = numbers.chance(80) ? keys[0] : keys[1]
        switch numbers.below(100) {
        case ..<40: fetch(key, numbers.chance(70) ? .default : numbers.pick([.refresh, .cacheOnly, .noStore]))
        case ..<55: leave()
        case ..<75:
            let isReleased = origin.release { numbers.below($0) }
            steps.append("release \(isReleased)")
        case ..<83: remove(key)
        case ..<86: clear()
        case ..<90: put(key)
        case ..<95: toggleWrites()
        default: passTime()
        }
    }

    private func passTime() {
        steps.append("20 ms pass")
        time.advance(to: time.now + 20_000_000)
    }

    private func fetch(_ key: Key, _ policy: FetchPolicy) {
        steps.append("fetch \(key) \(policy)")
        let pipeline = pipeline
        let running = loop.start { await Result { try await pipeline.fetch(key, policy: policy) } }
        callers.append(Caller(key: key, running: running, newest: floor[key, default: 0]))
    }

    private func leave() {
        let present = callers.indices.filter { !callers[$0].hasLeft && callers[$0].running.result == nil }
        guard !present.isEmpty else { return }
        let index = present[numbers.below(present.count)]
        steps.append("caller \(index) leaves")
        callers[index].hasLeft = true
        callers[index].running.cancel()
    }

    private func remove(_ key: Key) {
        steps.append("remove \(key)")
        let pipeline = pipeline
        invalidate([key]) { (try? await pipeline.remove(key))?.isComplete ?? false }
    }

    private func clear() {
        steps.append("clear")
        let pipeline = pipeline
        invalidate(keys) { (try? await pipeline.clear())?.isComplete ?? false }
    }

    private func put(_ key: Key) {
        let value = 1_000_000 + steps.count
        steps.append("put \(key) \(value)")
        let pipeline = pipeline
        invalidate([key]) {
            guard let outcome = try? await pipeline.put(Array("\(value)".utf8), for: key) else { return false }
            // Where something newer took the place of a write, the old copy stays until that is done.
            return (try? await outcome.waitForWrites()) != nil && outcome.writes.allSatisfy { $0.outcome == .written }
        }
    }

    /// Starts what makes older answers worthless; which those are, is decided in the job in which it begins.
    private func invalidate(_ keys: [Key], _ body: @escaping @Sendable () async -> Bool) {
        let origin = origin
        let running = loop.start { () -> Int? in
            let newest = origin.invalidate(keys)
            let isDone = await body()
            // No fetch that begins from now on joins a load that began while it went on.
            _ = origin.invalidate(keys)
            return isDone ? newest : nil
        }
        for key in keys { removals.append(Removal(key: key, running: running)) }
    }

    private func toggleWrites() {
        if let far, numbers.chance(60) {
            toggleWrites(of: far, "far", &farGate)
        } else {
            toggleWrites(of: disk, "disk", &writesGate)
        }
    }

    private func toggleWrites(of stub: StubSource, _ name: String, _ gate: inout Gate?) {
        if let closed = gate {
            steps.append("\(name) writes again")
            stub.stopDelaying(.writes)
            closed.open()
            gate = nil
        } else {
            steps.append("\(name) holds up writes")
            let closed = Gate()
            stub.delay(.writes, until: closed)
            gate = closed
        }
    }

    private func finish() {
        if writesGate != nil { toggleWrites(of: disk, "disk", &writesGate) }
        if let far, farGate != nil { toggleWrites(of: far, "far", &farGate) }
        repeat { loop.drain() } while origin.release { _ in 0 }
        time.advance(to: time.now + 100_000_000_000)
        let pipelines = pipelines
        let flushing = loop.start { await pipelines.flush() }
        loop.drain()
        steps.append("all ends")
        check()
        expect(flushing.result?.isEmpty == true, "a flush does not end or leaves writes behind")
        for (index, caller) in callers.enumerated() { expect(caller.running.result != nil, "caller \(index) still waits") }
        for flights in pipeline.flights { expect(flights.count == 0, "\(flights.count) loads are left") }
        callers = []
        expect(pipeline.generations.count == 0, "\(pipeline.generations.count) keys have write permits")
    }

    private func expect(_ isTrue: Bool, _ problem: @autoclosure () -> String) {
        if !isTrue { problems.append(problem()) }
    }
}

extension Crowd {
    /// What must hold at every moment.
    private func check() {
        checkCalls()
        checkInvalidations()
        checkCallers()
    }

    /// One call at a time of each key and generation, of those whose answer is to be stored. A load that began while a removal was
    /// under way is worth nothing, and a fetch after the removal makes a call of its own: also between the ends of several, of which
    /// the test learns later.
    private func checkCalls() {
        let running = origin.calls.filter { $0.isRunning && !$0.isCancelled }
        for (place, calls) in Dictionary(grouping: running, by: { "\($0.key) generation \($0.generation)" }) {
            let hasRemoval = steps.contains { $0.hasPrefix("remove") || $0.hasPrefix("clear") || $0.hasPrefix("put") }
            let overlap = max(overlaps[place, default: hasRemoval ? 1 : 0], removals.count { $0.key == calls[0].key })
            overlaps[place] = overlap
            // Calls whose answer is not stored are calls of their own, before and after those that run are let go.
            let limit = (steps.contains { $0.hasSuffix("noStore") } ? 2 : 1) * (1 + overlap)
            expect(calls.count <= limit, "\(calls.count) calls of the origin run for \(place)")
        }
    }

    /// What a removal or a put made worthless is held nowhere once it returned.
    private func checkInvalidations() {
        for removal in removals {
            if case .some(.some(let newest)) = removal.running.result { floor[removal.key] = max(floor[removal.key, default: 0], newest) }
        }
        removals.removeAll { $0.running.result != nil }
        for key in keys {
            for (name, entry) in [("memory", memory.peek(key)), ("disk", disk[key]), ("far", far?[key])] {
                guard let number = entry.flatMap({ $0.payload }).flatMap({ Int(String(decoding: $0, as: UTF8.self)) }) else { continue }
                expect(number > floor[key, default: 0], "\(name) holds \(number) of \(key), which was removed")
            }
        }
    }

    private func checkCallers() {
        for index in callers.indices where !callers[index].wasDone {
            let caller = callers[index]
            guard let result = caller.running.result else { continue }
            callers[index].wasDone = true
            switch result {
            case .success(let outcome):
                guard case .value(let entry) = outcome.result, let number = Int(String(decoding: entry.payload ?? [], as: UTF8.self)) else {
                    continue
                }
                expect(number > caller.newest, "caller \(index) got \(number), which was removed before it asked")
            case .failure(let error):
                expect(error is CancellationError && caller.hasLeft, "caller \(index) got \(error)")
            }
        }
    }
}
