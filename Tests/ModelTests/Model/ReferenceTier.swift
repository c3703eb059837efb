import Pipeline

/// A tier of the reference: what it holds, what waits to be written to it, and how it fails.
struct ReferenceTier {
    /// A write that is due at some time; at once unless it is debounced.
    struct Waiting {
        var copy: Copy
        var due: Int64
        /// When the first value of this wait came.
        var since: Int64
        var failures = 0
        /// Whether the times alone are to be written when the cache holds the same.
        var compares: Bool
        /// The same value, which the cache was found to hold; nil where it is to be read.
        var known: Copy?
        /// Whether it comes from another cache.
        var isPromoted: Bool
        var generation: Int
        /// The log and the line that tell what became of it.
        var log: Int
        var line: Int
        /// Whether what the cache holds may not be served any more.
        var replaces = false
        /// Whether it is the probe of the circuit.
        var isProbe = false
    }

    enum Circuit {
        /// Reads and writes count apart.
        case closed(failures: [Step.Failing: Int])
        case open(until: Int64)
        case probing(since: Int64)
    }

    let spec: TierSpec
    var copies: [Int: Copy] = [:]
    var waiting: [Int: Waiting] = [:]
    /// Keys that it was told to forget, and failed to.
    var distrusted: Set<Int> = []
    var isDistrusted = false
    var circuit = Circuit.closed(failures: [:])
    /// When a write was the probe of the circuit, in this step.
    var writeProbe: Int64?
    var failing: Set<Step.Failing> = []
    var answer = Step.Answer.value(1, freshFor: nil)
    var delay: Int64 = 0

    init(_ spec: TierSpec) {
        self.spec = spec
    }

    mutating func setFailing(_ operation: Step.Failing, _ isOn: Bool) {
        // Memory cannot fail to answer.
        if spec.kind == .memory, operation == .reads { return }
        if isOn { failing.insert(operation) } else { failing.remove(operation) }
    }

    mutating func restart() {
        if spec.kind == .memory { copies = [:] }
        waiting = [:]
        distrusted = []
        isDistrusted = false
        circuit = .closed(failures: [:])
    }

    /// Until when a copy here is fresh; nil without a limit.
    func limit(of copy: Copy, in pipeline: PipelineSpec) -> Int64? {
        let ttl = copy.isNotFound ? [pipeline.notFoundTTL, spec.ttl].compactMap { $0 }.min() : spec.ttl
        let byPolicy = ttl.map { (copy.stored ?? copy.created) + $0.ns }
        return [copy.freshUntil, byPolicy].compactMap { $0 }.min()
    }

    /// Whether the source is to be left alone at `now`.
    func isOpen(at now: Int64) -> Bool {
        guard let breaker = spec.breaker, breaker.failures > 0 else { return false }
        return switch circuit {
        case .closed: false
        case .open(let until): now < until
        case .probing(let since): now < since + breaker.openFor.ns
        }
    }

    /// The source is used now; tells whether as the probe, because the circuit was open.
    @discardableResult
    mutating func beginUse(at now: Int64) -> Bool {
        guard let breaker = spec.breaker, breaker.failures > 0 else { return false }
        if case .closed = circuit { return false }
        circuit = .probing(since: now)
        return true
    }

    mutating func noteSuccess(_ operation: Step.Failing) {
        switch circuit {
        case .closed(var failures):
            failures[operation] = nil
            circuit = .closed(failures: failures)
        case .open: break
        case .probing: circuit = .closed(failures: [:])
        }
    }

    mutating func noteFailure(_ operation: Step.Failing, at now: Int64) {
        guard let breaker = spec.breaker, breaker.failures > 0 else { return }
        switch circuit {
        case .closed(var failures):
            failures[operation, default: 0] += 1
            let isOpen = failures[operation, default: 0] >= breaker.failures
            circuit = isOpen ? .open(until: now + breaker.openFor.ns) : .closed(failures: failures)
        case .open: break
        case .probing: circuit = .open(until: now + breaker.openFor.ns)
        }
    }

    /// The source was not used after all: another may be the probe.
    mutating func giveBack(at now: Int64) {
        if case .probing = circuit { circuit = .open(until: now) }
    }
}
