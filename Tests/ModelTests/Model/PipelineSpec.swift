import Pipeline
import PipelineTesting

/// A pipeline as the model sees it: plain numbers, all durations in milliseconds.
struct PipelineSpec: Equatable, Sendable {
    enum WriteBack: Equatable {
        case auto
        case none
        /// The tier's number, and those its answers go to.
        case routes([Int: [Int]])
    }

    var tiers: [TierSpec]
    var writeBack = WriteBack.auto
    var staleWhileRevalidate: Int?
    var staleIfError: Int?
    var notFoundTTL: Int?
    /// In percent.
    var refreshAhead: Int?
    var deadline: Int?
    /// Whether reads of its disks take time. No such disk is compared with an answer in the background: the reference does one thing
    /// at a time.
    var hasSlowDisks = false

    /// How its disks are read. They answer alike.
    var diskReading = StubReading.inTask

    /// Whether it is made from a file, or in Swift without one. Both do the same.
    var isFromFile = true

    /// The caches that the answers of `tier` go to: memory first, since it is written before the fetch returns.
    func targets(of tier: Int) -> [Int] {
        let caches = tiers.indices.filter { tiers[$0].isCache && tiers[$0].writes && $0 != tier }
        let targets =
            switch writeBack {
            case .none: [Int]()
            case .auto where tiers[tier].isLastResort: [Int]()
            case .auto: caches.filter { $0 < tier || !tiers[tier].isCache }
            case .routes(let routes): caches.filter { routes[tier, default: []].contains($0) }
            }
        return memoryFirst(targets)
    }

    /// The tiers that are asked one after the other, and those that are asked when they and a stale copy have no answer.
    var order: [Int] { tiers.indices.filter { !tiers[$0].isLastResort } }
    var lastResorts: [Int] { tiers.indices.filter { tiers[$0].isLastResort } }

    /// These tiers, those in memory first.
    func memoryFirst(_ indices: [Int]) -> [Int] {
        indices.filter { tiers[$0].kind == .memory } + indices.filter { tiers[$0].kind != .memory }
    }

    /// The name of the source of a tier: `m0`, `d1`, `o2`.
    func name(_ tier: Int) -> String { "\(tiers[tier].kind.rawValue)\(tier)" }
}

/// One tier of a ``PipelineSpec``.
struct TierSpec: Equatable {
    enum Kind: String {
        /// A cache that answers without waiting and keeps `not_found`.
        case memory = "m"
        /// A cache that is written in the background.
        case disk = "d"
        /// An origin.
        case origin = "o"
    }

    struct Retry: Equatable {
        var attempts: Int
        var base: Int
        var max: Int
    }

    struct Breaker: Equatable {
        var failures: Int
        var openFor: Int
    }

    var kind: Kind
    var keepsNotFound = false
    var ttl: Int?
    var debounce: Int?
    var maxDelay: Int?
    var timeout: Int?
    var softTimeout: Int?
    var failsFinally = false
    var onNotFound = NotFoundPolicy.stop
    var isLastResort = false
    var reads = true
    var writes = true
    var retry: Retry?
    var breaker: Breaker?

    var isCache: Bool { kind != .origin }
}
