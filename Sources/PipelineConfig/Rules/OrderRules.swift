internal import Pipeline

/// What the order of tiers makes pointless: tiers that are never asked, copies that are cut, caches that nothing fills.
struct OrderRules {
    let decoder: FieldDecoder
    /// How long parts are fresh.
    private var lives: PartLives
    /// How many tiers without a ttl were found of each source that outlives the process.
    private var endlessTiers: [ExactName: Int] = [:]

    init(lives: PartLives, decoder: FieldDecoder) {
        (self.lives, self.decoder) = (lives, decoder)
    }

    mutating func check(_ pipeline: DeclaredPipeline, _ tiers: KnownTiers) {
        checkReach(of: tiers, in: pipeline)
        checkOrigin(of: pipeline, tiers)
        guard pipeline.isSound else { return }
        checkEndlessCopies(of: pipeline, tiers)
        switch pipeline.writeBack {
        case .auto: checkTimesToLive(tiers.elements)
        case .none: break
        case .routes(let routes): checkTimesToLive(tiers.elements, along: routes)
        }
    }
}

extension OrderRules {
    private func checkReach(of tiers: KnownTiers, in pipeline: DeclaredPipeline) {
        let asked = tiers.asked
        let reach = Reach(asked.map(\.ordered), pipeline.isSound ? pipeline.policy : nil)
        guard let end = reach.end else { return }
        for (tier, degree) in zip(asked, reach.degrees) where tier.policy.reads {
            guard let isCache = tier.isCache, degree == .byCall || degree == .never else { continue }
            report(tier, below: asked[end], isCache: isCache)
        }
    }

    private func report(_ tier: KnownTiers.Element, below last: KnownTiers.Element, isCache: Bool) {
        let (name, above) = (tier.tier.source.shortened, last.tier.source.shortened)
        let answers = last.source.capabilities?.contains(.alwaysAnswers) == true
        // Only the policy `cache-only` passes origins over.
        let asked = isCache ? "`\(name)` is never asked by default" : "`\(name)` is never asked"
        decoder.report(
            .unreachableTier,
            answers
                ? "\(asked): `\(above)` above it always answers"
                : "\(asked): `\(above)` above it answers, says not_found or, with `on_error: fail`, ends the fetch",
            at: tier.tier.place,
            help: answers
                ? "move `\(name)` above `\(above)`, or remove it"
                : "remove `on_error: fail`, move `\(name)` above `\(above)`, or remove it",
            related: [
                answers
                    ? Diagnostic.Related("this tier always answers", at: last.tier.range)
                    : Diagnostic.Related(
                        "`on_error` is set here", at: last.tier.fieldPlaces.value(.onError)?.range ?? last.tier.range)
            ])
    }
}

extension OrderRules {
    /// A cache's answer goes to the caches above it, and takes its remaining life along.
    private func checkTimesToLive(_ tiers: [KnownTiers.Element]) {
        var shortest: (tier: KnownTiers.Element, ttl: Duration)?
        for tier in tiers.reversed() {
            if let shortest { check(tier, filledFrom: shortest) }
            if let ttl = lifeOfCopies(in: tier), shortest.map({ ttl < $0.ttl }) ?? true { shortest = (tier, ttl) }
        }
    }

    private func checkTimesToLive(_ tiers: [KnownTiers.Element], along routes: [DeclaredWriteBack.Route]) {
        let positions = Dictionary(tiers.enumerated().map { (Array($1.tier.source.utf8), $0) }) { first, _ in first }
        var shortest: [Int: (tier: KnownTiers.Element, ttl: Duration)] = [:]
        for route in routes {
            guard let from = positions[Array(route.from.source.utf8)], let ttl = lifeOfCopies(in: tiers[from]) else { continue }
            for case let target? in route.to.map({ positions[Array($0.source.utf8)] }) where target < from {
                if shortest[target].map({ ttl < $0.ttl }) ?? true { shortest[target] = (tiers[from], ttl) }
            }
        }
        for (target, filler) in shortest { check(tiers[target], filledFrom: filler) }
    }

    /// How long the copies live that a cache gives to others; nil for an origin, and where they have no limit.
    private func lifeOfCopies(in tier: KnownTiers.Element) -> Duration? {
        guard tier.isReadCache, tier.tier.isSound, let ttl = tier.policy.ttl, ttl > .zero else { return nil }
        return ttl
    }

