package import Pipeline
internal import Synchronization

#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// The number of descriptors (files, sockets, pipes) that the process opens for what it is asked.
///
/// A process that has none left ends: the dispatch library needs one to look at its threads, and traps without it. So room is kept for all
/// that is open in any case. Of the rest one half is for clients, and one for what is opened for their questions; feeds, which last, get
/// half of that.
package final class DescriptorBudget: Sendable {
    /// The budget of the process.
    package static let process = DescriptorBudget(limit: DescriptorLimit.current, processors: DescriptorLimit.processors)

    /// The use that a descriptor is opened for.
    package enum Use: Sendable {
        /// One question.
        case question
        /// A feed.
        case feed
    }

    private struct State {
        var taken = 0
        var byFeeds = 0
        /// How to close what is kept for later questions alone, by number, and the numbers of the first and of the next one.
        var kept: [UInt64: @Sendable () -> Void] = [:]
        var first: UInt64 = 0
        var next: UInt64 = 0

        /// Forgets what has been kept for longest; gives how to close it.
        mutating func giveUp() -> (@Sendable () -> Void)? {
            while first < next {
                first += 1
                if let close = kept.removeValue(forKey: first - 1) {
                    taken -= 1
                    return close
                }
            }
            return nil
        }
    }

    /// The most connections of clients.
    package let clients: Int
    /// The most descriptors for questions and feeds.
    package let most: Int
    private let mostForFeeds: Int
    private let limit: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limit: how many the process may have open.
    ///   - processors: each has a loop with three of its own.
    package init(limit: Int, processors: Int) {
        let room = max(limit / 4, 30 + 3 * processors)
        let rest = max(limit / 5, limit - room)
        self.limit = limit
        clients = max(1, rest / 2)
        most = max(1, rest - clients)
        mostForFeeds = max(1, most / 2)
    }

    /// Permission to open `count` of them. What is kept for later questions is closed first; throws when there is none left all the same.
    package func take(_ count: Int = 1, for use: Use = .question) throws(SourceError) -> DescriptorPermit {
        while true {
            let (isTaken, close) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
                if use == .feed, state.byFeeds + count > mostForFeeds { return (false, nil) }
                guard state.taken + count > most else {
                    state.taken += count
                    if use == .feed { state.byFeeds += count }
                    return (true, nil)
                }
                return (false, state.giveUp())
            }
            if isTaken { return DescriptorPermit { [self] in giveBack(count, from: use) } }
            guard let close else { break }
            close()
        }
        let share = use == .feed ? "the \(mostForFeeds) descriptors for feeds" : "the \(most) descriptors for questions and feeds"
        throw SourceError(
            "\(share) are in use, of the \(limit) that the process may have", kind: .unasked, help: "a higher `ulimit -n` allows more")
    }

    /// Counts one that is open whatever the budget says.
    package func count() -> DescriptorPermit {
        state.withLock { $0.taken += 1 }
        return DescriptorPermit { [self] in giveBack(1, from: .question) }
    }

    /// Counts one that stays open in case that there are further questions for it: where others are needed, `close` is called to end it.
    package func keep(_ close: @escaping @Sendable () -> Void) -> DescriptorPermit {
        let number = state.withLock { state in
            defer { state.next += 1 }
            state.taken += 1
            state.kept[state.next] = close
            return state.next
        }
        return DescriptorPermit { [self] in
            let close = state.withLock { state in
                let close = state.kept.removeValue(forKey: number)
                if close != nil { state.taken -= 1 }
                return close
            }
            withExtendedLifetime(close) {}
        }
    }

    private func giveBack(_ count: Int, from use: Use) {
        state.withLock { state in
            state.taken -= count
            if use == .feed { state.byFeeds -= count }
        }
    }
}

/// Descriptors that are counted until they are given back, or this ends.
package final class DescriptorPermit: Sendable {
    private let end: Mutex<(@Sendable () -> Void)?>

    fileprivate init(_ end: @escaping @Sendable () -> Void) {
        self.end = Mutex(end)
    }

    deinit { giveBack() }

    /// Gives back descriptors that are closed.
    package func giveBack() {
        end.withLock { $0.take() }?()
    }
}

/// The number of files and sockets that this process may have open.
package enum DescriptorLimit {
    /// What holds now.
    static var current: Int { limits.map { Int(min($0.rlim_cur, rlim_t(most))) } ?? fallback }

    /// Raises it as far as the system allows without privileges.
    package static func raise() {
        guard var limits else { return }
        let wanted = min(limits.rlim_max, rlim_t(most))
        guard limits.rlim_cur < wanted else { return }
        limits.rlim_cur = wanted
        _ = setrlimit(resource, &limits)
    }

    /// How many processors there are, for each of which a few are open from the start.
    static var processors: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    private static var limits: rlimit? {
        var limits = rlimit()
        return getrlimit(resource, &limits) == 0 ? limits : nil
    }

    /// What holds where the system does not say.
    private static let fallback = 256
    /// More than any server of this kind needs, where the system has no limit.
    private static let most = 1 << 20

    #if canImport(Glibc)
    private static let resource = __rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue))
    #else
    private static let resource = RLIMIT_NOFILE
    #endif
}
