internal import Pipeline
internal import PipelineConfig

extension PipelineFacts {
    /// The tiers that are asked, their order, and the policies under which they are.
    var asking: [Sentence] {
        sentences(.tiers) + asked.flatMap { sentences(.lastResort, of: $0) } + sentences(.parameters)
            + plan.tiers.flatMap { sentences(.reads, of: $0) } + unreachable + sentences(.format) + [sharing] + sentences(.priority)
            + paces + repetitions
    }

    var order: Sentence {
        let asked = asked.filter { tier in !besideStale.contains { $0.name == tier.name } }
        let grounds = asked.map(ground(of:))
        let names = asked.map(\.quotedWithType)
        let subject = "A fetch of `\(plan.name)`"
        switch names.count {
        case 0:
            return Sentence(
                text: "\(subject) asks nothing: every tier says `read: false`.", grounds: plan.tiers.map { ground(.reads, of: $0) })
        case 1: return Sentence(text: "\(subject) asks \(names[0]) and nothing else.", grounds: grounds)
        default:
            let rest = asked.dropFirst().map { "then \($0.isLastResort ? "as a last resort " : "")\($0.quotedWithType)" }
                .joined(separator: ", ")
            return Sentence(text: "\(subject) asks \(names[0]) first, \(rest), and stops at the first answer.", grounds: grounds)
        }
    }

    func lastResort(_ tier: TierPlan) -> [Sentence] {
        guard tier.isLastResort else { return [] }
        let asking = ifError == nil || askedCaches.isEmpty ? "every other tier has no answer" : "no stale copy may be served either"
        let storing = targets(of: tier).isEmpty ? ", and what it answers is written to no cache" : ""
        return [
            Sentence(
                text: "\(tier.quoted) is a last resort: it is asked only when \(asking)\(storing).",
                grounds: [ground(.lastResort, of: tier)])
        ]
    }

    var parameters: [Sentence] {
        plan.parameters.map { parameter in
            let value = parameter.defaultValue.map { ", which is `\(redactor.redacted($0))` unless it is given" } ?? ", which must be given"
            return Sentence(text: "It takes the parameter `\(parameter.name)`\(value).", grounds: [.place(parameter.range)])
        }
    }

    func unread(_ tier: TierPlan) -> [Sentence] {
        guard !tier.policy.reads else { return [] }
        let isWritten = tier.isCache && tier.policy.writes
        return [
            Sentence(text: "\(tier.quoted) is not asked\(isWritten ? ", only written" : "").", grounds: [ground(.reads, of: tier)])
        ]
    }

    /// The tiers below one that ends every fetch.
    private var unreachable: [Sentence] {
        guard let end else { return [] }
        let isCertain = end.can(.alwaysAnswers)
        let reason = isCertain ? "always answers" : "answers, says that there is no value or, with `on_error: fail`, ends the fetch"
        func sentence(_ tier: TierPlan, is asked: String) -> Sentence {
            Sentence(
                text: "\(tier.quoted) is \(asked): \(end.quoted) above it \(reason).",
                grounds: [isCertain ? ground(of: end) : ground(.onError, of: end), ground(of: tier)])
        }
        let never = plan.tiers.filter { tier in tier.policy.reads && !asked.contains { $0.name == tier.name } }
        return besideStale.map { sentence($0, is: "asked only beside a stale copy") } + never.map { sentence($0, is: "never asked") }
    }

    var format: Sentence {
        let text =
            switch plan.policy.format {
            case .json: "A payload that is not JSON is invalid, and counts as a failure of the tier that gave it."
            case .text: "A payload that is not UTF-8 text is invalid, and counts as a failure of the tier that gave it."
            case .bytes: "A payload may be any bytes."
            }
        return Sentence(text: text, grounds: [ground(.format)])
    }

    private var sharing: Sentence {
        Sentence(text: "Fetches of one key at the same time share one load.", grounds: [.always])
    }
}

