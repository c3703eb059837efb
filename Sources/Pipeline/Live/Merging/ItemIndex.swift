/// In which chunks of a list the elements with an id stand.
///
/// It is divided, so that a change after the list was copied copies a small part.
struct ItemIndex: Sendable {
    private static let fullPart = 48

    private var parts: [[ItemID: Int]] = [[:]]
    // All chunks of an id that stands in the list more than once.
    private var repeated: [ItemID: [Int]] = [:]
    private var count = 0

    /// Whether an id stands in the list more than once.
    var hasRepeated: Bool { !repeated.isEmpty }

    /// The chunk of the first element with `id`, or of one of them.
    @inline(__always)
    subscript(id: ItemID) -> Int? { parts[part(of: id)][id] }

    /// All chunks with an element with `id`, each once.
    func chunks(of id: ItemID) -> Set<Int> {
        if !repeated.isEmpty, let chunks = repeated[id] { return Set(chunks) }
        return self[id].map { [$0] } ?? []
    }

    mutating func add(_ id: ItemID, chunk: Int) {
        if let other = self[id] {
            repeated[id, default: [other]].append(chunk)
        } else {
            if count >= parts.count * Self.fullPart { grow() }
            count += 1
            parts[part(of: id)][id] = chunk
        }
    }

    mutating func remove(_ id: ItemID, chunk: Int) {
        guard var chunks = repeated[id], let position = chunks.firstIndex(of: chunk) else {
            if parts[part(of: id)].removeValue(forKey: id) != nil { count -= 1 }
            return
        }
        chunks.remove(at: position)
        repeated[id] = chunks.count > 1 ? chunks : nil
        parts[part(of: id)][id] = chunks.first
    }

    private func part(of id: ItemID) -> Int { id.hash & (parts.count - 1) }

    private mutating func grow() {
        let old = parts
        parts = Array(repeating: [:], count: old.count * 4)
        for (id, chunk) in old.joined() { parts[part(of: id)][id] = chunk }
    }
}
