internal import Pipeline
internal import PipelineConfig

/// What a simulated source answers to each of its reads. Both gears ask it, so that they meet the same world.
struct SourceCalls: Sendable {
    enum Ending: Sendable, Equatable {
        case value
        case lacking
        case failed
        /// It fails at once.
        case down
        /// It does not answer.
        case hangs
    }

    struct Call: Sendable, Equatable {
        let takes: Int64
        let ending: Ending
    }

    let model: SourceModel
    private let seed: UInt64
    private let isRandom: Bool
    /// How many reads there were of each key: the numbers that are drawn go by the key and the number of the read, so that no key's depend on
    /// those of another.
    private var reads: [UInt32]

    /// - Parameter keys: how many keys there are.
    init(_ model: SourceModel, source: String, seed: UInt64, keys: Int) {
        self.model = model
        self.seed = (seed ^ Key(pipeline: source).hash).scrambled
        isRandom = !model.takes.isConstant || model.fails.value > 0
        reads = isRandom ? Array(repeating: 0, count: keys) : []
    }

    /// The next read of the key number `index`, whose service begins at `now`, in nanoseconds since the first request.
    mutating func next(for index: Int32, _ key: Key, at now: Int64) -> Call {
        if model.down.contain(now) { return Call(takes: 0, ending: .down) }
        if model.hangs.contain(now) { return Call(takes: 0, ending: .hangs) }
        var (takes, hasFailed): (Int64, Bool)
        if isRandom {
            let number = UInt64(reads[Int(index)])
            reads[Int(index)] &+= 1
            let draw = (seed ^ key.hash &+ number &* 0x9E37_79B9_7F4A_7C15).scrambled
            takes = model.takes.nanoseconds(at: draw.part)
            hasFailed = (draw &+ 1).scrambled.part < model.fails.value
        } else {
            (takes, hasFailed) = (model.takes.nanoseconds(at: 0.5), false)
        }
        for window in model.slow where window.contains(now) { takes = Int64(min(Double(takes) * window.factor, 1e18)) }
        if hasFailed { return Call(takes: takes, ending: .failed) }
        return Call(takes: takes, ending: lacks(key) ? .lacking : .value)
    }

    /// Whether the origin has no value for `key`.
    private func lacks(_ key: Key) -> Bool {
        model.lacks.value > 0 && (seed &+ 2 ^ key.hash).scrambled.part < model.lacks.value
    }

    /// Whether a write at `now` succeeds. Writes take no time: they are made after the answer.
    func takesWrites(at now: Int64) -> Bool { !model.down.contain(now) && !model.hangs.contain(now) }
}

extension UInt64 {
    /// A number between 0 and 1, neither of them.
    fileprivate var part: Double { (Double(self >> 12) + 0.5) / Double(1 << 52 as UInt64) }
}
