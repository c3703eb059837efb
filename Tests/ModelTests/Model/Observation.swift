import PipelineScenarios

/// What can be seen after a step, of the engine or of the reference.
struct Observation: Equatable {
    struct Fetched: Equatable {
        enum Result: Equatable {
            case value(String, isStale: Bool, source: String)
            case notFound(source: String?)
            case failed
            /// It threw, or never ended.
            case nothing
        }

        var result: Result
        /// `m0: miss`.
        var attempts: [String]
    }

    var fetched: Fetched?
    /// The caches that were told to forget, and whether they did: `d1: true`.
    var removed: [String]?
    /// The keys that a flush could not write: `d1: 0`.
    var unwritten: [String]?
    /// The time when the step was over.
    var time: Int64 = 0
    /// How often each tier was asked so far, origins only.
    var originCalls: [Int] = []
    /// What each tier holds of each key.
    var contents: [[Copy?]] = []
    /// What became of the writes of the latest fetches and puts: `m0: written`.
    var writes: [[String]] = []
    /// How many loads and write permits are left when nothing waits to be written.
    var leftovers = 0
}

/// A copy, as the model sees it.
struct Copy: Equatable {
    /// The text of the payload; nil for the knowledge that there is none.
    var payload: String?
    var created: Int64
    var stored: Int64?
    var freshUntil: Int64?

    var isNotFound: Bool { payload == nil }
    var isInvalid: Bool { payload == Self.invalid }

    /// A payload that is no JSON.
    static let invalid = "[1"
}

extension Observation {
    /// Where `self`, which is expected, and `actual` differ, one line each.
    func differences(from actual: Observation) -> [String] {
        var lines: [String] = []
        func compare<Value: Equatable>(_ name: String, _ expected: Value, _ actual: Value) {
            if expected != actual { lines.append("  \(name): expected \(expected)\n  \(name):   actual \(actual)") }
        }
        compare("result", fetched?.result, actual.fetched?.result)
        compare("attempts", fetched?.attempts, actual.fetched?.attempts)
        compare("removed", removed, actual.removed)
        compare("unwritten", unwritten, actual.unwritten)
        compare("time", time - SimulatedClock.start, actual.time - SimulatedClock.start)
        compare("origin calls", originCalls, actual.originCalls)
        compare("writes", writes, actual.writes)
        for tier in contents.indices where tier < actual.contents.count {
            for key in contents[tier].indices {
                compare("tier \(tier) key \(key)", words(contents[tier][key]), words(actual.contents[tier][key]))
            }
        }
        compare("leftovers", leftovers, actual.leftovers)
        return lines
    }

    private func words(_ copy: Copy?) -> String {
        guard let copy else { return "nothing" }
        func time(_ moment: Int64?) -> String { moment.map { "\($0 - SimulatedClock.start)" } ?? "none" }
        let times = "created \(time(copy.created)), stored \(time(copy.stored)), fresh until \(time(copy.freshUntil))"
        return "\(copy.payload ?? "not_found") \(times)"
    }
}
