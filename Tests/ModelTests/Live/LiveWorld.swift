import PipelineJSON
import PipelineScenarios
import PipelineTesting
import Synchronization

@testable import Pipeline
@testable import PipelineLive

/// A pipeline that follows a ``LiveServer``, with two observers. Jobs run in the order that the steps give; the time is virtual.
///
/// What must never be seen is looked for at every snapshot and after every step, and at rest the value must be the server's.
final class LiveWorld: @unchecked Sendable {  // Only its loop's thread touches it.
    private struct Caller {
        let running: SimulatedTask<Outcome?>
        /// Lists up to this number were removed before it asked.
        let floor: Int
    }

    private let loop: JobLoop
    private let time: SimulatedClock
    private let server: LiveServer
    private let memory = StubMemory()
    private let disk: StubSource
    private let origin: GatedOrigin
    private let pipeline: DataPipeline
    private let key: Key
    private var witnesses: [LiveWitness]
    private var observers: [SimulatedTask<Void>] = []
    /// Where the slow observer waits before it asks for the next snapshot.
    private var look = Gate()
    private var isHasty = false
    private var callers: [Caller] = []
    /// The numbers of the lists that were put.
    private var puts: Set<Int> = []
    /// Those whose put is under way, and those that may stay: a removal was under way at the same time.
    private var begun: Set<Int> = []
    private var spared: Set<Int> = []
    /// How many puts and removals are under way.
    private var replacements = 0
    /// The revision at the end of the last of them.
    private var settled: UInt64 = 0
    /// Lists up to these numbers may be nowhere, and not on the disk.
    private var floor = 0
    private var diskFloor = 0
    private(set) var problems: [String] = []

    init(_ features: LivePlay.Features, _ loop: JobLoop) throws {
        self.loop = loop
        let time = SimulatedClock(loop)
        let server = LiveServer(features, time)
        (self.time, self.server) = (time, server)
        let clock = time.makeClock()
        disk = StubSource("disk", clock: clock)
        origin = GatedOrigin(clock: clock) { _ in try server.list() }
        pipeline = try DataPipeline(
            Self.spec(features, memory, features.reading.source(disk), origin, server.events), clock: clock, random: .greatest)
        key = try pipeline.key()
        witnesses = [LiveWitness(hasVersions: features.hasVersions), LiveWitness(hasVersions: features.hasVersions)]
        server.revision = { [weak pipeline, key] in pipeline?.lives[key]?.state.withLock(\.content.revision) ?? 0 }
        for witness in witnesses.indices { observe(witness, isSlow: witness > 0) }
        loop.drain()
    }

    private static func spec(
        _ features: LivePlay.Features, _ memory: StubMemory, _ disk: any WritableSource, _ origin: GatedOrigin, _ events: LiveStub
    ) -> Pipeline.PipelineSpec {
        let operations = MergePolicy.Operations(at: .pointer(.operation), upsert: ["set"], delete: ["gone"])
        let merging = MergePolicy(
            list: .items, item: .item, id: [.id], operations: operations, version: features.hasVersions ? .version : nil, insertion: .last)
        let feed = FeedSpec(
            SourceSpec("events", events), merging: merging, sequence: features.hasSequence ? .sequence : nil,
            resync: [.operation: "reset"])
        var policy = TierPolicy(ttl: .seconds(600))
        policy.debounce = .seconds(2)
        return Pipeline.PipelineSpec(
            "friends",
            tiers: [
                Pipeline.TierSpec(SourceSpec("memory", memory, capabilities: [.keepsMetadata]), ttl: .seconds(30)),
                Pipeline.TierSpec(SourceSpec("disk", disk, capabilities: [.keepsMetadata]), policy),
                Pipeline.TierSpec(SourceSpec("api", origin)),
            ], live: [feed])
    }

