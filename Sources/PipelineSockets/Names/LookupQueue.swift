import Pipeline

/// The names that are looked up at once, those that wait, and those that fail at once. Pure.
///
/// A name server that does not answer holds a lookup for ten seconds and more. Names of one zone have the same servers, so that each zone has few
/// places; some are left to names that were found before.
struct LookupQueue {
    /// The step that a name that is asked for needs.
    enum Answer: Equatable {
        /// The name was found a moment ago.
        case found
        /// The name was not found, a moment ago.
        case failed
        /// The name is looked up, or will be.
        case wait
        /// Too many names wait.
        case full
    }

    /// The most lookups at once.
    static let most = 32
    /// The most of those that are for names that were never found.
    static let mostUnknown = 24
    /// The most of those for names of one zone.
    static let mostOfZone = 8
    /// The most names that wait, and that are remembered.
    static let mostNames = 1_024
    /// The time for which a name that was not found fails at once.
    static let failureTime = Duration.seconds(5)
    /// The time for which a name that was found needs no lookup.
    static let foundTime = Duration.seconds(60)

    private(set) var running: Set<String> = []
    private var waiting: [String] = []
    private var found: [String: Timestamp] = [:]
    private var failed: [String: Timestamp] = [:]

    /// Asks for a name.
    ///
    /// - Parameter acceptsFound: whether one that was found a moment ago needs no lookup.
    mutating func ask(for name: String, acceptingFound acceptsFound: Bool = true, at now: Timestamp) -> Answer {
        if acceptsFound, let moment = found[name], now < moment + Self.foundTime { return .found }
        if let moment = failed[name], now < moment + Self.failureTime { return .failed }
        if running.contains(name) || waiting.contains(name) { return .wait }
        guard waiting.count < Self.mostNames || isKnown(name) else { return .full }
        waiting.append(name)
        return .wait
    }

    /// Drops a name that nobody waits for any more: it is not looked up, unless that has begun.
    mutating func drop(_ name: String) { waiting.removeAll { $0 == name } }

    /// The number of names that are remembered.
    var remembered: Int { found.count + failed.count }

    /// The names whose lookup begins now.
    mutating func begun() -> [String] {
        guard !waiting.isEmpty, running.count < Self.most else { return [] }
        var begun: [String] = []
        // Of those that were never found: how many are looked up, in all and of each zone.
        var unknown = 0
        var zones: [Substring: Int] = [:]
        for name in running where !isKnown(name) {
            unknown += 1
            zones[Self.zone(of: name), default: 0] += 1
        }
        var left = waiting
        left.removeAll { name in
            guard running.count < Self.most else { return false }
            if !isKnown(name) {
                let zone = Self.zone(of: name)
                guard unknown < Self.mostUnknown, zones[zone, default: 0] < Self.mostOfZone else { return false }
                unknown += 1
                zones[zone, default: 0] += 1
            }
            running.insert(name)
            begun.append(name)
            return true
        }
        waiting = left
        return begun
    }

    /// Ends the lookup of a name.
    mutating func end(_ name: String, isFound: Bool, at now: Timestamp) {
        running.remove(name)
        failed[name] = isFound ? nil : now
        if isFound { found[name] = now }
        Self.bound(&failed)
        Self.bound(&found)
    }

    /// Indicates whether the name was found before, or needs no server (RFC 6761, section 6.3).
    private func isKnown(_ name: String) -> Bool { found[name] != nil || name == "localhost" || name.hasSuffix(".localhost") }

    /// The rest of a name behind its first label.
    private static func zone(of name: String) -> Substring { name.drop { $0 != "." }.dropFirst() }

    /// Removes the oldest half if there are too many.
    private static func bound(_ names: inout [String: Timestamp]) {
        guard names.count > mostNames else { return }
        let middle = names.values.sorted()[names.count / 2]
        names = names.filter { $0.value > middle }
    }
}
