internal import Pipeline
internal import PipelineConfig

/// What is to say of a value that is made from others, and of what its references lead to.
extension PipelineFacts {
    /// The parts by the names that sentences use, and what each waits for.
    private var parts: [(name: String, part: PartConfig, needs: [String])] {
        guard let combine = plan.combine else { return [] }
        return zip(combine.spec.partSpecs, combine.parts).map { named, part in
            (named.name, part, Set(part.spec.arguments.values.compactMap(\.neededPart)).sorted())
        }
    }

    /// The names of the parts, quoted; those of one name with their numbers.
    private var partNames: [String] {
        let names = parts.map(\.name)
        return names.enumerated().map { index, name in
            guard names.count(where: { $0.utf8.elementsEqual(name.utf8) }) > 1 else { return "`\(name)`" }
            return "`\(name)` (part \(index + 1))"
        }
    }

    /// What the whole is made of, and which parts are asked at the same time.
    var combining: [Sentence] {
        guard let combine = plan.combine, !parts.isEmpty else { return [] }
        let names = Self.listed(partNames)
        let whole =
            switch combine.spec.shape {
            case .object: "`combine` makes an object with the \(parts.count == 1 ? "member" : "members") \(names)"
            case .merge: "`combine` merges \(names)"
            case .join(let from, _, let to, _, _):
                "`combine` joins to each element of `\(from.pipeline)` the one of `\(to.pipeline)` that belongs to it"
            case .of: "`combine` gives the value of \(names)"
            }
        let first = parts.filter(\.needs.isEmpty)
        let asking =
            parts.count == 1
            ? ""
            : first.count < 2
                ? ""
                : first.count == parts.count
                    ? ", all asked at the same time" : "; \(Self.listed(first.map { "`\($0.name)`" })) are asked at the same time"
        let later = parts.filter { !$0.needs.isEmpty }.map { part in
            Sentence(
                text:
                    "`\(part.name)` is asked after \(Self.listed(part.needs.map { "`\($0)`" })), from which it takes arguments.",
                grounds: [.place(part.part.range)])
        }
        return [Sentence(text: whole + asking + ".", grounds: [.place(combine.range)])] + later + follows + batches
    }

    private var follows: [Sentence] {
        parts.filter { !$0.part.spec.follow.isEmpty }.map { part in
            let paths = Self.listed(part.part.spec.follow.map { "`\($0)`" })
            return Sentence(
                text:
                    "In `\(part.name)` the \(part.part.spec.follow.count == 1 ? "link \(paths) is" : "links \(paths) are") followed: each id is loaded once, and placed wherever it stands.",
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

    /// What happens when a part fails.
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
                        "When \(Self.listed(required.map { "`\($0.name)`" }, "or")) fails, `combine` fails; when it is not found, so is the whole.",
                    grounds: required.map { .place($0.part.range) })
            ]
        let others = zip(parts, isRequired).filter { !$0.1 }.map { part, _ in
            let time = part.part.spec.timeout.map { " or takes longer than \(Self.words($0))" } ?? ""
            let used =
                part.part.spec.defaultValue.map {
                    "its default `\(redactor.redacted(String(decoding: $0, as: UTF8.self)).shortened)` takes its place"
                }
                ?? "it is left out"
            return Sentence(
                text: "When `\(part.name)` fails\(time), \(used): the result is marked incomplete and not cached.",
                grounds: [.place(part.part.range)])
        }
        return first + others
    }

    /// How long a whole is fresh because of its parts.
    var partAges: [Sentence] {
        guard plan.combine != nil else { return [] }
        let limits = parts.compactMap { part in
            plansByName[part.part.spec.pipeline].flatMap { other in partLife(of: other).map { (part.name, part.part.range, $0) } }
        }
        guard let least = limits.min(by: { $0.2 < $1.2 }) else {
            return [Sentence(text: "A whole is fresh until the first of its parts is not.", grounds: [.always])]
        }
        return [
            Sentence(
                text:
                    "A whole is fresh until the first of its parts is not: at most \(Self.words(least.2)), which is the limit of `\(least.0)`.",
                grounds: [.place(least.1)])
        ]
    }

    /// The longest that a value of `plan` is fresh; nil where nothing limits it.
    private func partLife(of plan: PipelinePlan, depth: Int = CompositeSpec.mostInChain) -> Duration? {
        let lives = PipelineFacts(plan).longestLives.values
        let own: Duration? = if case .limited(let life)? = lives.max() { life } else { nil }
        guard depth > 0, let combine = plan.combine else { return own }
        let parts = combine.parts.compactMap { part in plansByName[part.spec.pipeline].flatMap { partLife(of: $0, depth: depth - 1) } }
        return ([own].compactMap(\.self) + parts).min()
    }
}
