/// The rules of `[memory, api]` for one key, counted by hand: no type of the program is used. Times are nanoseconds.
struct NaiveRules {
    var ttl: Int64
    var staleWhileRevalidate: Int64 = 0
    var staleIfError: Int64 = 0
    /// How long the origin takes.
    var takes: Int64
    /// When it is down.
    var down: Range<Int64> = 0..<0

    struct Reply: Equatable {
        let word: String
        let latency: Int64
    }

    /// What requests of one key at these times get.
    func replies(at times: [Int64]) -> [Reply] {
        var replies: [Reply] = []
        var loadedAt: Int64?
        var storedAt: Int64?
        var load: (begin: Int64, end: Int64)?
        var refresh: (begin: Int64, end: Int64)?
        var restsUntil: Int64 = -1
        for time in times {
            // A fetch and a refresh share a call of the origin, and what it gives is stored once.
            for call in [load, refresh].compactMap({ $0 }).sorted(by: { $0.end < $1.end }) where call.end <= time {
                (loadedAt, storedAt) = (call.begin, call.end)
            }
            if let end = load?.end, end <= time { load = nil }
            if let end = refresh?.end, end <= time { refresh = nil }
            let age = storedAt.map { time - $0 }
            if let age, age < ttl {
                replies.append(Reply(word: "memory", latency: 0))
            } else if let age, age < ttl + staleWhileRevalidate {
                replies.append(Reply(word: "stale", latency: 0))
                if refresh == nil, !down.contains(time) { refresh = (time, time + takes) }
            } else if let load {
                replies.append(Reply(word: "joined", latency: load.end - time))
            } else if time < restsUntil, let age, age < ttl + staleIfError {
                replies.append(Reply(word: "stale", latency: 0))
            } else if let refresh {
                replies.append(Reply(word: "joined", latency: refresh.end - time))
                load = refresh
            } else if down.contains(time) {
                if let age, age < ttl + staleIfError {
                    replies.append(Reply(word: "stale", latency: 0))
                    restsUntil = time + 1_000_000_000
                } else {
                    replies.append(Reply(word: "failed", latency: 0))
                }
            } else {
                load = (time, time + takes)
                replies.append(Reply(word: "api", latency: takes))
            }
        }
        _ = loadedAt
        return replies
    }
}
