internal import Pipeline
private import Synchronization

/// The record in which the requests of a run leave what came of them.
final class RunRecord: Sendable {
    private struct State {
        var run = ComparedRun()
        /// The number of requests of each window that ended, and of those that a cache answered.
        var windows: [(ended: Int, hits: Int, begun: Int)] = []
        var begun = 0
        var isEnough = false
    }

    private let caches: Set<String>
    private let state = Mutex(State())

    /// - Parameter caches: the sources whose answers are hits.
    init(caches: Set<String>) {
        self.caches = caches
    }

    var run: ComparedRun { state.withLock(\.run) }

    /// Indicates whether no more is asked for.
    var isEnough: Bool { state.withLock(\.isEnough) }

    func setEnough() {
        state.withLock { $0.isEnough = true }
    }

    /// Notes that a request of this window begins; returns the number that began before it.
    @discardableResult
    func begin(window: Int, isLate: Bool) -> Int {
        state.withLock { state in
            while state.windows.count <= window { state.windows.append((0, 0, 0)) }
            state.windows[window].begun += 1
            if isLate { state.run.late += 1 }
            state.begun += 1
            return state.begun - 1
        }
    }

    /// Notes a request that ended.
    func note(_ outcome: Outcome, latency: Duration, window: Int) {
        let isHit = outcome.source.map { caches.contains($0) } ?? false
        state.withLock { state in
            state.windows[window].ended += 1
            if isHit, outcome.joined == nil { state.windows[window].hits += 1 }
            state.run.note(outcome, latency: latency)
        }
    }

    /// The shares of hits in the windows before this one that have ended, up to the first that has not. A window without a request says
    /// nothing.
    func shares(before window: Int) -> [Double] {
        state.withLock { state in
            state.windows.prefix(window).prefix { $0.ended == $0.begun }.filter { $0.ended > 0 }.map { Double($0.hits) / Double($0.ended) }
        }
    }
}

extension ComparedRun {
    fileprivate mutating func note(_ outcome: Outcome, latency: Duration) {
        latencies.add(latency.saturatedNanoseconds)
        switch outcome.result {
        case .failed(let error):
            failed += 1
            failure = failure ?? "\(error)"
            return
        case .notFound:
            notFound += 1
            return
        case .value: break
        }
        if outcome.isStale { stale += 1 }
        if outcome.joined != nil {
            joined += 1
        } else if let source = outcome.source {
            answered[source, default: 0] += 1
        }
    }
}
