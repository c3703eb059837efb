internal import Pipeline
internal import Synchronization

/// Keeps the copies of one source within a number and a size: the least recently used go.
///
/// Only files that this plugin wrote, for keys of this source's template, are counted and go; sidecars are not
/// counted. What other processes write meanwhile is not seen: each keeps the bound over what it found when it first wrote and what
/// it wrote itself. The order survives a restart in the files' times of last use.
final class SpaceBound: Sendable {
    /// A copy that was there before this process first wrote.
    struct Found {
        let path: String
        let size: Int
        let lastUse: Int64
    }

    let maxEntries: Int
    let maxBytes: Size
    private let list = Mutex(RecencyList())
    /// A lock, held while the folders are looked through, so that this happens once; only threads that may wait come here.
    private let isFilled = Mutex(false)

    /// Makes a bound; nil if there is nothing to keep within.
    init?(maxEntries: Int?, maxBytes: Size?) {
        guard maxEntries != nil || maxBytes != nil else { return nil }
        self.maxEntries = maxEntries ?? .max
        self.maxBytes = maxBytes ?? Size(bytes: .max)
    }

    /// Indicates whether a payload of `size` bytes could stay, if it were alone.
    func admits(_ size: Int) -> Bool { maxEntries > 0 && size <= maxBytes.bytes }

    /// Takes in what is there, the first time that it is called.
    func fillOnce(_ findings: () throws -> [Found]) rethrows {
        try isFilled.withLock { isFilled in
            guard !isFilled else { return }
            let found = try findings().sorted { $0.lastUse > $1.lastUse }
            list.withLock { list in
                for copy in found { list.addOldest(copy.path, size: copy.size) }
            }
            isFilled = true
        }
    }

    /// Notes that `path` was written.
    func wrote(_ path: String, size: Int) {
        list.withLock { $0.use(path, size: size) }
    }

    /// Notes that `path` was read; nothing when it is not counted.
    func read(_ path: String, size: Int) {
        list.withLock { list in
            if list.contains(path) { list.use(path, size: size) }
        }
    }

    /// Notes that `path` is gone.
    func forget(_ path: String) {
        list.withLock { $0.remove(path) }
    }

    func contains(_ path: String) -> Bool {
        list.withLock { $0.contains(path) }
    }

    /// Forgets copies, the least recently used first, until the rest is within the bound; the last one written stays.
    func takeExcess() -> [String] {
        list.withLock { list in
            var excess: [String] = []
            while list.count > 1, list.count > maxEntries || list.bytes > maxBytes.bytes, let path = list.first {
                list.remove(path)
                excess.append(path)
            }
            return excess
        }
    }
}

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

    /// The number of paths.
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
