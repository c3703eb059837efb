internal import PipelineJSON

/// The names of the members of many objects, each with a number and with the text before its values. Both are bounded: who sends a text could
/// give each value a name of its own.
struct NameTable {
    typealias Problem = AnswerFormat.Problem

    private static let most = 100_000
    private static let mostBytes = 16 << 20

    /// The text after a name in its label: the rest of it, and how its values begin.
    private let ending: StaticString
    /// The labels, one after another: `,"name":`, and how its values begin.
    private var labels: [UInt8] = []
    /// Where each label ends.
    private var ends: [Int] = []
    /// The number of the name that came after each name, the last time.
    private var following: [Int32] = []
    /// The number of the name that was asked for last.
    private var last = 0
    /// A number or ``none`` for each slot of a hash; at most half of them are taken.
    private var slots = [Int32](repeating: Self.none, count: 64)

    private static let none = Int32(-1)

    init(ending: StaticString) { self.ending = ending }

    /// The number of names.
    var count: Int { ends.count }

    /// The number of `name`, which is as it stands between quotes: from 0, in the order in which they come. Throws where there are too many.
    mutating func number(of name: UnsafeBufferPointer<UInt8>) throws(Problem) -> Int {
        // Most objects are like one before.
        if !ends.isEmpty, isName(Int(following[last]), name) {
            last = Int(following[last])
            return last
        }
        let number = try numberInTable(of: name)
        following[last] = Int32(number)
        last = number
        return number
    }

    /// Indicates whether `name` has this number.
    func isName(_ number: Int, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
        labels.withUnsafeBufferPointer { UnsafeBufferPointer(rebasing: $0[range(ofName: number)]).hasSameBytes(as: name) }
    }

    /// The text before the values of this name, with the comma that the first member of an object lacks.
    func label(_ number: Int) -> ArraySlice<UInt8> { labels[start(ofLabel: number)..<ends[number]] }

    private func start(ofLabel number: Int) -> Int { number == 0 ? 0 : ends[number - 1] }

    private func range(ofName number: Int) -> Range<Int> { (start(ofLabel: number) + 2)..<(ends[number] - ending.utf8CodeUnitCount) }

    private mutating func numberInTable(of name: UnsafeBufferPointer<UInt8>) throws(Problem) -> Int {
        let slot = slot(of: name)
        if slots[slot] != Self.none { return Int(slots[slot]) }
        if count == Self.most { throw Problem("more than \(Self.most) different names") }
        if labels.count + name.count > Self.mostBytes { throw Problem("names of more than \(Self.mostBytes) bytes") }
        slots[slot] = Int32(count)
        labels += ",\"".utf8
        labels.append(contentsOf: name)
        labels.append(contentsOf: UnsafeBufferPointer(start: ending.utf8Start, count: ending.utf8CodeUnitCount))
        ends.append(labels.count)
        following.append(0)
        if 2 * count > slots.count { enlarge() }
        return count - 1
    }

    /// The slot that has `name`, or is free for it.
    private func slot(of name: UnsafeBufferPointer<UInt8>) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(name))
        var slot = hasher.finalize() & (slots.count - 1)
        while slots[slot] != Self.none, !isName(Int(slots[slot]), name) { slot = (slot + 1) & (slots.count - 1) }
        return slot
    }

    private mutating func enlarge() {
        slots = [Int32](repeating: Self.none, count: 4 * slots.count)
        labels.withUnsafeBufferPointer { labels in
            for number in ends.indices {
                slots[slot(of: UnsafeBufferPointer(rebasing: labels[range(ofName: number)]))] = Int32(number)
            }
        }
    }
}
