import Pipeline
/// The value of a live key: what the last load gave, and every change since; or a default that stands in for it.
struct LiveContent: Sendable {
    private var value: MergedValue
    /// Shown while there is no value. No change is merged into it.
    private var substitute: Entry?
    /// Counts the changes of the substitute.
    private var substitutions: UInt64 = 0
    /// What is laid over the value for observers; nil for nothing.
    private var overlay: Overlay?
    /// The value with that, as it was made last; nil while nothing is laid over it.
    private var laid: LaidContents?
    /// By how much more than the value's own the revision has counted that observers see.
    private var laidChanges: Int64 = 0
    /// Nothing yet, for a key that these feeds change.
    ///
    /// - Parameter merging: the way in which changes are merged that no feed brings.
    /// - Parameter limit: its largest size.
    init(fedBy feeds: [FeedSpec], or merging: MergePolicy? = nil, limit: Size) {
        let feeds = feeds.filter { $0.merging != nil }
        value = MergedValue(feeds.first?.merging ?? merging, overlap: feeds.map(\.overlap).max() ?? .zero, limit: limit)
    }

    /// Whether changes are merged.
    var isMerging: Bool { value.policy != nil }

    /// Goes on with this value for a key that other feeds change from now on. False if they merge as those before.
    mutating func follow(_ feeds: [FeedSpec], or merging: MergePolicy?, limit: Size) -> Bool {
        var new = LiveContent(fedBy: feeds, or: merging, limit: limit)
        guard new.value.policy != value.policy || new.value.overlap != value.overlap || new.value.limit != value.limit else { return false }
        if let entry = value.contents.joined() { _ = new.value.adopt(CutEntry(entry, for: new.value.policy)) }
        new.substitute = substitute
        new.substitutions = revision
        (new.overlay, new.laidChanges) = (overlay, laidChanges)
        self = new
        return true
    }

    /// Counts the changes of the value.
    var revision: UInt64 { value.revision + substitutions }

    /// Counts the changes of what an observer sees.
    var shownRevision: UInt64 { laidChanges == 0 ? revision : UInt64(max(0, Int64(clamping: revision) + laidChanges)) }

    /// Whether changes are merged into it.
    var isMerged: Bool { value.contents.isMerged }

    /// Whether there is a value.
    var hasValue: Bool { entry.map { !$0.isNotFound } ?? false }

    /// When the load of the value began; nil without one.
    var created: Timestamp? { entry?.created }

    /// The value without the changes, for what is known of it.
    var entry: Entry? { value.contents.entry ?? substitute }

    /// The value as an observer sees it.
    func snapshotValue() -> SnapshotValue {
        let contents = laid?.contents ?? shownContents
        guard !contents.isEmpty else { return SnapshotValue(substitute) }
        return SnapshotValue(times: times, joining: { contents.joined() }, finding: { contents.element($0) })
    }

    /// How old the value is.
    var times: SnapshotValue.Times { SnapshotValue.Times(entry) }

    /// What makes the value as a cache stores it, from what it is now. Call it without a lock: it takes its time.
    func joining() -> @Sendable () -> Entry? {
        let contents = value.contents
        return { contents.joined() }
    }

    /// Whether the list has an item of this id.
    func holds(_ id: ItemID) -> Bool { value.contents.list?.find(id.mark) != nil }

    /// What an observer keeps to learn later what has changed; nil where nothing is merged, and while a default stands in.
    var comparable: MergedContents? { isMerging && substitute == nil ? laid?.contents ?? shownContents : nil }

    /// An origin is asked.
    mutating func beginAsking(at now: Timestamp) -> LoadMark { value.beginAsking(at: now) }

    /// That load failed, or was given up.
    mutating func endAsking(_ mark: LoadMark, at now: Timestamp) { value.endAsking(mark, at: now) }

    /// The order of the last load that has begun.
    var lastLoad: UInt64 { value.lastLoad }

    /// An origin's answer. Nil when a load that began later has landed, or the value was replaced meanwhile: the answer then lands nowhere.
    mutating func land(_ entry: CutEntry, _ mark: LoadMark, at now: Timestamp) -> Landing? {
        guard let landing = value.land(entry, mark, at: now) else { return nil }
        dropSubstitute()
        return landing
    }

    /// What a cache holds: the value, where there is none yet. Also in the place of an older one, where that is not followed.
    ///
    /// - Parameter isFollowed: whether a feed keeps it up to date.
    mutating func adopt(_ entry: CutEntry, isFollowed: Bool) {
        if value.contents.isEmpty {
            _ = value.adopt(entry)
        } else if takes(entry.entry, isFollowed: isFollowed) {
            value.exchange(entry)
        }
        dropSubstitute()
    }

    /// Whether ``adopt(_:isFollowed:)`` makes `entry` the value.
    func takes(_ entry: Entry, isFollowed: Bool) -> Bool {
        guard !value.contents.isEmpty, let created else { return true }
        return isMerging ? !isFollowed && created < entry.created : created <= entry.created
    }

    /// Why the list is not merged; nil where it is.
    var refusal: String? { value.contents.refusal }

    /// What a load may bring another value for.
    var present: MergedContents { value.contents }

    /// How changes are merged; nil where none are.
    var policy: MergePolicy? { value.policy }

    /// A value that stands in for one.
    mutating func substitute(_ entry: Entry) {
        guard value.contents.isEmpty, substitute?.payload != entry.payload || substitute == nil else { return }
        change(to: entry)
    }

    /// Another value takes its place. Loads that run land nowhere.
    mutating func put(_ entry: CutEntry, at now: Timestamp) {
        value.put(entry, at: now)
        dropSubstitute()
    }

    /// The value was removed. Loads that run land nowhere.
    mutating func void() {
        value.void()
        dropSubstitute()
    }

    /// Lays `overlay` over the value for observers, in the place of what was laid over it; nil for nothing.
    mutating func lay(_ overlay: Overlay?) { self.overlay = overlay }

    /// The detail of what observers see, where that of the value alone is `detail`.
    func detail(over detail: (any ReplyDetail)?) -> (any ReplyDetail)? {
        overlay.map { $0.detail(laid?.shown ?? [], detail) } ?? detail
    }

    /// Lays the overlay over the value as it is now. A change of the value that observers do not see, since it was laid over before, is none
    /// for them.
    mutating func layAgain() {
        guard overlay != nil || laid != nil, laid?.isOf(overlay, revision) != true else { return }
        let before = laid?.contents ?? shownContents
        var (contents, shown) = overlay?.laid(over: value.contents, limit: value.limit) ?? (value.contents, [])
        let shownRevision = before.revision + (contents.hasSameText(as: before) ? 0 : 1)
        laidChanges = Int64(clamping: shownRevision) - Int64(clamping: revision)
        contents = counted(contents)
        laid = overlay.map { LaidContents(contents: contents, shown: shown, overlay: $0.number, revision: revision) }
    }

    /// The value alone, with the revisions that observers count.
    private var shownContents: MergedContents { laidChanges == 0 ? value.contents : counted(value.contents) }

    /// Contents with the revisions that observers count.
    private func counted(_ contents: MergedContents) -> MergedContents {
        var contents = contents
        contents.replaced = UInt64(max(0, Int64(clamping: contents.replaced) + laidChanges))
        contents.revision = shownRevision
        return contents
    }

    /// Merges a change.
    mutating func apply(_ change: Change, at now: Timestamp) -> MergeEffect { value.apply(change, at: now) }

    private mutating func dropSubstitute() {
        if substitute != nil { change(to: nil) }
    }

    private mutating func change(to entry: Entry?) {
        substitute = entry
        substitutions += 1
    }
}
