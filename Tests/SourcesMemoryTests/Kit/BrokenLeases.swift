import Pipeline
import PipelineTesting
import Synchronization

/// A cache whose leases have one fault, to see that the kit finds it.
final class BrokenLeases: SharedSource {
    enum Fault: CaseIterable {
        case givesToEverybody
        case givesToNobody
        case doesNotRenew
        case hasOneForAllKeys
        case takesBackFromAnybody
        case takesBackFromWhoHadIt
        case takesBackNothing
        case neverRunsOut
        case storesItAsAValue
        case givesToThoseWhoAskAtOnce
        case releasesFruitlesslyForAnyHolder
        case keepsFruitlessHolder
        case namesOtherFruitlessHolders
        case namesOneForAllKeys
        case forgetsWhoWasNamed
        case namesForEver
        case believesEveryEnd
        case renewsForNothing

        /// Whether who waits for a lease waits for ever.
        var neverEnds: Bool { [.neverRunsOut, .givesToNobody, .namesForEver, .believesEveryEnd].contains(self) }

        /// The part of the contract that it breaks.
        var check: String {
            switch self {
            case .givesToEverybody, .givesToNobody, .doesNotRenew, .hasOneForAllKeys, .takesBackFromAnybody, .takesBackNothing: "leases"
            case .takesBackFromWhoHadIt, .neverRunsOut, .namesForEver: "leases that run out"
            case .believesEveryEnd: "leases that end too late"
            case .renewsForNothing: "renewed leases"
            case .storesItAsAValue: "leases and values"
            case .givesToThoseWhoAskAtOnce: "concurrent takers of a lease"
            case .releasesFruitlesslyForAnyHolder, .keepsFruitlessHolder, .namesOtherFruitlessHolders, .namesOneForAllKeys,
                .forgetsWhoWasNamed:
                "fruitless leases"
            }
        }
    }

    private struct Lease {
        let holder: String
        let end: Timestamp
        let former: String?
    }

    let sharedFlight: SharedFlight? = SharedFlight()
    private let fault: Fault
    private let clock: PipelineClock
    private let values: StubSource
    private let leases = Mutex<[Key: Lease]>([:])
    private let fruitless = Mutex<[Key: Lease]>([:])

    init(_ fault: Fault, clock: PipelineClock) {
        self.fault = fault
        self.clock = clock
        values = StubSource(clock: clock)
    }

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? { try await values.read(key) }
    func write(_ entry: Entry, for key: Key) async throws { try await values.write(entry, for: key) }
    func remove(_ key: Key) async throws { try await values.remove(key) }
    func clear(pipeline: String) async throws { try await values.clear(pipeline: pipeline) }

    func takeLease(of key: Key, for holder: String, lasting duration: Duration) async throws -> Bool {
        let key = fault == .hasOneForAllKeys ? Key(pipeline: "all") : key
        if fault == .givesToNobody { return false }
        if fault == .storesItAsAValue { try await write(Entry(Array(holder.utf8), created: clock.now), for: key) }
        let now = clock.now
        let before = leases.withLock { $0[key] }
        if fault == .givesToThoseWhoAskAtOnce { for _ in 0..<100 { await Task.yield() } }
        if let before, fault != .givesToEverybody {
            let isOver = before.end <= now && fault != .neverRunsOut
            guard isOver || before.holder == holder && fault != .doesNotRenew else {
                let latest = fault == .believesEveryEnd ? before.end : min(before.end, now + duration)
                leases.withLock { $0[key] = Lease(holder: before.holder, end: latest, former: before.former) }
                return false
            }
            if fault == .renewsForNothing, before.holder == holder { return true }
        }
        leases.withLock { $0[key] = Lease(holder: holder, end: now + duration, former: before?.holder) }
        if fault == .forgetsWhoWasNamed { fruitless.withLock { $0 = [:] } }
        return true
    }

    func releaseLease(of key: Key, by holder: String, fruitlessFor duration: Duration?) async throws {
        if let duration { return releaseFruitlessLease(of: key, by: holder, rememberedFor: duration) }
        leases.withLock { leases in
            guard let lease = leases[key], fault != .takesBackNothing else { return }
            let isFormer = fault == .takesBackFromWhoHadIt && lease.former == holder
            if lease.holder == holder || isFormer || fault == .takesBackFromAnybody { leases[key] = nil }
        }
    }

    private func releaseFruitlessLease(of key: Key, by holder: String, rememberedFor duration: Duration) {
        let now = clock.now
        let isHeld = leases.withLock { leases in
            guard let lease = leases[key], lease.holder == holder || fault == .releasesFruitlesslyForAnyHolder else { return false }
            if fault != .keepsFruitlessHolder { leases[key] = nil }
            return true
        }
        guard isHeld || fault == .namesOtherFruitlessHolders else { return }
        let end = fault == .namesForEver ? now + .seconds(3_600) : now + duration
        fruitless.withLock { $0[key] = Lease(holder: holder, end: end, former: nil) }
    }

    func lastFruitlessHolder(of key: Key) async throws -> String? {
        let now = clock.now
        let told = fruitless.withLock { fault == .namesOneForAllKeys ? $0.values.first : $0[key] }
        return told.flatMap { now < $0.end ? $0.holder : nil }
    }
}
