package import Pipeline

/// The fields that say how many more requests a server takes, and when it takes more again: `limits: { remaining, reset }`.
package struct LimitFields: Sendable, Hashable {
    /// The meaning of the fields of an answer.
    package enum Report: Sendable, Hashable {
        /// The server may be asked.
        case open
        /// The server wants to be left alone for so long.
        case rest(Duration)
        /// The fields cannot be read, for this reason in words for the person who named them. It is told once, and nothing rests.
        case unreadable(String)
    }

    package let remaining: String
    package let reset: String

    package init(remaining: String, reset: String) { (self.remaining, self.reset) = (remaining, reset) }

    /// A number of the second field below this one counts from now: so many seconds are a year.
    private static let year = 31_536_000.0

    /// The meaning of the fields of an answer that came at the wall time `wall`. An answer without the first field says nothing.
    ///
    /// - Parameter date: the moment that a date of HTTP names; nil for any other text.
    package func report(of headers: AnswerHeaders, at wall: Timestamp, date: (String) -> Timestamp?) -> Report {
        guard let left = headers.first(remaining) else { return .open }
        guard let count = WrittenNumber.value(left), count >= 0 else { return unreadable(remaining, left, expected: "a number") }
        guard count < 1 else { return .open }
        guard let text = headers.first(reset) else {
            return .unreadable("`\(remaining.shortened)` is 0, and there is no `\(reset.shortened)`")
        }
        let pause: Duration
        if let number = WrittenNumber.value(text) {
            guard number >= 0 else { return unreadableReset(text) }
            pause = number < Self.year ? .seconds(number) : Timestamp(written: number).duration(since: wall)
        } else if let moment = RFC3339.moment(text) ?? date(text) {
            pause = moment.duration(since: wall)
        } else {
            return unreadableReset(text)
        }
        return pause > .zero ? .rest(min(pause, AnswerRules.longestWait)) : .open
    }

    private func unreadableReset(_ value: String) -> Report { unreadable(reset, value, expected: "seconds or a date") }

    private func unreadable(_ name: String, _ value: String, expected: String) -> Report {
        .unreadable("`\(name.shortened)` is `\(value.shortened)`, expected \(expected)")
    }
}
