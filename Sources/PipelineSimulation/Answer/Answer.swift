internal import Pipeline

/// The answer to one request of a simulation.
package struct Answer: Sendable, Equatable {
    enum Ending: UInt8, Sendable {
        case value
        case notFound
        case failed
    }

    let ending: Ending
    /// The tier that gave the value; -1 where none did.
    var tier: Int32 = -1
    var isStale = false
    /// Indicates whether it waited for a load that ran already.
    var isJoined = false
    /// The time from the request to the answer, in nanoseconds.
    var latency: Int64 = 0
    /// The moment when the load of the value began, in nanoseconds since the first request.
    var loaded: Int64 = 0

    /// The answer in words.
    func words(_ names: [String]) -> String {
        let source = names.indices.contains(Int(tier)) ? " from \(names[Int(tier)])" : ""
        let marks = (isStale ? ", stale" : "") + (isJoined ? ", joined" : "")
        let what =
            switch ending {
            case .value: "value"
            case .notFound: "not found"
            case .failed: "failed"
            }
        return "\(what)\(source)\(marks) after \(latency) ns" + (ending == .value ? ", loaded at \(loaded) ns" : "")
    }
}

/// Counts what the requests of a simulation got and what its sources did. What comes before the end of the warm-up is not counted.
struct Tally: Sendable {
    private let changes: [ValueChanges?]
    private let begin: Int64
    private let firstCounted: Int
    private let bucket: Int64
    private(set) var counts: VariantCounts
    private var second: [(number: Int64, calls: Int)]

    init(_ pipeline: SimulatedPipeline, trace: Trace, warmUp: Int) {
        firstCounted = warmUp
        begin = warmUp < trace.requests.count ? trace.requests[warmUp].time : .max
        changes = pipeline.tiers.map { ValueChanges($0.model, seed: pipeline.seed) }
        let last = trace.requests.last?.time ?? 0
        bucket = max(1, (last - min(begin, last)) / Int64(VariantCounts.seriesLength) + 1)
        counts = VariantCounts(
            tiers: pipeline.tiers.map { VariantCounts.Tier(name: $0.name, isCache: $0.isCache, cost: $0.model.cost) }, bucket: bucket)
        second = pipeline.tiers.map { _ in (-1, 0) }
    }

    /// Indicates whether all values stay as they are.
    var isUnchanging: Bool { changes.allSatisfy { $0 == nil } }

    /// Counts the answer to the request number `index`, which was made at `time`.
    @inline(__always)
    mutating func note(_ answer: Answer, to index: Int, at time: Int64, key: Key, of origin: Int?) {
        guard index >= firstCounted else { return }
        counts.note(answer, in: Int((time - begin) / bucket))
        guard answer.ending == .value, let origin, let changes = changes[origin] else { return }
        counts.noteWrong(changes.wrongFor(key, loaded: answer.loaded, at: time.addingReportingOverflow(answer.latency).partialValue))
    }

    /// Counts a read of a source that is no real memory.
    mutating func noteCall(of tier: Int, at now: Int64) {
        guard now >= begin else { return }
        counts.tiers[tier].calls += 1
        let number = (now - begin) / 1_000_000_000
        second[tier] = second[tier].number == number ? (number, second[tier].calls + 1) : (number, 1)
        if !counts.tiers[tier].isCache { counts.peakPerSecond = max(counts.peakPerSecond, second[tier].calls) }
    }

    /// Counts bytes that a source sent for a call that began at `start`: calls and bytes go by the same moment.
    mutating func noteBytes(_ count: Int, of tier: Int, at start: Int64) {
        if start >= begin { counts.tiers[tier].bytes += count }
    }
}
