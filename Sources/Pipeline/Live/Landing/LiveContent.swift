/// The value of a live key. With a merging feed it is what the last load gave and every change since; without one, what the last load gave.
struct LiveContent: Sendable {
    /// A load's place in the order in which origins were asked.
    struct Mark: Sendable {
        /// Rises with each load of the key.
        let number: UInt64
        fileprivate let merged: LoadMark?
    }

    /// Nil where no feed merges.
    private var merged: MergedValue?
    /// Where a feed merges, a value that no change may be merged into, such as a default: shown while there is no other.
    private var plain = PlainValue()
    /// The revision at which the plain value changed last.
    private var lastPlainChange: UInt64 = 0
    /// How many loads have begun.
    private var loads: UInt64 = 0

    init(merging policy: MergePolicy?, overlap: Duration) {
        merged = policy.map { MergedValue($0, overlap: overlap) }
    }

    /// Counts the changes of the value.
    var revision: UInt64 { (merged?.revision ?? 0) + plain.revision }

    /// When the load of the value began; nil without one.
    var created: Timestamp? { merged?.contents?.created ?? plain.entry?.created }

    /// Whether there is a value, or it is known that there is none.
    var isKnown: Bool { merged?.contents != nil || plain.entry != nil }

    /// Whether there is a value.
    var hasValue: Bool { merged?.contents.map { !$0.isNotFound } ?? plain.entry.map { !$0.isNotFound } ?? false }

    /// Whether changes are merged.
    var isMerging: Bool { merged != nil }

    /// The value as an observer sees it.
    func snapshotValue() -> SnapshotValue {
        guard let contents = merged?.contents else { return SnapshotValue(plain.entry) }
        return SnapshotValue(joining: { contents.joined() }, finding: { contents.element($0) })
    }

    /// The value as a cache stores it; made when it is called, not under a lock.
    func joining() -> @Sendable () -> Entry? {
        guard let contents = merged?.contents else { return { [entry = plain.entry] in entry } }
        return { contents.joined() }
    }

    /// What an observer that had `revision` has to learn.
    func changes(since revision: UInt64) -> ListChanges {
        if revision == self.revision { return .none }
        guard let merged, merged.contents != nil, revision >= lastPlainChange, revision >= plain.revision else { return .reset }
        return merged.changes(since: revision - plain.revision)
    }

    /// The mark that loads from now on are beyond.
    var lastMark: UInt64 { loads }

    /// An origin is asked.
    mutating func beginLoad(at now: Timestamp) -> Mark {
        loads += 1
        return Mark(number: loads, merged: merged?.beginLoad(at: now))
    }

    /// That load failed, or was given up.
    mutating func endLoad(_ mark: Mark) {
        if let load = mark.merged { merged?.endLoad(load) }
    }

    /// An origin's answer. False when a load that began later has landed, or the value was replaced meanwhile: the answer then lands nowhere.
    mutating func land(_ entry: Entry, _ mark: Mark, at now: Timestamp) -> Bool {
        if let load = mark.merged {
            guard merged?.land(entry, load, at: now) != nil else { return false }
            dropPlain()
            return true
        }
        return changePlain { $0.land(entry, number: mark.number) }
    }

    /// What a cache holds: the value, where there is none yet, and where nothing is merged.
    mutating func adopt(_ entry: Entry, at now: Timestamp) {
        guard merged != nil else { return changePlain { $0.adopt(entry) } }
        guard merged?.contents == nil else { return }
        merged?.adopt(entry, at: now)
        dropPlain()
    }

    /// A value that stands in for one: no change is merged into it.
    mutating func substitute(_ entry: Entry) {
        if merged?.contents == nil { changePlain { $0.adopt(entry) } }
    }

    /// Another value takes its place.
    mutating func replace(_ entry: Entry, at now: Timestamp) {
        guard merged != nil else { return changePlain { [loads] in $0.replace(entry, after: loads) } }
        merged?.put(entry, at: now)
        dropPlain()
    }

    /// The value was removed.
    mutating func void() {
        merged?.void()
        changePlain { [loads] in $0.replace(nil, after: loads) }
    }

    /// Merges a change.
    mutating func apply(_ change: ListChange, at now: Timestamp) -> MergedValue.Effect? {
        merged?.apply(change, at: now)
    }

    private mutating func dropPlain() {
        if plain.entry != nil { changePlain { [loads] in $0.replace(nil, after: loads) } }
    }

    private mutating func changePlain<Result>(_ change: (inout PlainValue) -> Result) -> Result {
        let before = plain.revision
        defer { if plain.revision != before { lastPlainChange = revision } }
        return change(&plain)
    }
}
