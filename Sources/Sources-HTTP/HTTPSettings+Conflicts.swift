import Pipeline
import PipelineConfig
import PipelineNetwork

extension HTTPSettings {
    /// What the fields about repeating say against each other.
    static func conflicts(
        of method: RequestMethod, _ hedge: HedgePolicy?, isIdempotent: Bool?, resumes: Bool
    ) -> [FieldConflict] {
        let mayRepeat = isIdempotent ?? method.isRepeatable
        var conflicts: [FieldConflict] = []
        let reason = isIdempotent == false ? "`idempotent: false` forbids it" : "`\(method.rawValue)` may do something twice"
        if hedge != nil, !mayRepeat {
            conflicts.append(
                FieldConflict(
                    .unrepeatableMethod, of: "hedge", "would send a request twice: \(reason)",
                    help: "remove `hedge`, or say `idempotent: true` where asking twice is the same as asking once"))
        }
        if resumes, !mayRepeat || method != .get {
            conflicts.append(
                FieldConflict(
                    .unrepeatableMethod, of: "resume",
                    mayRepeat ? "has no effect: only the response to a `GET` has parts" : "would send a request twice: \(reason)",
                    help: "remove `resume`"))
        }
        if let hedge, let needed = hedge.neededBudget, hedge.budget < needed, mayRepeat {
            let after = hedge.after.written ?? ""
            conflicts.append(
                FieldConflict(
                    .smallHedgeBudget, of: "hedge",
                    "has a budget of \(Self.percent(hedge.budget)): after `\(after)` about \(Self.percent(needed)) of the requests want a second one",
                    help: "write `hedge: { after: \(after), budget: \(Self.percent(needed)) }`, or a later `after`"))
        }
        return conflicts
    }

    private static func percent(_ ratio: Ratio) -> String {
        let percent = (ratio.value * 1_000).rounded() / 10
        return percent == percent.rounded() ? "\(Int(percent))%" : "\(percent)%"
    }
}
