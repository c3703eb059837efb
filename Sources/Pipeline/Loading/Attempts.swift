/// The attempts of one fetch, in order.
public struct Attempts: Sendable, RandomAccessCollection {
    private var list: [Attempt] = []

    /// No attempts.
    public init() {}

    init(_ attempt: Attempt) {
        list = [attempt]
    }

    /// Always 0.
    public var startIndex: Int { 0 }
    /// How many there are.
    public var endIndex: Int { list.count }

    /// The attempt at `position`, in the order of asking.
    public subscript(position: Int) -> Attempt { list[position] }

    mutating func append(_ attempt: Attempt) {
        list.append(attempt)
    }

    static func + (left: Attempts, right: Attempts) -> Attempts {
        var sum = left
        sum.list += right.list
        return sum
    }
}
