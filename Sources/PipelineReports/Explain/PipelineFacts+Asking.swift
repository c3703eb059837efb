internal import Pipeline
internal import PipelineConfig

extension PipelineFacts {
    /// What is asked, in which order, for what.
    var asking: [Sentence] {
        [order] + lastResorts + parameters + unread + unreachable + [format, sharing] + priority + paces + repetitions
    }

    private var order: Sentence {
        let grounds = asked.map(ground(of:))
        let names = asked.map(\.quotedWithType)
        let subject = "A fetch of `\(plan.name)`"
        switch names.count {
        case 0:
            return Sentence(
                text: "\(subject) asks nothing: every tier says `read: false`.", grounds: plan.tiers.map { ground("read", of: $0) })
        case 1: return Sentence(text: "\(subject) asks \(names[0]) and nothing else.", grounds: grounds)
        default:
            let rest = asked.dropFirst().map { "then \($0.isLastResort ? "as a last resort " : "")\($0.quotedWithType)" }
                .joined(separator: ", ")
            return Sentence(text: "\(subject) asks \(names[0]) first, \(rest), and stops at the first answer.", grounds: grounds)
        }
    }

    private var lastResorts: [Sentence] {
        asked.filter(\.isLastResort).map { tier in
            let asking = ifError == nil || askedCaches.isEmpty ? "every other tier has no answer" : "no stale copy may be served either"
            let storing = targets(of: tier).isEmpty ? ", and what it answers is written to no cache" : ""
            return Sentence(
                text: "\(tier.quoted) is a last resort: it is asked only when \(asking)\(storing).",
                grounds: [ground("last_resort", of: tier)])
        }
    }

    private var parameters: [Sentence] {
        plan.parameters.map { parameter in
            let value = parameter.defaultValue.map { ", which is `\(redactor.redacted($0))` unless it is given" } ?? ", which must be given"
            return Sentence(text: "It takes the parameter `\(parameter.name)`\(value).", grounds: [.place(parameter.range)])
        }
    }

    private var unread: [Sentence] {
        plan.tiers.filter { !$0.policy.reads }.map { tier in
            let isWritten = tier.isCache && tier.policy.writes
            return Sentence(text: "\(tier.quoted) is not asked\(isWritten ? ", only written" : "").", grounds: [ground("read", of: tier)])
        }
    }

    private var unreachable: [Sentence] {
        guard let last = asked.last, last.endsEveryFetch else { return [] }
        let isCertain = last.can(.alwaysAnswers)
        let reason = isCertain ? "always answers" : "answers, says that there is no value or, with `on_error: fail`, ends the fetch"
        return plan.tiers.filter { tier in tier.policy.reads && !asked.contains { $0.name == tier.name } }.map { tier in
            Sentence(
                text: "\(tier.quoted) is never asked: \(last.quoted) above it \(reason).",
                grounds: [isCertain ? ground(of: last) : ground("on_error", of: last), ground(of: tier)])
        }
    }

    private var format: Sentence {
        let text =
            switch plan.policy.format {
            case .json: "A payload that is not JSON is invalid, and counts as a failure of the tier that gave it."
            case .text: "A payload that is not UTF-8 text is invalid, and counts as a failure of the tier that gave it."
            case .bytes: "A payload may be any bytes."
            }
        return Sentence(text: text, grounds: [ground("format")])
    }

    private var sharing: Sentence {
        Sentence(text: "Fetches of one key at the same time share one load.", grounds: [.always])
    }
}

extension PipelineFacts {
    /// How often each origin is asked.
    private var paces: [Sentence] {
        askedOrigins.compactMap { tier in
            guard let pace = tier.source.pace, let words = pace.words else { return nil }
            return Sentence(text: "\(tier.quoted) is asked by \(words).", grounds: [pace.range.map(Ground.place) ?? .byDefault])
        }
    }
}

extension PipelineFacts {
    /// What is done about requests that take long, break off or fail, where the file says so.
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
    /// How important its fetches are; nothing where they are like any others.
    private var priority: [Sentence] {
        guard plan.policy.priority != PipelinePolicy().priority, !askedOrigins.isEmpty else { return [] }
        let word = PriorityWord(plan.policy.priority).rawValue
        return [
            Sentence(
                text:
                    "Its fetches have the priority `\(word)` unless they set their own: it decides the order in which requests wait for an origin. "
                    + "Refreshes in the background have the priority `background`, until a fetch waits for them.",
                grounds: [ground("priority")])
        ]
    }

    /// When a copy is fresh, and what an origin says.
    var freshness: [Sentence] { asked.flatMap { $0.isCache ? copies(in: $0) : [answer(of: $0)] } }

    private func copies(in tier: TierPlan) -> [Sentence] {
        guard !tier.keepsNothing else {
            return [Sentence(text: "\(tier.quoted) keeps nothing: a ttl of 0s is over at once.", grounds: [ground("ttl", of: tier)])]
        }
        var sentences: [Sentence] = []
        if let limit = tier.policy.ttl {
            let atMost = tier.policy.jitter > 0 ? "at most " : ""
            sentences.append(
                Sentence(
                    text:
                        "A copy in \(tier.quoted) is fresh for \(atMost)\(Self.words(limit)) after it was written there, and never longer than the "
                        + "copy that it was made from.", grounds: [ground("ttl", of: tier)]))
        } else {
            sentences.append(
                Sentence(
                    text: "A copy in \(tier.quoted) is fresh as long as the copy that it was made from: there is no ttl.",
                    grounds: [ground("ttl", of: tier)]))
        }
        if tier.policy.jitter > 0, tier.policy.ttl != nil {
            sentences.append(
                Sentence(
                    text:
                        "Each ttl there is shorter by a random part of up to \(tier.policy.jitter.percent), so that copies do not all expire at once.",
                    grounds: [ground("jitter", of: tier)]))
        }
        return sentences
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
