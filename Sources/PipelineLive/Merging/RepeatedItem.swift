import Pipeline
internal import PipelineJSON

/// What the elements are that share an id: one for all of them, so that a change costs no more for many.
struct RepeatedItem: Sendable {
    let mark: ItemMark
    /// The bytes of the first one, or of all of them once ``isShared``.
    private(set) var value: ArraySlice<UInt8>
    /// Whether a change gave all of them the same bytes.
    private(set) var isShared = false
    private(set) var count = 0
    /// How many bytes they have, and how many with what stands before each.
    private(set) var valueBytes = 0
    private(set) var unitBytes = 0
    /// Whether all have the bytes of the first one.
    private(set) var isUniform = true
    /// What the first one is sorted by, and whether it is the same for all.
    let key: ItemVersion?
    private(set) var hasOneKey = true
    /// The latest versions of each kind, and whether one has none.
    private(set) var versions: [ItemVersion] = []
    private(set) var lacksVersion = false

    /// None yet, the first of which has these bytes, and is sorted by `key`.
    init(_ mark: ItemMark, _ value: ArraySlice<UInt8>, key: ItemVersion?) { (self.mark, self.value, self.key) = (mark, value, key) }

    /// One more.
    mutating func add(_ element: ArraySlice<UInt8>, unitBytes: Int, _ version: ItemVersion?, hasKeyOfFirst: Bool) {
        count += 1
        valueBytes += element.count
        self.unitBytes += unitBytes
        if isUniform, element != value { isUniform = false }
        if !hasKeyOfFirst { hasOneKey = false }
        guard let version else {
            lacksVersion = true
            return
        }
        guard let same = versions.firstIndex(where: { version.isLater(than: $0) != nil }) else { return versions.append(version) }
        if version.isLater(than: versions[same]) ?? false { versions[same] = version }
    }

    /// All get these bytes, which are sorted by the same.
    mutating func share(_ bytes: [UInt8], _ version: ItemVersion?) {
        unitBytes += count * bytes.count - valueBytes
        valueBytes = count * bytes.count
        value = bytes[...]
        (isShared, isUniform, hasOneKey) = (true, true, true)
        (versions, lacksVersion) = (version.map { [$0] } ?? [], version == nil)
    }

    /// They are gone: nothing of them is kept but their marks.
    mutating func clear() { self = RepeatedItem(mark, [], key: nil) }
}
