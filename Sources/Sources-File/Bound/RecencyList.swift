/// Paths with their sizes, from the least to the most recently used. Every operation takes constant time.
struct RecencyList {
    private struct Link {
        let path: String
        var size: Int
        var older: Int?
        var newer: Int?
    }

    private var links: [Link?] = []
    private var free: [Int] = []
    private var places: [String: Int] = [:]
    private var oldest: Int?
    private var newest: Int?

    /// The sum of the sizes; no more than the largest number there is.
    var bytes: Int { sum.high > 0 || sum.low > Int.max.magnitude ? .max : Int(sum.low) }

    /// Files of holes can have any size, and many of them one that is no number any more.
    private var sum: (high: UInt64, low: UInt) = (0, 0)

    /// How many paths there are.
    var count: Int { places.count }

    /// The least recently used path.
    var first: String? { oldest.flatMap { links[$0]?.path } }

    func contains(_ path: String) -> Bool { places[path] != nil }

    /// Adds `path`, or moves it, as the most recently used one.
    mutating func use(_ path: String, size: Int) {
        remove(path)
        let place = makeLink(Link(path: path, size: size, older: newest, newer: nil))
        if let newest { links[newest]?.newer = place }
        newest = place
        oldest = oldest ?? place
    }

    /// Adds `path` as the least recently used one, unless it is there.
    mutating func addOldest(_ path: String, size: Int) {
        guard !contains(path) else { return }
        let place = makeLink(Link(path: path, size: size, older: nil, newer: oldest))
        if let oldest { links[oldest]?.older = place }
        oldest = place
        newest = newest ?? place
    }

    /// Forgets `path`.
    mutating func remove(_ path: String) {
        guard let place = places.removeValue(forKey: path), let link = links[place] else { return }
        if let older = link.older { links[older]?.newer = link.newer } else { oldest = link.newer }
        if let newer = link.newer { links[newer]?.older = link.older } else { newest = link.older }
        links[place] = nil
        free.append(place)
        let (low, borrow) = sum.low.subtractingReportingOverflow(link.size.magnitude)
        sum = (borrow ? sum.high - 1 : sum.high, low)
    }

    private mutating func makeLink(_ link: Link) -> Int {
        let (low, carry) = sum.low.addingReportingOverflow(link.size.magnitude)
        sum = (carry ? sum.high + 1 : sum.high, low)
        let place = free.popLast() ?? links.count
        if place == links.count { links.append(link) } else { links[place] = link }
        places[link.path] = place
        return place
    }
}
