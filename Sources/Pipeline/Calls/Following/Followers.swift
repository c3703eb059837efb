import Synchronization

/// The followers of the keys of a pipeline. Its other orders share it, since their keys are the same.
///
/// A key that nothing follows pays for it with a look at a bit.
package final class Followers: Sendable {
    private struct State {
        /// Those that are told last come first: they are around the others.
        var list: [any KeyFollower] = []
        var followed = KeyMarks()
        var laid = KeyMarks()
        /// The pipeline of this name; other orders only ask.
        weak var home: DataPipeline?
        var isOver = false
    }

    private let state = Mutex(State())
    private let isUsed = Atomic(false)
    private let followed = Atomic<UInt64>(0)
    private let laid = Atomic<UInt64>(0)

    /// The pipeline of this name, which loads the values; nil if it has no name of its own.
    package var home: DataPipeline? { state.withLock { $0.home } }

    var all: [any KeyFollower] { isUsed.load(ordering: .acquiring) ? state.withLock(\.list) : [] }

    /// The follower of a kind, which is made when it is first asked for.
    ///
    /// - Parameter isInner: whether it learns of a change before the others do.
    package func member<Member: KeyFollower>(isInner: Bool = false, orMake make: () -> Member) -> Member {
        if let known = known(Member.self) { return known }
        let new = make()
        let (member, isLate) = state.withLock { state -> (Member, Bool) in
            if let known = state.list.lazy.compactMap({ $0 as? Member }).first { return (known, false) }
            state.list.insert(new, at: isInner ? state.list.endIndex : 0)
            isUsed.store(true, ordering: .releasing)
            return (new, state.isOver)
        }
        if isLate { member.succeed(.end) }
        return member
    }

    /// The follower of a kind; nil if there is none yet.
    package func known<Member: KeyFollower>(_ kind: Member.Type) -> Member? {
        all.lazy.compactMap { $0 as? Member }.first
    }

    /// A key is followed that was not before, or not any more.
    ///
    /// - Parameters:
    ///   - change: 1 or -1.
    ///   - key: nil for every key.
    ///   - isLaid: whether its loads give another value than its copies.
    package func count(_ change: Int, of key: Key?, isLaid: Bool = false) {
        state.withLock { state in
            followed.store(state.followed.count(change, of: key), ordering: .releasing)
            if isLaid { laid.store(state.laid.count(change, of: key), ordering: .releasing) }
        }
    }

    /// Whether a load of `key` may give another value than its copy.
    @inline(__always)
    func lays(over key: Key) -> Bool { laid.load(ordering: .acquiring) & KeyMarks.bit(of: key) != 0 && anyFollows(key) }

    /// Whether no key is followed.
    package var isEmpty: Bool {
        @inline(__always) get { followed.load(ordering: .acquiring) == 0 }
    }

    /// Whether one may know more of `key` than its copies say.
    @inline(__always)
    func follow(_ key: Key) -> Bool { followed.load(ordering: .acquiring) & KeyMarks.bit(of: key) != 0 && anyFollows(key) }

    @inline(never)
    private func anyFollows(_ key: Key) -> Bool { all.contains { $0.follows(key) } }

    /// What they say about the copies of `key`; nil if they have no say.
    func confirmation(of key: Key) -> CopyConfirmation? {
        if isEmpty { return nil }
        // Each is asked once: its answer may be another one a moment later.
        for follower in all {
            if let confirmation = follower.confirmation(of: key) { return confirmation }
        }
        return nil
    }

    /// Hands the caches what they do not have yet: see ``KeyFollower/settle(_:mayLeave:)``.
    func settle(_ key: Key?, mayLeave: Bool = false) async throws {
        for follower in all { try await follower.settle(key, mayLeave: mayLeave) }
    }

    func void(_ gone: InvalidationMessage) { for follower in all { follower.void(gone) } }

    /// Tells of a change, the innermost first.
    package func tell(_ keys: InvalidationMessage, to entry: Entry? = nil, by cause: KeyChange.Cause) async {
        for follower in all.reversed() { await follower.changed(KeyChange(keys: keys, entry: entry, cause: cause)) }
    }

    func succeed(_ step: Succession) {
        let list = state.withLock { state in
            switch step {
            case .begin(let pipeline): state.home = pipeline
            case .end: state.isOver = true
            case .refetch: break
            }
            return state.list
        }
        for follower in list { follower.succeed(step) }
    }
}

/// Keys, by six bits of their hashes: one whose bit is not set is not among them.
private struct KeyMarks {
    /// Empty as long as there was none.
    private var counts: [Int] = []
    private var bits: UInt64 = 0

    @inline(__always)
    static func bit(of key: Key) -> UInt64 { 1 << (key.hash & 63) }

    /// The bits after one more key, or one fewer; nil for every key.
    mutating func count(_ change: Int, of key: Key?) -> UInt64 {
        if counts.isEmpty { counts = Array(repeating: 0, count: 64) }
        let places = key.map { key in Int(key.hash & 63)...Int(key.hash & 63) } ?? 0...63
        for place in places {
            counts[place] += change
            bits = counts[place] == 0 ? bits & ~(1 << place) : bits | 1 << place
        }
        return bits
    }
}