    private func check(_ tier: KnownTiers.Element, filledFrom lower: (tier: KnownTiers.Element, ttl: Duration)) {
        guard tier.isWrittenCache, tier.tier.isSound, let ttl = tier.policy.ttl, ttl > lower.ttl,
            let place = tier.tier.fieldPlaces.value(.ttl)
        else { return }
        let name = lower.tier.tier.source.shortened
        decoder.report(
            .cutTimeToLive,
            "the ttl of `\(tier.tier.source.shortened)` is longer than that of `\(name)` below it: a copy made from `\(name)` is cut to what it has left",
            at: place,
            help: "write `ttl: \(lower.ttl.written ?? "")` or less, or give `\(name)` a longer one",
            related: [
                Diagnostic.Related("the ttl of `\(name)`", at: lower.tier.tier.fieldPlaces.value(.ttl)?.range ?? lower.tier.tier.range)
            ])
    }
}

extension OrderRules {
    /// A copy without a ttl in a cache that outlives the process is served for ever: no origin below is asked again.
    private mutating func checkEndlessCopies(of pipeline: DeclaredPipeline, _ tiers: KnownTiers) {
        guard tiers.isWhole, let last = tiers.elements.lastIndex(where: { $0.isCache == false && $0.policy.reads }) else { return }
        let origin = tiers.elements[last]
        // What says itself how long it is fresh expires without a ttl.
        guard !lives.endsCopies(of: pipeline, tiers) else { return }
        for (index, tier) in tiers.elements[..<last].enumerated() where isEndless(tier) && pipeline.fills(tier.tier) {
            // An origin above it that is asked first is asked each time.
            guard !tiers.elements[..<index].contains(where: { $0.isCache == false && $0.policy.reads }) else { return }
            // A source of very many pipelines is one problem.
            endlessTiers[ExactName(tier.tier.source), default: 0] += 1
            guard endlessTiers[ExactName(tier.tier.source), default: 0] <= ConfigNode.Member.mostMerges else { continue }
            decoder.report(
                .endlessCopy,
                "`\(tier.tier.source.shortened)` keeps copies for ever, since its tier has no `ttl`: once it has a copy, `\(origin.tier.source.shortened)` is never asked again",
                at: tier.tier.place, help: help(for: tier.tier),
                related: [Diagnostic.Related("the origin that is not asked", at: origin.tier.range)])
        }
    }

    private func isEndless(_ tier: KnownTiers.Element) -> Bool {
        tier.keepsForEver && tier.source.isDurable && tier.tier.fieldPlaces.key(.ttl) == nil
    }

    private func help(for tier: TierConfig) -> String {
        let fields = tier.fieldPlaces.key("source") == nil ? "write `{ source: \(tier.source.shortened), ttl: 10m }`" : "add `ttl: 10m`"
        return fields + ", or `ttl: none` for copies that never expire"
    }
}

extension OrderRules {
    private func checkOrigin(of pipeline: DeclaredPipeline, _ tiers: KnownTiers) {
        // A cache that is not written here may be filled by other programs.
        guard tiers.isWhole, tiers.elements.allSatisfy(\.source.isSoundInForm),
            tiers.elements.allSatisfy({ $0.isWrittenCache || $0.isLastResort }),
            // A source with the name of that place has been reported.
            !tiers.elements.contains(where: { $0.tier.isComposite && !$0.source.isComposite })
        else { return }
        if let resort = tiers.elements.first(where: \.isLastResort) { return checkLastResort(resort, of: pipeline, tiers) }
        guard let last = tiers.elements.last else { return }
        let candidate = tiers.elements.last { readOnlyField(of: $0.source) != nil } ?? last
        let field = readOnlyField(of: candidate.source)
        decoder.report(
            .noOrigin, "the pipeline `\(pipeline.name.shortened)` has no origin: every tier is a cache, and nothing fills them",
            at: pipeline.place,
            help: field.map {
                "add an origin as the last tier, or write `\($0): true` under `\(candidate.source.name.shortened)` when other programs fill it"
            } ?? "add an origin, such as a source of the type `http`, as the last tier")
    }

    /// A last resort as the only origin fills no cache, so that it is asked each time and its answer is never kept.
    private func checkLastResort(_ resort: KnownTiers.Element, of pipeline: DeclaredPipeline, _ tiers: KnownTiers) {
        guard tiers.elements.contains(where: \.isReadCache) else { return }
        if case .routes(let routes) = pipeline.writeBack, !routes.isEmpty { return }
        let (name, place) = (resort.tier.source.shortened, resort.tier.fieldPlaces.key(.lastResort)?.range ?? resort.tier.range)
        decoder.report(
            .noOrigin,
            "the pipeline `\(pipeline.name.shortened)` has no origin but the last resort `\(name)`, whose answers fill no cache",
            at: pipeline.place, help: "remove `last_resort` from `\(name)`, or add an origin above it",
            related: [Diagnostic.Related("`last_resort` is set here", at: place)])
    }

    /// The field that makes an origin of a cache.
    private func readOnlyField(of source: SourceConfig) -> String? {
        source.declarations.first { $0.role == .readOnly }?.name
    }
}
