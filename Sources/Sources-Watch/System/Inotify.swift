#if !canImport(Darwin)
internal import Pipeline
internal import Synchronization

/// The one inotify instance of the process, which all watched files share. It is open while there are any.
///
/// The system has one watch for each folder or file, however many members ask for it.
final class Inotify: Sendable {
    static let shared = Inotify()

    /// The names that are of interest in a folder, by watch; none for a file.
    private typealias Interests = [Int32: Set<String>]

    private struct Member {
        let ring: @Sendable () -> Void
        /// The places that were added in this round.
        var added: Interests = [:]
        /// The places that were added in the round before.
        var kept: Interests = [:]

        func isInterested(in name: String?, of watch: Int32) -> Bool {
            let places = [added[watch], kept[watch]].compactMap(\.self)
            // What has no name is about the folder or the file itself.
            return name.map { name in places.contains { $0.contains(name) } } ?? !places.isEmpty
        }
    }

    private struct State {
        var instance: InotifyInstance?
        var members: [Int: Member] = [:]
        var nextMember = 0
        /// The members of each watch.
        var watches: [Int32: Set<Int>] = [:]
        /// The number of watches that were removed.
        var removals = 0

        mutating func release(_ watch: Int32, of member: Int) {
            watches[watch]?.remove(member)
            if watches[watch]?.isEmpty == true { remove(watch) }
        }

        mutating func remove(_ watch: Int32) {
            watches[watch] = nil
            removals += 1
            instance?.remove(watch)
        }
    }

    private let state = Mutex(State())

    /// Indicates whether the system has an instance for it.
    var isOpen: Bool { state.withLock { $0.instance != nil } }

    /// A new member, whose `ring` is called for each report.
    func join(_ ring: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.nextMember += 1
            state.members[state.nextMember] = Member(ring: ring)
            return state.nextMember
        }
    }

    /// Watches `place` for a member that has not left.
    func add(_ place: WatchedPlace, for member: Int) {
        while true {
            let (instance, removals) = state.withLock { state in
                if state.instance == nil, state.members[member] != nil { state.instance = open() }
                return (state.members[member] == nil ? nil : state.instance, state.removals)
            }
            // Not under the lock: the file system may hang.
            guard let instance, let watch = instance.add(place) else { return }
            let isDone = state.withLock { state in
                // Another member may have removed this very watch meanwhile.
                guard state.removals == removals else { return false }
                guard state.members[member] != nil else { return true }
                state.members[member]?.added[watch, default: []].formUnion(place.names)
                state.watches[watch, default: []].insert(member)
                return true
            }
            if isDone { return }
        }
    }

    /// Ends the watches of places that were not added in this round.
    func finishRound(of member: Int) {
        state.withLock { state in
            guard let rounds = state.members[member] else { return }
            state.members[member]?.kept = rounds.added
            state.members[member]?.added = [:]
            for watch in rounds.kept.keys where rounds.added[watch] == nil { state.release(watch, of: member) }
        }
    }

    /// Ends the watches of a member, and closes the instance with the last one.
    func leave(_ member: Int) {
        let instance = state.withLock { state -> InotifyInstance? in
            guard let rounds = state.members.removeValue(forKey: member) else { return nil }
            for watch in Set(rounds.added.keys).union(rounds.kept.keys) { state.release(watch, of: member) }
            guard state.members.isEmpty else { return nil }
            state.watches = [:]
            state.removals += 1
            return state.instance.take()
        }
        instance?.end()
    }

    private func open() -> InotifyInstance? {
        InotifyInstance.open { [weak self] instance, reports in self?.take(reports, of: instance) }
    }

    private func take(_ reports: [InotifyReport], of instance: InotifyInstance) {
        let rings = state.withLock { state -> [@Sendable () -> Void] in
            guard state.instance === instance else { return [] }
            var members: Set<Int> = []
            for report in reports {
                switch report.kind {
                case .overflow: members.formUnion(state.members.keys)
                case .happened, .removed:
                    guard let watching = state.watches[report.watch] else {
                        // One that a member added while it left.
                        if report.kind == .happened { state.remove(report.watch) }
                        continue
                    }
                    members.formUnion(
                        watching.filter { state.members[$0]?.isInterested(in: report.name, of: report.watch) ?? false })
                    guard report.kind == .removed else { continue }
                    state.watches[report.watch] = nil
                    for member in watching {
                        state.members[member]?.added[report.watch] = nil
                        state.members[member]?.kept[report.watch] = nil
                    }
                }
            }
            return members.compactMap { state.members[$0]?.ring }
        }
        for ring in rings { ring() }
    }
}

extension WatchedPlace {
    fileprivate var names: Set<String> {
        switch self {
        case .entry(let name, _): [name]
        case .file: []
        }
    }
}
#endif
