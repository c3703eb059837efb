package import Pipeline

/// What observers and fetches see laid over the value of a key, which itself stays as it is.
package struct Overlay: Sendable {
    /// One of the things that are laid over a value, in order.
    package enum Layer: Sendable {
        /// A change of an item of the list. It is not seen where the value has no list, or the item is not there.
        case change(Change)
        /// The value is this one.
        case value([UInt8])
    }

    /// Tells it from what was laid over the key before.
    package let number: UInt64
    /// The layers, the first one the lowest.
    package let layers: [Layer]
    /// The way in which the list is merged; nil if no layer is a change.
    package let policy: MergePolicy?
    /// Makes the detail of the value from the indexes of the layers that are seen, and from the detail of the value alone.
    package let detail: @Sendable (_ shown: [Int], _ under: (any ReplyDetail)?) -> (any ReplyDetail)?

    package init(
        _ layers: [Layer], number: UInt64, policy: MergePolicy?,
        detail: @escaping @Sendable (_ shown: [Int], _ under: (any ReplyDetail)?) -> (any ReplyDetail)?
    ) {
        (self.layers, self.number, self.policy, self.detail) = (layers, number, policy, detail)
    }

    /// The value of a fetch with the layers over it, and the indexes of those that are seen; nil if none is.
    ///
    /// - Parameter limit: the most bytes of the value.
    package func laid(over entry: Entry?, limit: Size, at now: Timestamp) -> (entry: Entry, shown: [Int])? {
        var base = MergedContents()
        base.entry = entry
        let hasValue = layers.contains { if case .value = $0 { true } else { false } }
        if !hasValue, entry?.payload == nil { return nil }
        if let entry { base.list = CutEntry(entry, for: policy).list }
        let (contents, shown) = laid(over: base, limit: limit.bytes)
        guard !shown.isEmpty, var laid = contents.joined() else { return nil }
        if entry == nil { laid.created = now }
        return (laid, shown)
    }

    /// A value with the layers over it, and the indexes of those that are seen.
    func laid(over base: MergedContents, limit: Int) -> (MergedContents, shown: [Int]) {
        var (contents, shown) = (base, [Int]())
        for (index, layer) in layers.enumerated() {
            switch layer {
            case .value(let payload):
                contents.entry = (contents.entry ?? Entry([], created: Timestamp(nanoseconds: 0))).merged
                contents.entry?.payload = payload
                contents.isMerged = false
                contents.list = contents.entry.flatMap { CutEntry($0, for: policy).list }
                shown.append(index)
            case .change(let change):
                switch contents.list?.merge(change, known: nil, limit: limit) {
                case .changed: contents.isMerged = true
                // It changes nothing that is seen.
                case .unchanged: break
                default: continue
                }
                shown.append(index)
            }
        }
        if contents.isMerged, !base.isMerged { contents.entry = contents.entry?.merged }
        return (contents, shown)
    }
}

/// A value with an overlay, as it was made last.
struct LaidContents: Sendable {
    /// The value, with the revisions that observers count.
    let contents: MergedContents
    /// The indexes of the layers that are seen.
    let shown: [Int]
    /// The number of the overlay.
    let overlay: UInt64
    /// The revision of the value below.
    let revision: UInt64

    /// Whether it was made of this overlay and that revision.
    func isOf(_ overlay: Overlay?, _ revision: UInt64) -> Bool { self.overlay == overlay?.number && self.revision == revision }
}

extension MergedContents {
    /// Whether observers see the same bytes in both.
    func hasSameText(as other: MergedContents) -> Bool {
        if let list, let otherList = other.list, list.size != otherList.size { return false }
        return isEmpty == other.isEmpty && isText(other.joined()?.payload)
    }
}
