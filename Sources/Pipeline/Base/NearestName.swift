/// The known name that a mistyped one most likely means.
package struct NearestName {
    /// Longer names are not compared, nor more of them: an error in a hostile file must not take long to explain.
    private static let longestName = 64
    package static let mostNames = 1_000
    /// In one configuration no more names are compared than these.
    package static let mostComparisons = 200_000
    /// Nothing is near: for a name that is not compared.
    package static let none = NearestName(name: nil, certain: nil)

    /// The known name with the fewest edits to it; nil when none is near.
    package let name: String?
    /// The nearest name if no other known one is as near: the one that must have been meant.
    package let certain: String?

    private init(name: String?, certain: String?) {
        self.name = name
        self.certain = certain
    }

    /// Looks for `name` among the names in `known`.
    package init(to name: String, among known: some Collection<String>) {
        let nearest = Self.nearest(to: name, among: known)
        self.name = nearest.min()
        // What is not compared might be nearer.
        let isCertain = nearest.count == 1 && known.count <= Self.mostNames && known.allSatisfy { $0.utf8.count <= Self.longestName }
        certain = isCertain ? self.name : nil
    }

    /// The known name with the fewest edits to `name`; nil when none is near.
    package static func find(_ name: String, among known: some Collection<String>) -> String? {
        NearestName(to: name, among: known).name
    }

    /// The known names with the fewest edits to `name`; none when none is near.
    private static func nearest(to name: String, among known: some Sequence<String>) -> Set<String> {
        guard name.utf8.count <= longestName else { return [] }
        let limit = name.count < 2 ? 0 : max(1, min(name.count, 12) / 3)
        let written = Array(name.lowercased().unicodeScalars)
        var best: (names: Set<String>, distance: Int) = ([], .max)
        for candidate in known.prefix(mostNames) {
            // No scalar has more than four bytes.
            guard candidate.utf8.count <= longestName, abs(candidate.utf8.count - name.utf8.count) <= 4 * max(1, limit),
                // Unicode may call names the same that differ in their bytes.
                let distance = candidate == name ? 0 : editDistance(written, Array(candidate.lowercased().unicodeScalars), atMost: limit),
                !hasOtherWord(name, candidate)
            else { continue }
            if distance < best.distance {
                best = ([candidate], distance)
            } else if distance == best.distance {
                best.names.insert(candidate)
            }
        }
        return best.names
    }

    /// Indicates whether a word of `name` is another one in `candidate`: `max_items` is not `max_bytes` with three slips.
    private static func hasOtherWord(_ name: String, _ candidate: String) -> Bool {
        let (words, others) = (name.lowercased().split(separator: "_"), candidate.lowercased().split(separator: "_"))
        guard words.count > 1, words.count == others.count else { return false }
        return zip(words, others).contains { word, other in
            let limit = max(1, min(word.count, other.count) / 3)
            return word != other && editDistance(Array(word.unicodeScalars), Array(other.unicodeScalars), atMost: limit) == nil
        }
    }

    /// Help for an unknown name: the nearest known one, else the list of them.
    package static func help(for name: String, among known: some Collection<String>, noun: String) -> String? {
        NearestName(to: name, among: known).help(among: known, noun: noun)
    }

    /// Help for the name: the nearest of `known`, else the list of them.
    package func help(among known: some Collection<String>, noun: String) -> String? {
        if let name { return "did you mean `\(name.shortened)`?" }
        guard !known.isEmpty else { return nil }
        let shown = Self.first(Self.mostShown, of: known.prefix(Self.mostNames)).map { "`\($0.shortened)`" }.joined(separator: ", ")
        return "known \(noun): \(shown)\(known.count > Self.mostShown ? ", …" : "")"
    }

    private static let mostShown = 20

    /// The first `count` of `names` in their order. To sort all of them for each unknown name would take long.
    private static func first(_ count: Int, of names: some Sequence<String>) -> [String] {
        var first: [String] = []
        for name in names where first.count < count || name < first[count - 1] {
            first.insert(name, at: first.firstIndex { name < $0 } ?? first.endIndex)
            if first.count > count { first.removeLast() }
        }
        return first
    }

    /// Edits between two names, a swap of neighbours counting as one (optimal string alignment); nil for more than `limit`.
    private static func editDistance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar], atMost limit: Int) -> Int? {
        guard abs(left.count - right.count) <= limit else { return nil }
        guard !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
        var beforeLast = [Int](repeating: 0, count: right.count + 1)
        var last = Array(0...right.count)
        var row = last
        for i in 1...left.count {
            // What is further from the diagonal takes more edits than the limit.
            let (first, end) = (max(1, i - limit), min(right.count, i + limit))
            guard first <= end else { return nil }
            row[first - 1] = first == 1 ? i : limit + 1
            if end < right.count { row[end + 1] = limit + 1 }
            for j in first...end {
                let cost = left[i - 1] == right[j - 1] ? 0 : 1
                row[j] = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + cost)
                if i > 1, j > 1, left[i - 1] == right[j - 2], left[i - 2] == right[j - 1] {
                    row[j] = min(row[j], beforeLast[j - 2] + 1)
                }
            }
            // Two rows above the limit never come back below it.
            guard row[(first - 1)...end].contains(where: { $0 <= limit }) || last[(first - 1)...end].contains(where: { $0 <= limit })
            else { return nil }
            (beforeLast, last, row) = (last, row, beforeLast)
        }
        return last[right.count] <= limit ? last[right.count] : nil
    }
}
