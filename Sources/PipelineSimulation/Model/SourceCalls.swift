internal import Pipeline
internal import PipelineConfig

/// The answers of a simulated source to each of its reads. Both gears ask it, so that they meet the same world.
struct SourceCalls: Sendable {
    enum Ending: Sendable, Equatable {
        case value
        case lacking
        case failed
        /// The source fails at once.
        case down
        /// The source does not answer.
        case hangs
    }

    struct Call: Sendable, Equatable {
        let takes: Int64
        let ending: Ending
    }

    let model: SourceModel
    private let seed: UInt64
    private let isRandom: Bool
    /// The number of reads of each key: the numbers that are drawn go by the key and the number of the read, so that no key's depend on
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

    /// Indicates whether the origin has no value for `key`.
    private func lacks(_ key: Key) -> Bool {
        model.lacks.value > 0 && (seed &+ 2 ^ key.hash).scrambled.part < model.lacks.value
    }

    /// Indicates whether a write at `now` succeeds. Writes take no time: they are made after the answer.
    func takesWrites(at now: Int64) -> Bool { !model.down.contain(now) && !model.hangs.contain(now) }
}

extension UInt64 {
    /// A number between 0 and 1, neither of them.
    fileprivate var part: Double { (Double(self >> 12) + 0.5) / Double(1 << 52 as UInt64) }
}

/// The values of simulated origins. A few bytes stand for each payload, however large it is: they say its size and its version.
struct Payloads {
    /// The one that was asked for last: most values have one length.
    private var last: (size: Int, version: UInt8, entry: Entry)?

    /// A value whose payload counts `size` bytes. Payloads of one size are equal when their versions are, modulo 16.
    mutating func entry(size: Int, version: Int64, created: Timestamp, source: String? = nil) -> Entry {
        let version = UInt8(truncatingIfNeeded: version & 15)
        var entry: Entry
        if let last, last.size == size, last.version == version {
            entry = last.entry
        } else {
            let payload = size == 0 ? [] : [version] + (0..<8).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) }
            entry = Entry(payload, created: created)
            if payload.count != size { entry = entry.simulated(size: size) }
            last = (size, version, entry)
        }
        entry.created = created
        return source.map(entry.attributed) ?? entry
    }
}

/// The moments when the values of an origin change: each key in the same rhythm, from a moment of its own on.
struct ValueChanges: Sendable {
    private let period: Int64
    private let seed: UInt64

    init?(_ model: SourceModel, seed: UInt64) {
        guard let every = model.changes?.saturatedNanoseconds, every > 0 else { return nil }
        (period, self.seed) = (every, seed)
    }

    /// The number of times the value of `key` had changed at `moment`, in nanoseconds since the first request.
    func version(of key: Key, at moment: Int64) -> Int64 {
        let (sum, overflow) = moment.addingReportingOverflow(phase(of: key))
        return overflow ? 0 : sum / period
    }

    /// The time for which, at `moment`, a value that was loaded at `loaded` had been another; 0 if it had not changed.
    func wrongFor(_ key: Key, loaded: Int64, at moment: Int64) -> Int64 {
        let version = version(of: key, at: loaded)
        return max(0, moment - ((version + 1) * period - phase(of: key)))
    }

    private func phase(of key: Key) -> Int64 { Int64((key.hash ^ seed).scrambled % UInt64(period)) }
}
