import Pipeline
import PipelineConfig
import PipelineNetwork

extension HTTPSettings {
    /// The conflicts between the fields about repeating.
    static func conflicts(
        of method: RequestMethod, _ hedge: HedgePolicy?, retryBudget: Double, isIdempotent: Bool?, resumes: Bool
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
        if let hedge, mayRepeat, retryBudget == 0 || hedge.budget == 0 {
            conflicts.append(
                FieldConflict(
                    .pointlessLimit, of: "hedge",
                    "has no effect: \(hedge.budget == 0 ? "its `budget`" : "`retry_budget`") of 0 allows no second request",
                    help: "remove `hedge`, or allow some"))
        }
        if let hedge, case .fixed(let time) = hedge.after, hedge.atMost != nil {
            conflicts.append(
                FieldConflict(
                    .pointlessLimit, of: "hedge",
                    "has an `at_most` that means nothing: it bounds a percentile, and `after` is \(time.spelling) whatever was measured",
                    help: "remove `at_most`, or give a percentile, as in `after: p95`"))
        }
        if let hedge, let needed = hedge.neededBudget, hedge.budget < needed, mayRepeat, hedge.budget > 0 {
            let after = hedge.after.written ?? ""
            conflicts.append(
                FieldConflict(
                    .smallHedgeBudget, of: "hedge",
                    "has a budget of \(hedge.budget.percent): after `\(after)` about \(needed.percent) of the requests want a second one",
                    help: "write `hedge: { after: \(after), budget: \(needed.percent) }`, or a later `after`"))
        }
        return conflicts
    }

    /// A value in a body whose language is unknown could become a part of its structure.
    static func conflicts(of body: TextTemplate?, _ headers: FieldMap<SecretTemplate>, _ escape: BodyEscaping?) -> [FieldConflict] {
        guard let body, BodyEscaping.of(body, headers, chosen: escape) == nil else { return [] }
        let parameters = body.parameters.sorted().prefix(3).map { "`{\($0)}`" }.joined(separator: ", ")
        return [
            FieldConflict(
                .malformed, of: "body",
                "has \(parameters) in it, and its Content-Type does not say how a value is written there: it is neither JSON, XML, a form nor text",
                help: "add `escape: json`, `escape: xml` or `escape: form`, or `escape: none` where values stand as they are")
        ]
    }

    /// The conflicts of a request for several values, which is the same for each of them but for its URL.
    static func conflicts(
        of batch: HTTPBatch?, _ url: URLTemplate, _ headers: FieldMap<SecretTemplate>, _ query: FieldMap<TextTemplate>,
        _ body: TextTemplate?
    ) -> [FieldConflict] {
        guard let batch, let parameter = batch.parameter else { return [] }
        if url == batch.url {
            return [
                FieldConflict(
                    .malformed, of: "batch", "has the same URL for one value as for several",
                    help: "`url` is for one value, as in `https://api.example.org/users/{\(parameter)}`")
            ]
        }
        var named = headers.map { (field: "headers", parameters: $0.value.parameters) }
        named += query.map { ("query", $0.value.parameters) }
        if let body { named.append(("body", body.parameters)) }
        let single = Set(named.filter { !$0.parameters.isDisjoint(with: [parameter, "key"]) }.map(\.field)).sorted()
        return single.map { field in
            FieldConflict(
                .malformed, of: field, "names one id, and `batch` requests several at once",
                help: "have the id in `url` alone, or remove `batch`")
        }
    }
}
