import Pipeline
public import PipelineConfig
public import PipelineNetwork

extension HedgePolicy: FieldObject {
    /// `a hedge`
    public static var noun: String { "a hedge" }

    /// `after`, `budget` and `at_most`.
    public static let fields = FieldGroup(
        Field(
            "after", default: HedgePolicy.Delay.quantile(0.95),
            "How long to wait before the second request: a time, or `p95`, which is 1.2 × the 95th percentile of the last 200 response times, once there are 20.",
            example: "p95"),
        Field(
            "budget", default: Ratio(HedgePolicy().budget), range: Ratio(0)...Ratio(1),
            "The most second requests, as a share of all requests.",
            example: "5%"),
        Field("at_most", default: Duration?.none, range: Duration.milliseconds(2)..., "An upper bound for `after` when it is a percentile.")
    ) { after, budget, atMost in
        HedgePolicy(after: after, budget: budget.value, atMost: atMost)
    }

    /// `{ after: p95, budget: 0.05 }`
    public var written: String? {
        "{ after: \(after.written ?? ""), budget: \(Ratio(budget).written ?? "")\(atMost.map { ", at_most: \($0.spelling)" } ?? "") }"
    }

    /// The smallest budget that lets every request be followed that takes longer than ``after``; nil if that is not known.
    var neededBudget: Double? {
        if case .quantile(let part) = after { ((1 - part) * 1_000).rounded() / 1_000 } else { nil }
    }
}

extension HedgePolicy.Delay: FieldValue {
    /// A duration, or a percentile.
    public static var fieldType: FieldType { .either([.duration, .word(FieldWord("percentile", matching: "^p(5[0-9]|[6-9][0-9])$"))]) }

    /// `p95`, or a duration.
    public static func decode(_ node: ConfigNode, with decoder: FieldDecoder) -> HedgePolicy.Delay? {
        guard let text = decoder.text(of: node, expecting: "a percentile, as `p95`, or a duration") else { return nil }
        if text.hasPrefix("p") {
            guard text.utf8.count == 3, let percent = Int(text.dropFirst()), 50...99 ~= percent else {
                decoder.report(
                    .malformed, "malformed percentile `\(text.prefix(60))` for `\(decoder.fieldName)`: expected `p50` to `p99`", at: node)
                return nil
            }
            return .quantile(Double(percent) / 100)
        }
        return Duration.decode(node, with: decoder).map { .fixed($0) }
    }

    /// The percentile, or the duration.
    public var written: String? {
        switch self {
        case .quantile(let part): "p\(Int((part * 100).rounded()))"
        case .fixed(let time): time.spelling
        }
    }
}

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

    /// The time that the first request has alone; nil if that is measured.
    public var duration: Duration? {
        if case .fixed(let time) = after { time } else { nil }
    }
}