    /// Does a step, and what of that which can happen then the step says.
    func perform(_ step: LivePlay.Step) {
        let order = Mutex(SplitMix64(seed: step.order))
        loop.choose = { count in order.withLock { $0.below(count) } }
        perform(step.action)
        if let jobs = step.jobs {
            for _ in 0..<jobs { _ = loop.step() }
        } else {
            loop.drain()
        }
        check()
    }

    private func perform(_ action: LivePlay.Action) {
        switch action {
        case .write(let id): server.write(id)
        case .delete(let id): server.delete(id)
        case .begin: server.begin()
        case .drop: server.drop()
        case .deliver(let count): server.deliver(count)
        case .early(let index): server.deliverEarly(index)
        case .double(let index): server.deliverAgain(index)
        case .lose(let index): server.lose(index)
        case .land(let index): _ = origin.release { index % $0 }
        case .fail(let isFailing): server.isFailing = isFailing
        case .fetch(let policy): callers.append(Caller(running: fetch(policy), floor: floor))
        case .put(let isList): put(isList)
        case .remove: remove { try? await $0.remove($1) }
        case .clear: remove { pipeline, _ in try? await pipeline.clear() }
        case .look: look.open()
        case .pass(let milliseconds): pass(milliseconds)
        }
    }

    private func pass(_ milliseconds: Int) {
        let moment = time.now + Int64(milliseconds) * 1_000_000
        server.deliver(before: moment)
        time.advance(to: moment)
    }

    private func fetch(_ policy: FetchPolicy) -> SimulatedTask<Outcome?> {
        loop.start { [pipeline, key] in try? await pipeline.fetch(key, policy: policy) }
    }

    private func expect(_ isTrue: Bool, _ problem: @autoclosure () -> String) {
        if !isTrue { problems.append(problem()) }
    }
}

extension LiveWorld {
    private func observe(_ witness: Int, isSlow: Bool) {
        let snapshots = pipeline.snapshots(key)
        observers.append(
            loop.start { [unowned self] in
                for await snapshot in snapshots {
                    see(snapshot, witness)
                    if isSlow { await waitForLook() }
                }
            })
    }

    private func waitForLook() async {
        if isHasty { return }
        look = Gate()
        try? await look.wait()
    }

    private func see(_ snapshot: Snapshot, _ witness: Int) {
        // One that was taken before may be seen after.
        let isLater = snapshot.revision >= settled
        if let problem = witnesses[witness].see(snapshot, isSettled: isLater && replacements == 0, deletions: server.deletions) {
            problems.append("observer \(witness): \(problem)")
        }
        if isLater { expectAbove(floor, LiveList(snapshot.entry), "observer \(witness) sees") }
    }

    private func put(_ isList: Bool) {
        replace { [self] in
            guard let list = isList ? try? server.list() : server.otherList() else { return false }
            let number = server.number
            puts.insert(number)
            begun.insert(number)
            defer { begun.remove(number) }
            guard let outcome = try? await pipeline.put(list, for: key) else { return false }
            return outcome.writes.allSatisfy { $0.outcome != .failed }
        }
    }

    private func remove(_ removal: @escaping @Sendable (DataPipeline, Key) async -> RemovalReport?) {
        replace(onDisk: true) { [pipeline, key] in await removal(pipeline, key)?.isComplete ?? false }
    }

    /// Starts what makes older lists worthless. Which those are is decided in the job in which it begins.
    ///
    /// - Parameter body: whether it did all of it.
    private func replace(onDisk: Bool = false, _ body: @escaping @Sendable () async -> Bool) {
        _ = loop.start { [self] in
            let (newest, sparing) = (server.number, begun)
            replacements += 1
            forget()
            let isDone = await body()
            replacements -= 1
            forget()
            settled = server.revision()
            guard isDone else { return }
            floor = max(floor, newest)
            spared = spared.filter { $0 > newest }.union(sparing)
            if onDisk { diskFloor = max(diskFloor, newest) }
        }
    }

    private func forget() {
        for witness in witnesses.indices { witnesses[witness].forget() }
        server.forgetDelivered()
    }
}

