/// The length of a scalar's text and the beginnings of its lines, in Unicode scalars: what is needed to place any number of its parts.
struct ScalarMeasure {
    /// How many Unicode scalars the text has.
    let count: Int
    /// Where lines begin; empty unless they were asked for.
    private let lineStarts: [Int]

    /// Measures `text`; its lines only for a block, where each is a line of the file.
    init(_ text: String, hasLines: Bool) {
        guard hasLines else {
            count = text.unicodeScalars.count
            lineStarts = []
            return
        }
        var (count, starts) = (0, [0])
        for scalar in text.unicodeScalars {
            count += 1
            if scalar == "\n" { starts.append(count) }
        }
        (self.count, lineStarts) = (count, starts)
    }

    /// The line, from 0, and the Unicode scalars before `offset` in it.
    func position(of offset: Int) -> (line: Int, column: Int) {
        let offset = min(offset, count)
        var (low, high) = (0, lineStarts.count)
        while low < high {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? (low - 1, offset - lineStarts[low - 1]) : (0, offset)
    }
}
