/// Finds what somebody who mistyped a name most likely meant.
package enum NearestName {
    /// The known name with the fewest edits to `name`, or nil when none is near.
    static func find(_ name: String, among known: some Sequence<String>) -> String? {
        let limit = max(1, min(name.count, 12) / 3)
        let candidates = known.compactMap { candidate -> (name: String, distance: Int)? in
            guard abs(candidate.count - name.count) <= limit else { return nil }
            let distance = editDistance(Array(name.lowercased()), Array(candidate.lowercased()))
            return distance <= limit ? (candidate, distance) : nil
        }
        return candidates.min { ($0.distance, $0.name) < ($1.distance, $1.name) }?.name
    }

    /// Help for an unknown name: the nearest known one, else the list of them.
    package static func help(for name: String, among known: some Collection<String>, noun: String) -> String? {
        if let nearest = find(name, among: known) { return "did you mean `\(nearest)`?" }
        guard !known.isEmpty else { return nil }
        let shown = known.sorted().prefix(20).map { "`\($0)`" }.joined(separator: ", ")
        return "known \(noun): \(shown)\(known.count > 20 ? ", …" : "")"
    }

    /// Edits between two names, a swap of neighbours counting as one (optimal string alignment).
    private static func editDistance(_ left: [Character], _ right: [Character]) -> Int {
        guard !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
        var beforeLast = [Int](repeating: 0, count: right.count + 1)
        var last = Array(0...right.count)
        for i in 1...left.count {
            var row = [i] + [Int](repeating: 0, count: right.count)
            for j in 1...right.count {
                let cost = left[i - 1] == right[j - 1] ? 0 : 1
                row[j] = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + cost)
                if i > 1, j > 1, left[i - 1] == right[j - 2], left[i - 2] == right[j - 1] {
                    row[j] = min(row[j], beforeLast[j - 2] + 1)
                }
            }
            (beforeLast, last) = (last, row)
        }
        return last[right.count]
    }
}