extension LiveWorld {
    /// What must hold at every moment.
    private func check() {
        expectAbove(floor, LiveList(memory.peek(key)), "memory holds")
        expectAbove(diskFloor, LiveList(disk[key]), "the disk holds")
        for caller in callers where caller.running.result != nil { check(caller) }
        callers.removeAll { $0.running.result != nil }
    }

    private func check(_ caller: Caller) {
        if case .value(let entry)? = caller.running.result??.result { expectAbove(caller.floor, LiveList(entry), "a fetch gives") }
    }

    private func expectAbove(_ floor: Int, _ list: LiveList?, _ words: String) {
        if let list { expect(list.number > floor || spared.contains(list.number), "\(words) \(list), which was removed: \(floor)") }
    }
}

extension LiveWorld {
    /// Lets everything come to rest: messages arrive, loads land, no connection is lost. The value is the server's then, everywhere.
    func rest() {
        loop.choose = nil
        server.isFailing = false
        isHasty = true
        look.open()
        waitUntilQuiet()
        expect(
            isLive && callers.isEmpty && replacements == 0, "not live: \(statuses), \(callers.count) fetches, \(replacements) replacements")
        guard problems.isEmpty else { return abandon() }
        // What was put is another value than the server's, until it is loaded.
        var entry = finishFetch(.default)
        if let number = entry?.number, puts.contains(number) { entry = finishFetch(.refresh) }
        expectServers(entry, "a fetch gives")
        settle(for: 5_000)
        for (index, witness) in witnesses.enumerated() {
            expectServers(LiveList(witness.last?.entry), "observer \(index) has")
            let status = witness.last?.status
            expect(status?.feeds.map(\.state) == [.live] && status?.isRefreshing == false, "observer \(index) sees \(status as Any)")
        }
        expectServers(LiveList(memory.peek(key)), "memory holds")
        expectServers(LiveList(disk[key]), "the disk holds")
        abandon()
        expect(observers.allSatisfy { $0.result != nil }, "an observer goes on")
        expect(server.events.openCount == 0, "a connection stays open")
    }

    /// Ends the pipeline.
    func abandon() {
        loop.choose = nil
        isHasty = true
        look.open()
        _ = finish { [pipeline] in await pipeline.shutDown() }
    }

    private func waitUntilQuiet() {
        var isNumbered = false
        for _ in 0..<400 {
            server.begin()
            // By its number a lost message is missed when the next one comes.
            if server.isConnected, !isNumbered {
                isNumbered = true
                server.write(0)
            }
            settle(for: 500)
            if isNumbered, isLive, callers.isEmpty, replacements == 0 { return }
        }
    }

    /// Lets everything happen that can within so many milliseconds.
    private func settle(for milliseconds: Int64) {
        server.deliverAll()
        releaseAll()
        time.advance(to: time.now + milliseconds * 1_000_000)
        releaseAll()
        check()
    }

    private func releaseAll() {
        repeat { loop.drain() } while origin.release { _ in 0 }
    }

    private func finishFetch(_ policy: FetchPolicy) -> LiveList? {
        let outcome = finish { [pipeline, key] in try? await pipeline.fetch(key, policy: policy) } ?? nil
        guard case .value(let entry)? = outcome?.result else { return nil }
        return LiveList(entry)
    }

    private func finish<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Value? {
        let running = loop.start(body)
        repeat { releaseAll() } while running.result == nil && time.wakeNext()
        return running.result
    }

    private func expectServers(_ list: LiveList?, _ words: String) {
        expect(list?.holds(server.items) ?? false, "\(words) \(list?.description ?? "nothing") instead of \(server.items)")
    }

    private var statuses: [FeedStatus] { pipeline.lives[key]?.state.withLock { $0.feeds.all.map(\.status) } ?? [] }

    private var isLive: Bool {
        let hasLoads = pipeline.lives[key]?.state.withLock { !$0.loads.isEmpty } ?? true
        return !hasLoads && statuses.allSatisfy { $0.state == .live }
    }
}
