import Pipeline
import PipelineConfig
public import PipelineNetwork

extension HedgePolicy {
    /// `after 300ms, a second request is sent, for at most 5% more requests`
    public var explanation: String? {
        let time =
            switch after {
            case .quantile(let part):
                "1.2 times the \(Self.ordinal(Int((part * 100).rounded()))) percentile of the last 200 times"
                    + (atMost.map { " (at most \($0.spelling))" } ?? "")
            case .fixed(let time): time.spelling
            }
        return "after \(time), a second request is sent, for at most \(budget.percent) more requests"
    }

    private static func ordinal(_ number: Int) -> String {
        switch number % 10 {
        case 1: "\(number)st"
        case 2: "\(number)nd"
        case 3: "\(number)rd"
        default: "\(number)th"
        }
    }

    /// What the first request has alone; nil where that is measured.
    public var duration: Duration? {
        if case .fixed(let time) = after { time } else { nil }
    }
}
