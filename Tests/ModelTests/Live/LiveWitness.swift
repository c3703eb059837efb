import Pipeline
import PipelineLive

/// What an observer has seen, and what it must not see after that.
struct LiveWitness {
    let hasVersions: Bool
    private(set) var last: Snapshot?
    /// What the changes made of the list.
    private var mirror: [(id: String, bytes: [UInt8])] = []
    /// With versions, the last one of each id that was seen, and whether it was gone since.
    private var versions: [Int: (last: Int, isGone: Bool)] = [:]
    /// The number of the list that was seen last.
    private var number = 0

    init(hasVersions: Bool) { self.hasVersions = hasVersions }

    /// The value is put or removed: an older one may follow.
    mutating func forget() {
        (versions, number) = ([:], 0)
    }

    /// Sees the next snapshot. Returns what is wrong with it.
    ///
    /// - Parameters:
    ///   - isSettled: whether no put and no removal is under way.
    ///   - deletions: what the pipeline knows to be deleted.
    mutating func see(_ snapshot: Snapshot, isSettled: Bool, deletions: [Int: [LiveServer.Deletion]]) -> String? {
        defer { last = snapshot }
        if let last, last.revision == snapshot.revision, last.status == snapshot.status {
            return "two equal neighbors \(snapshot.revision)"
        }
        let list = LiveList(snapshot.entry)
        if let problem = follow(snapshot.changes, to: list) { return problem }
        guard let list, isSettled else { return nil }
        if list.number < number { return "list \(list.number) came after \(number)" }
        number = list.number
        return hasVersions ? compare(list) ?? check(list, deletions, snapshot.revision) : nil
    }

    /// Does what the changes say, and compares what comes of it.
    private mutating func follow(_ changes: ListChanges, to list: LiveList?) -> String? {
        let elements = (list?.elements ?? []).map { (id: "\($0.id)", bytes: $0.bytes) }
        if changes.isReset { mirror = elements }
        for change in changes.changes {
            switch change.operation {
            case .delete: mirror.removeAll { $0.id == change.id }
            case .update: mirror = mirror.map { $0.id == change.id ? ($0.id, change.item ?? []) : $0 }
            case .insert(let place):
                guard place <= mirror.count else { return "an insert at \(place) of \(mirror.count)" }
                mirror.insert((change.id, change.item ?? []), at: place)
            }
        }
        guard !mirror.elementsEqual(elements, by: { $0.id == $1.id && $0.bytes == $1.bytes }) else { return nil }
        return
            "the changes lead to \(mirror.map { String(decoding: $0.bytes, as: UTF8.self) }), the value is \(list?.description ?? "none")"
    }

    /// No item steps back, and none comes again that was gone.
    private mutating func compare(_ list: LiveList) -> String? {
        let present = Set(list.elements.map(\.id))
        for id in versions.keys where !present.contains(id) { versions[id]?.isGone = true }
        for element in list.elements {
            if let (last, isGone) = versions[element.id], isGone ? element.version <= last : element.version < last {
                return "\(element.id) was version \(last)\(isGone ? ", and gone" : ""), and is \(element.version) again, in \(list)"
            }
            versions[element.id] = (element.version, false)
        }
        return nil
    }

    /// No item is older than a delete that the pipeline knows.
    private func check(_ list: LiveList, _ deletions: [Int: [LiveServer.Deletion]], _ revision: UInt64) -> String? {
        for element in list.elements {
            let known = deletions[element.id] ?? []
            guard let delete = known.first(where: { $0.version > element.version && $0.revision <= revision }) else { continue }
            return "\(element.id) is version \(element.version), and was deleted with \(delete.version), in \(list)"
        }
        return nil
    }
}
