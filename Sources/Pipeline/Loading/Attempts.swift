/// The attempts of one fetch, in order. A single one, as a hit in memory has, takes no allocation.
public struct Attempts: Sendable, RandomAccessCollection {
    private var first: Attempt?
    private var rest: [Attempt] = []

    /// No attempts.
    public init() {}

    init(_ attempt: Attempt) {
        first = attempt
    }

    /// Always 0.
    public var startIndex: Int { 0 }
    /// How many there are.
    public var endIndex: Int { (first == nil ? 0 : 1) + rest.count }

    /// The attempt at `position`, in the order of asking.
    public subscript(position: Int) -> Attempt {
        if position == 0, let first { return first }
        return rest[position - 1]
    }

    mutating func append(_ attempt: Attempt) {
        if first == nil {
            first = attempt
        } else {
            rest.append(attempt)
        }
    }

    static func + (left: Attempts, right: Attempts) -> Attempts {
        var sum = left
        for attempt in right { sum.append(attempt) }
        return sum
    }
}
