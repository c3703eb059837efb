extension [Attempt] {
    /// The attempts as those of a fetch that joined the load when that had run for `duration`.
    func joined(after duration: Duration) -> [Attempt] {
        guard let index = lastIndex(where: { $0.outcome != .skipped }) else { return self }
        let words = duration < .milliseconds(1) ? "joined a load that had just begun" : "joined a load of \(duration.inTenths) ago"
        var attempts = self
        attempts[index].add(reason: words)
        return attempts
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
