/// How many Unicode scalars of a UTF-8 text begin before some of its bytes, so that a place is found without a walk from the beginning
/// of its line: a file may be one line, with very many places in it.
struct ScalarCounts: Sendable {
    /// The bytes between two counts, and the most that a search walks over: the counts take a 32nd of the memory of the text.
    static let step = 256

    /// The scalars that begin before each byte with a number that is a multiple of ``step``.
    private let counts: [Int]

    init(_ text: UnsafeBufferPointer<UInt8>) {
        var counts: [Int] = []
        counts.reserveCapacity(text.count / Self.step + 1)
        var count = 0
        for start in stride(from: 0, through: text.count, by: Self.step) {
            counts.append(count)
            for index in start..<min(start + Self.step, text.count) where Self.beginsScalar(text[index]) { count += 1 }
        }
        self.counts = counts
    }

    /// How many scalars of `text` begin before the byte at `offset`.
    func count(before offset: Int, in text: [UInt8]) -> Int {
        let sample = offset / Self.step
        var count = counts[sample]
        for index in (sample * Self.step)..<offset where Self.beginsScalar(text[index]) { count += 1 }
        return count
    }

    /// The offset of the byte within `bytes` of `text` that has `count` scalars between it and their beginning; nil where there are fewer.
    func offset(ofScalar count: Int, within bytes: Range<Int>, of text: [UInt8]) -> Int? {
        var (index, left) = (bytes.lowerBound, count)
        if count > Self.step {
            let wanted = self.count(before: bytes.lowerBound, in: text) + count
            let sample = lastSample(notAfter: wanted)
            if sample * Self.step > index { (index, left) = (sample * Self.step, wanted - counts[sample]) }
        }
        while index < bytes.upperBound {
            if Self.beginsScalar(text[index]) {
                guard left > 0 else { return index }
                left -= 1
            }
            index += 1
        }
        return left == 0 ? bytes.upperBound : nil
    }

    private func lastSample(notAfter count: Int) -> Int {
        var (low, high) = (0, counts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if counts[middle] <= count { low = middle } else { high = middle }
        }
        return low
    }

    private static func beginsScalar(_ byte: UInt8) -> Bool { byte & 0xC0 != 0x80 }
}
