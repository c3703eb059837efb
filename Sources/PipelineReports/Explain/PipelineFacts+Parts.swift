internal import Pipeline
import PipelineComposing
internal import PipelineConfig

/// The sentences about a value that is made from others, and about the targets of its references.
extension PipelineFacts {
    /// The parts by the words that sentences use, and what each waits for.
    private var parts: [(words: String, part: PartConfig, needs: [String])] {
        guard let combine = plan.combine else { return [] }
        return zip(combine.spec.partWords, combine.parts).map { words, part in
            (words, part, Set(part.spec.arguments.values.compactMap(\.neededPart)).sorted())
        }
    }

    /// The parts of the composite, and those that are asked at the same time.
    var combining: [Sentence] {
        guard let combine = plan.combine, !parts.isEmpty else { return [] }
        let names = Self.listed(parts.map(\.words))
        let whole =
            switch combine.spec.shape {
            case .object: "`combine` makes an object with the \(parts.count == 1 ? "member" : "members") \(names)"
            case .merge: "`combine` merges \(names)"
            case .join:
                "`combine` joins to each element of \(parts[0].words) the one of \(parts[1].words) that belongs to it"
            case .of: "`combine` gives the value of \(names)"
            }
        let first = parts.filter(\.needs.isEmpty)
        let asking =
            parts.count == 1
            ? ""
            : first.count < 2
                ? ""
                : first.count == parts.count
                    ? ", all asked at the same time" : "; \(Self.listed(first.map(\.words))) are asked at the same time"
        let later = parts.filter { !$0.needs.isEmpty }.map { part in
            Sentence(
                text:
                    "\(part.words) is asked after \(Self.listed(part.needs.map { "`\($0)`" })), from which it takes arguments.",
                grounds: [.place(part.part.range)])
        }
        return [Sentence(text: whole + asking + ".", grounds: [.place(combine.range)])] + later + follows + batches
    }

    private var follows: [Sentence] {
        parts.filter { !$0.part.spec.follow.isEmpty }.map { part in
            let paths = Self.listed(part.part.spec.follow.map { "`\($0)`" })
            return Sentence(
                text:
                    "In \(part.words) the \(part.part.spec.follow.count == 1 ? "link \(paths) is" : "links \(paths) are") followed: each id is loaded once, and placed wherever it stands.",
                grounds: [.place(part.part.range)])
        }
    }

    /// The origins that take many ids in one call.
    private var batches: [Sentence] {
        askedOrigins.compactMap { tier in
            tier.source.batch.map { batch in
                Sentence(
                    text: "\(tier.quoted) takes many ids in one call\(batch.words.map { ": \($0)" } ?? "").", grounds: [.place(batch.range)]
                )
            }
        }
    }

    /// The references in the value.
    var linking: [Sentence] {
        (plan.combine == nil ? batches : [])
            + plan.links.map { link in
                let without =
                    link.spec.defaultValue != nil
                    ? ", with its default where there is none" : link.spec.isOptional ? ", and is left out where that fails" : ""
                return Sentence(
                    text:
                        "The link `\(link.spec.name)` leads from `\(link.spec.place)` to `\(link.spec.pipeline)`\(without). It loads only when followed.",
                    grounds: [.place(link.range)])
            }
    }

    /// The consequences when a part fails.
    var partFailures: [Sentence] {
        let isFirstNeeded = plan.combine?.spec.isMadeOfFirst ?? false
        let isRequired = parts.enumerated().map { index, part in
            part.part.spec.defaultValue == nil && (!part.part.spec.isOptional || isFirstNeeded && index == 0)
        }
        let required = zip(parts, isRequired).filter(\.1).map(\.0)
        let first =
            required.isEmpty
            ? []
            : [
                Sentence(
                    text:
                        "When \(Self.listed(required.map(\.words), "or")) fails, `combine` fails; when it is not found, so is the whole.",
                    grounds: required.map { .place($0.part.range) })
            ]
        let others = zip(parts, isRequired).filter { !$0.1 }.map { part, _ in
            let time = part.part.spec.timeout.map { " or takes longer than \(Self.words($0))" } ?? ""
            let used = part.part.spec.defaultValue.map(replacement) ?? "it is left out"
            return Sentence(
                text: "When \(part.words) fails\(time), \(used): the result is marked incomplete and not cached.",
                grounds: [.place(part.part.range)])
        }
        return first + others + linkFailures + sharedOrigins
    }

    /// The consequences when a target of a followed link fails that the composite can do without, each link once.
    private var linkFailures: [Sentence] {
        guard let combine = plan.combine else { return [] }
        var told: Set<TextRange> = []
        return combine.spec.usedPipelines { plansByName[$0]?.links.map(\.spec) ?? [] }.compactMap { use in
            guard let step = use.step, let link = plansByName[step.holder]?.links[step.link],
                link.spec.isOptional || link.spec.defaultValue != nil, told.insert(link.range).inserted
            else { return nil }
            let used = link.spec.defaultValue.map(replacement) ?? "it is left out"
            return Sentence(
                text: "When a target of `\(link.spec.name)` fails, \(used): the result is marked incomplete and not cached.",
                grounds: [.place(link.range)])
        }
    }

    /// The replacement of a part or a target with this default.
    private func replacement(_ defaultValue: [UInt8]) -> String {
        "its default `\(redactor.redacted(String(decoding: defaultValue, as: UTF8.self)).shortened)` takes its place"
    }

    /// The origins that several parts come from: one of them that has to wait makes the others wait, too.
    private var sharedOrigins: [Sentence] {
        var users: [(origin: String, parts: [(words: String, range: TextRange)])] = []
        for (words, part, _) in parts {
            let tiers = plansByName[part.spec.pipeline]?.tiers ?? []
            for origin in Set(tiers.filter { $0.source.pace != nil }.compactMap(\.source.origin)).sorted() {
                let index = users.firstIndex { $0.origin == origin } ?? users.endIndex
                if index == users.endIndex { users.append((origin, [])) }
                users[index].parts.append((words, part.range))
            }
        }
        return users.filter { $0.parts.count > 1 }.map { origin, parts in
            Sentence(
                text:
                    "\(Self.listed(parts.map(\.words))) come from `\(redactor.redacted(origin).shortened)`: while that rests, after 429 or 503, none of them is asked.",
                grounds: parts.map { .place($0.range) })
        }
    }

    /// The time for which a composite is fresh because of its parts.
    var partAges: [Sentence] {
        guard plan.combine != nil else { return [] }
        var lives = UsedLives(plansByName)
        guard let limit = lives.limit(of: plan) else {
            return [Sentence(text: "A whole is fresh until the first of its parts is not.", grounds: [.always])]
        }
        return [
            Sentence(
                text:
                    "A whole is fresh until the first of its parts is not: at most \(Self.words(limit.life)), which is the limit of \(limit.use.words).",
                grounds: [.place(limit.use.range)])
        ]
    }
}