extension PipelineFacts {
    /// The pace at which each origin is asked.
    private var paces: [Sentence] {
        askedOrigins.compactMap { tier in
            guard let pace = tier.source.pace, let words = pace.words else { return nil }
            return Sentence(text: "\(tier.quoted) is asked by \(words).", grounds: [pace.range.map(Ground.place) ?? .byDefault])
        }
    }
}

extension PipelineFacts {
    /// The measures against requests that take long, break off or fail, if the file names some.
    private var repetitions: [Sentence] { askedOrigins.flatMap { secondRequests(of: $0) + resumption(of: $0) + budget(of: $0) } }

    private func secondRequests(of tier: TierPlan) -> [Sentence] {
        guard let field = tier.source.written(.secondRequest), let words = field.words else { return [] }
        return [
            Sentence(
                text: "When \(tier.quoted) has not begun to answer \(words); the first good answer counts.", grounds: [.place(field.range)])
        ]
    }

    private func resumption(of tier: TierPlan) -> [Sentence] {
        guard let field = tier.source.written(.resumesLoads), field.text == true.written else { return [] }
        let text =
            "An interrupted download from \(tier.quoted) resumes when the key is requested again, if the server supports it."
        return [Sentence(text: text, grounds: [.place(field.range)])]
    }

    private func budget(of tier: TierPlan) -> [Sentence] {
        guard let field = tier.source.written(.retryBudget) else { return [] }
        let text =
            field.text == Ratio(0).written
            ? "No request to \(tier.quoted) is retried or sent twice: the budget for that is 0."
            : "Retries and second requests to \(tier.quoted) have a budget: 5 in reserve, and \(field.text) more for each request that does "
                + "not fail, up to 5 again."
        return [Sentence(text: text, grounds: [.place(field.range)])]
    }
}

extension PipelineFacts {
    /// The importance of its fetches; nothing if they are like any others.
    var priority: [Sentence] {
        guard plan.policy.priority != PipelinePolicy().priority, !askedOrigins.isEmpty else { return [] }
        let word = PriorityWord(plan.policy.priority).rawValue
        return [
            Sentence(
                text:
                    "Its fetches have the priority `\(word)` unless they set their own: it decides the order in which requests wait for an origin. "
                    + "Refreshes in the background have the priority `background`, until a fetch waits for them.",
                grounds: [ground(.priority)])
        ]
    }

    /// The freshness of copies, and the answers of origins.
    var freshness: [Sentence] {
        asked.flatMap { $0.isCache ? sentences(.ttl, of: $0) + sentences(.jitter, of: $0) : [answer(of: $0)] }
    }

    func copies(in tier: TierPlan) -> [Sentence] {
        let text: String
        if tier.keepsNothing {
            text = "\(tier.quoted) keeps nothing: a ttl of 0s is over at once."
        } else if let limit = tier.policy.ttl {
            let atMost = tier.policy.jitter > 0 ? "at most " : ""
            text =
                "A copy in \(tier.quoted) is fresh for \(atMost)\(Self.words(limit)) after it was written there, and never longer than the "
                + "copy that it was made from."
        } else {
            text = "A copy in \(tier.quoted) is fresh as long as the copy that it was made from: there is no ttl."
        }
        return [Sentence(text: text, grounds: [ground(.ttl, of: tier)])]
    }

    func spread(in tier: TierPlan) -> [Sentence] {
        guard tier.policy.jitter > 0, tier.policy.ttl != nil, !tier.keepsNothing else { return [] }
        let text =
            "Each ttl there is shorter by a random part of up to \(tier.policy.jitter.percent), so that copies do not all expire at once."
        return [Sentence(text: text, grounds: [ground(.jitter, of: tier)])]
    }

    private func answer(of tier: TierPlan) -> Sentence {
        let text =
            tier.can(.alwaysAnswers)
            ? "\(tier.quoted) is an origin that always answers."
            : tier.can(.neverMisses)
                ? "\(tier.quoted) is an origin: it gives a fresh value, says that there is none, or fails."
                : "\(tier.quoted) is an origin: it gives a fresh value, has none, or fails."
        return Sentence(text: text, grounds: [ground(of: tier)])
    }
}
