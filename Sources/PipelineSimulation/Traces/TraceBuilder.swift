internal import Pipeline

/// Puts requests in the order of their times.
struct TraceBuilder {
    private let rules: TraceRules
    private var keys: KeyNumbers
    private var requests: [TraceRequest] = []
    private var omitted = Trace.Omissions()
    private var latest = Int64.min
    /// The place where a request came too late first.
    private var lateness: TraceError?

    /// The time by which a request may stand later in the file than others.
    static let window: Int64 = 300_000_000_000
    /// 12 GB.
    private static let mostRequests = 500_000_000
    /// The most bytes of a value, as in a model.
    private static let largest: Int64 = 1 << 30
    /// The longest trace: what is planned after its end must still be a time.
    private static let longest: Int64 = 4_000_000_000_000_000_000

    init(_ rules: TraceRules, _ keys: KeyNumbers) {
        self.rules = rules
        self.keys = keys
    }

    /// Indicates whether as many requests as wanted are there.
    var isFull: Bool { rules.limit.map { requests.count >= $0 } ?? false }

    /// The number of requests that are there.
    var count: Int { requests.count }

    /// Adds a line or record that was just read from `feed`.
    mutating func add(_ item: TraceItem, from feed: ByteFeed) throws(TraceError) {
        guard case .request(let raw) = item, let key = try keys.number(of: raw.key, at: feed) else { return omitted.other += 1 }
        if omitted.skipped < rules.skip { return omitted.skipped += 1 }
        guard raw.size <= Self.largest else { throw feed.problem("has a size of \(raw.size) bytes, and 1GiB is the most") }
        if latest > Int64.min, raw.time < latest - Self.window {
            if lateness == nil {
                let seconds = (latest - raw.time) / 1_000_000_000
                lateness = feed.problem("is \(seconds) seconds earlier than one before it, more than the window of 5 minutes")
            }
            return omitted.late += 1
        }
        latest = max(latest, raw.time)
        guard requests.count < Self.mostRequests else {
            throw TraceError("the trace has more than \(Self.mostRequests) requests", help: "read a part of it with `--limit N`")
        }
        requests.append(TraceRequest(time: raw.time, key: key, size: raw.size, operation: raw.operation, policy: raw.policy))
    }

    /// The trace of what was added.
    consuming func trace(isTimed: Bool, inWholeSeconds: Bool) throws(TraceError) -> Trace {
        if omitted.late > requests.count, let lateness {
            throw TraceError(
                "most requests are out of order, \(omitted.late) of \(omitted.late + requests.count): \(lateness.message)",
                help: "sort the trace by its times; a clock that wrapped begins again at 0")
        }
        if isTimed {
            guard rules.perSecond == nil else {
                throw TraceError("the trace has times, and `--rate` is for one without", help: "leave out `--rate`")
            }
            sort()
            if inWholeSeconds, !rules.usesExactTimes { spread() }
            let first = requests.first?.time ?? 0
            for index in requests.indices {
                let (time, overflow) = requests[index].time.subtractingReportingOverflow(first)
                requests[index].time = overflow ? .max : time
            }
        } else {
            let pause = 1e9 / (rules.perSecond ?? 1000)
            for index in requests.indices { requests[index].time = Int64(min(Double(index) * pause, 9e18)) }
        }
        guard (requests.last?.time ?? 0) <= Self.longest else {
            throw TraceError("the trace lasts more than 126 years", help: "times are read as seconds; these may be milliseconds or less")
        }
        let played = keysOfRequests()
        omitted.pipelines = keys.strangers
        return Trace(keys: played, requests: requests, isTimed: isTimed, omitted: omitted)
    }

    /// The keys without those that only requests have that are left out. The others have new numbers.
    private mutating func keysOfRequests() -> [Key] {
        guard omitted.skipped > 0 || omitted.late > 0 else { return keys.keys }
        var isPlayed = Array(repeating: false, count: keys.keys.count)
        for request in requests { isPlayed[Int(request.key)] = true }
        var numbers: [Int32] = []
        var played: [Key] = []
        for (key, isPlayed) in zip(keys.keys, isPlayed) {
            numbers.append(Int32(played.count))
            if isPlayed { played.append(key) }
        }
        for index in requests.indices { requests[index].key = numbers[Int(requests[index].key)] }
        return played
    }

    /// Sorts the requests by time, and requests of one time in the file's order.
    private mutating func sort() {
        guard zip(requests, requests.dropFirst()).contains(where: { $0.time > $1.time }) else { return }
        let order = requests.indices.sorted { left, right in
            (requests[left].time, left) < (requests[right].time, right)
        }
        requests = order.map { requests[$0] }
    }

    /// Spreads the requests of a second over it.
    private mutating func spread() {
        var start = 0
        while start < requests.count {
            let second = requests[start].time
            let end = requests[start...].firstIndex { $0.time != second } ?? requests.count
            for index in start..<end {
                requests[index].time += Int64(1e9 * Double(index - start) / Double(end - start))
            }
            start = end
        }
    }
}
