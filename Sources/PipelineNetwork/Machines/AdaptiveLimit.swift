/// The number of requests that may be under way at once, from the times that answers take: Vector's adaptive request concurrency with slow
/// start, a least band, growth that has to pay, and a ceiling from the bytes that arrive.
///
/// A round has at least half as many answers as the limit, and the band of slow start is as wide as chance makes the mean of so few: with times
/// that differ by nature, one slow answer among the first would end slow start.
///
/// Times are in seconds, from an arbitrary start. Only answers count whose time says something of the origin: 200, 304 and 404.
struct AdaptiveLimit {
    /// An answer that came to its end.
    struct Sample {
        /// The moment when the request got its permit.
        let begun: Double
        /// The time from then to the head.
        let head: Double
        /// The time from then to the end.
        let whole: Double
        let bytes: Int
        /// The share of the limit that was under way when the request began: from 1 on the limit was reached.
        let use: Double
    }

    private static let deviations = 2.5
    private static let leastBand = 0.1
    private static let smoothing = 0.4
    /// The share of the limit below which slow answers are not due to it, and a cut would change nothing but later bursts.
    private static let leastUse = 0.5

    private var begin: Double
    private var most: Double
    private(set) var value: Double
    private(set) var isSlowStart = true
    private var lastCut = -Double.infinity

    // Rounds: at least one mean time long.
    private var mean: Double?
    private var variance = 0.0
    private var roundEnd = 0.0
    private var round = Round()

    // Periods, at whose end growth has to have paid.
    private var period: Period?
    private var accepted: (limit: Double, rate: Double)?
    private var top = Double.infinity
    private var heldPeriods = 0
    private var nextHold = 1

    // The ceiling from arriving bytes.
    private var goodput: Double?
    private var meanBytes: Double?
    private var leastHead: Double?
    private(set) var ceiling = Double.infinity

    private struct Round {
        var count = 0
        var sum = 0.0
        var squares = 0.0
        var use = 0.0

        var deviationOfMean: Double {
            if count < 2 { return 0 }
            let mean = sum / Double(count)
            return (Swift.max(0, squares / Double(count) - mean * mean) / Double(count - 1)).squareRoot()
        }
    }

    private struct Period {
        let begun: Double
        var count = 0
        var limits = 0.0
    }

    /// - Parameter begin: from 1 to `most`.
    init(begin: Int = 6, max most: Int = 256) {
        self.most = Double(most)
        self.begin = Double(begin)
        value = self.begin
    }

    /// The limit now, at least 1.
    var limit: Int { Swift.max(1, Int(min(value, ceiling))) }

    /// Adds an answer that ended.
    mutating func add(_ sample: Sample, at now: Double) {
        round.use = Swift.max(round.use, sample.use)
        meanBytes = meanBytes.map { $0 + 0.05 * (Double(sample.bytes) - $0) } ?? Double(sample.bytes)
        leastHead = leastHead.map { min(sample.head, $0 * 1.01) } ?? sample.head
        judgeGrowth(at: now)
        round.count += 1
        round.sum += sample.whole
        round.squares += sample.whole * sample.whole
        let current = round.sum / Double(round.count)
        // One answer is too few to compare with: the first round is as long as it took, and its own mean is the first.
        if roundEnd == 0 { roundEnd = now + current }
        if now >= roundEnd, round.count >= Swift.max(2, limit / 2) { endRound(current, mean ?? current, at: now) }
    }

    /// The origin pushed back: 429, 503, a reset, a timeout. Counts once for all requests that began before the last cut.
    mutating func pushBack(begun: Double, at now: Double) {
        guard begun >= lastCut else { return }
        lastCut = now
        value = Swift.max(1, (value * 0.7).rounded(.down))
        isSlowStart = false
        roundEnd = now + (mean ?? 0.1)
        accepted = nil
        period = nil
        top = .infinity
        round = Round()
    }

    /// Takes what came in the `time` since the last call, twice a second while bodies arrive.
    ///
    /// - Parameter receiving: how many bodies arrive, of the requests under way.
    mutating func measure(bytes: Int, in time: Double, receiving: Int, underWay: Int) {
        guard receiving >= 2, Double(receiving) >= 0.6 * Double(underWay), let meanBytes, let leastHead, time > 0 else {
            goodput = nil
            if Double(receiving) < 0.3 * Double(Swift.max(1, underWay)) { ceiling = .infinity }
            return
        }
        let rate = Double(bytes) / time
        let goodput = self.goodput.map { ($0 + rate) / 2 } ?? rate
        self.goodput = goodput
        ceiling = Swift.max(2, 1 + 2 * goodput * leastHead / Swift.max(1, meanBytes))
        if value > ceiling {
            value = Swift.max(1, ceiling.rounded(.up))
            isSlowStart = false
        }
    }

    /// Sets other bounds.
    mutating func limit(begin: Int, max most: Int) {
        self.begin = Double(begin)
        self.most = Double(most)
        let isUnmeasured = meanBytes == nil && lastCut == -.infinity
        value = isUnmeasured ? self.begin : min(value, self.most)
    }

    /// Forgets the measurements, which may no longer hold: after a minute without requests, and when the network has changed.
    mutating func restart() {
        let value = min(self.value, begin)
        self = AdaptiveLimit(begin: Int(begin), max: Int(most))
        self.value = value
    }

    private mutating func endRound(_ current: Double, _ mean: Double, at now: Double) {
        // What chance alone makes of so few answers. It ends no slow start, which would take long to make up for.
        let chance = isSlowStart ? 1.5 * round.deviationOfMean : 0
        let deviation = Swift.max(variance.squareRoot(), Self.leastBand * mean, chance)
        if value > 1, round.use > Self.leastUse, current >= mean + Self.deviations * deviation {
            value = Swift.max(1, (value * 0.9).rounded(.down))
            isSlowStart = false
        } else if round.use >= 1, current <= mean + Swift.max(Self.leastBand * mean, chance), value < top {
            let grown = isSlowStart ? value * 2 : value + Swift.max(1, value / 8)
            value = min(most, top, grown)
        }
        let change = current - mean
        self.mean = mean + Self.smoothing * change
        variance = (1 - Self.smoothing) * (variance + Self.smoothing * change * change)
        roundEnd = now + mean + Self.smoothing * change
        round = Round()
    }

    /// Judges whether a quarter more under way brings more answers.
    private mutating func judgeGrowth(at now: Double) {
        var period = self.period ?? Period(begun: now)
        period.count += 1
        period.limits += value
        self.period = period
        guard Double(period.count) >= Swift.max(100, 4 * value) else { return }
        self.period = nil
        let rate = Double(period.count) / Swift.max(1e-9, now - period.begun)
        let limit = period.limits / Double(period.count)
        let before = accepted ?? (limit, rate)
        let hasGrown = limit >= 1.25 * before.limit
        if hasGrown, rate < (1 + 0.3 * (limit / before.limit - 1)) * before.rate {
            value = Swift.max(1, before.limit)
            isSlowStart = false
            top = 1.1 * before.limit
            heldPeriods = nextHold
            nextHold = min(16, 2 * nextHold)
            return
        }
        let now: (limit: Double, rate: Double)
        if hasGrown {
            nextHold = 1
            heldPeriods = 0
            now = (limit, rate)
        } else {
            heldPeriods -= 1
            now = limit > 0.8 * before.limit ? ((before.limit + limit) / 2, (before.rate + rate) / 2) : (limit, rate)
        }
        accepted = now
        if heldPeriods <= 0 { top = 2.25 * Swift.max(limit, now.limit) }
    }
}
