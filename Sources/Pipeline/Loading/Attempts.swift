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

    /// The attempts as those of a fetch that joined the load when that had run for `duration`.
    func joined(after duration: Duration) -> Attempts {
        guard let index = list.lastIndex(where: { $0.outcome != .skipped }) else { return self }
        let words = duration < .milliseconds(1) ? "joined a load that had just begun" : "joined a load of \(duration.inTenths) ago"
        var attempts = self
        attempts.list[index] = list[index].adding(reason: words)
        return attempts
    }
}

extension Attempt {
    /// The same with another reason beside its own.
    fileprivate func adding(reason more: String) -> Attempt {
        let reasons = [reason, more].compactMap(\.self).joined(separator: ", ")
        var attempt = Attempt(source, outcome, duration: duration, reason: reasons, detail: detail, error: error, tries: tries)
        attempt.call = call
        return attempt
    }
}

extension Duration {
    /// The duration as people say it: `1.2s`, to the tenth of a second below a minute.
    fileprivate var inTenths: String {
        guard self >= .seconds(1), self < .seconds(60) else { return rounded }
        let tenths = saturatedNanoseconds / 100_000_000
        return "\(tenths / 10)" + (tenths % 10 == 0 ? "" : ".\(tenths % 10)") + "s"
    }
}
