internal import Pipeline

/// What must hold for a source over all pipelines that use it, and between sources.
struct SourceRules {
    let sources: SourceTable
    let pipelines: [DeclaredPipeline]
    let uses: SourceUses
    let decoder: FieldDecoder

    /// So many places are named of a problem that has more.
    private static let mostRelated = 4

    func check() {
        checkPaces()
        var writers: [[String]: Int] = [:]
        var filled: [[String]: Int] = [:]
        for (index, source) in sources.all.enumerated() where source.isSoundInForm {
            checkTimeLimit(of: source, at: index)
            checkSecondRequest(of: source, at: index)
            checkFreshness(of: source)
            let isWritten = source.isWritable == true && uses[index].contains(where: \.tier.policy.writes)
            if isWritten {
                checkCopies(of: source, at: index)
                checkBound(of: source, at: index)
            }
            guard isWritten || source.keepsSends else { continue }
            guard let place = places(of: source) else { continue }
            let files = filledPlaces(of: source, at: index)
            if let first = writers[place] ?? filled[place] ?? files.lazy.compactMap({ writers[$0] }).first {
                reportSharedPlace(source, with: sources.all[first])
            }
            if writers[place] == nil { writers[place] = index }
            for file in files where filled[file] == nil { filled[file] = index }
        }
    }
}

extension SourceRules {
    /// Where a cache keeps its copies; nil when it does not say, or when it is unknown.
    private func places(of source: SourceConfig) -> [String]? {
        var result = [source.type ?? ""]
        for note in source.notes where note.role.isPlace {
            guard note.text != nil || note.place == nil else { return nil }
            result.append(note.text ?? "")
        }
        return result.count > 1 ? result : nil
    }

    /// The files of pipelines without parameters, whose one key is known, where the template of a path names nothing else.
    private func filledPlaces(of source: SourceConfig, at index: Int) -> [[String]] {
        guard let note = source.notes.first(where: { $0.path != nil }), let path = note.path, !note.parameters.isEmpty,
            note.parameters.isSubset(of: ["key", "pipeline"])
        else { return [] }
        return uses[index].compactMap { use in
            let pipeline = pipelines[use.pipeline]
            guard use.tier.policy.writes, pipeline.parameters.isEmpty, pipeline.hasAllParameters else { return nil }
            let file = LexicalPath.normalized(path.filled(for: Key(pipeline: pipeline.name)))
            return [source.type ?? ""] + source.notes.filter(\.role.isPlace).map { $0.path == nil ? $0.text ?? "" : file }
        }
    }

    private func placeNote(of source: SourceConfig) -> FieldNote? {
        source.notes.last { $0.role.isPlace && $0.place != nil }
    }

    private func reportSharedPlace(_ source: SourceConfig, with first: SourceConfig) {
        let note = placeNote(of: source)
        decoder.report(
            .sharedPlace, "`\(source.name.shortened)` writes to the same place as `\(first.name.shortened)`",
            at: note?.place ?? source.place,
            help:
                "give it another `\(note?.name ?? "place")`, or name `\(first.name.shortened)` in both \(source.keepsSends ? "sends" : "tiers")",
            related: [
                Diagnostic.Related(
                    "`\(first.name.shortened)` writes it here", at: placeNote(of: first)?.place?.range ?? first.range)
            ])
    }

    private func checkCopies(of source: SourceConfig, at index: Int) {
        guard let note = source.notes.first(where: { $0.role == .placeOfEachKey }), note.isSound, let place = note.place,
            !note.parameters.contains("key")
        else { return }
        let uses = uses[index]
        var missing: [(name: String, pipeline: DeclaredPipeline, range: TextRange)] = []
        for use in uses where missing.count < Self.mostRelated && pipelines[use.pipeline].hasAllParameters {
            let pipeline = pipelines[use.pipeline]
            for parameter in pipeline.parameters where !note.parameters.contains(parameter.name) {
                missing.append((parameter.name, pipeline, parameter.range))
                if missing.count == Self.mostRelated { break }
            }
        }
        let isShared = uses.count > 1 && !note.parameters.contains("pipeline")
        guard isShared || !missing.isEmpty else { return }
        let names = (isShared ? ["pipeline"] : []) + missing.map(\.name).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        let sharers =
            isShared && missing.isEmpty
            ? "`\(pipelines[uses[0].pipeline].name.shortened)` and `\(pipelines[uses[1].pipeline].name.shortened)`"
            : isShared ? "two keys" : "all fetches of `\(missing[0].pipeline.name.shortened)`"
        let users = uses.prefix(Self.mostRelated).map {
            Diagnostic.Related("`\(pipelines[$0.pipeline].name.shortened)` uses it here", at: $0.tier.range)
        }
        decoder.report(
            .sharedCopy,
            "\(listed(names)) \(names.count == 1 ? "is" : "are") missing from `\(note.name)` of `\(source.name.shortened)`: \(sharers) would share one copy",
            at: place,
            help: "put \(listed(names)) into it, or `{key}`, which stands for the pipeline and its parameters: `.cache/{key}.json`",
            related: (isShared ? users : [])
                + missing.map { Diagnostic.Related("the parameter `\($0.name)` of `\($0.pipeline.name.shortened)`", at: $0.range) })
    }

    private func listed(_ names: [String]) -> String {
        let quoted = names.map { "`{\($0.shortened)}`" }
        return quoted.count < 2 ? quoted.joined() : quoted.dropLast().joined(separator: ", ") + " and " + (quoted.last ?? "")
    }

    private func checkBound(of source: SourceConfig, at index: Int) {
        let bounds = source.declarations.filter { $0.role == .bound }
        guard !bounds.isEmpty, !source.notes.contains(where: { $0.role == .bound && $0.isGiven }),
            let use = uses[index].first(where: { $0.tier.policy.writes && !pipelines[$0.pipeline].parameters.isEmpty }),
            let parameter = pipelines[use.pipeline].parameters.first
        else { return }
        let fields = bounds.map { "`\($0.name): \($0.example ?? "…")`" }.joined(separator: " or ")
        decoder.report(
            .unboundedCache,
            "`\(source.name.shortened)` has no bound, and `\(pipelines[use.pipeline].name.shortened)` has parameters: the number of its keys is unlimited",
            at: source.place, help: "add \(fields) to it",
            related: [Diagnostic.Related("each value of `\(parameter.name.shortened)` adds a key", at: parameter.range)])
    }

    /// A second request that the first one never lives to see.
    private func checkSecondRequest(of source: SourceConfig, at index: Int) {
        guard let note = source.notes.first(where: { $0.role == .secondRequest }), let delay = note.duration, let place = note.place
        else { return }
        let own = source.notes.first { $0.role == .timeLimit }
        let subject = "`\(note.name)` of `\(source.name.shortened)` has no effect"
        if let own, let limit = own.duration, limit <= delay {
            return decoder.report(
                .pointlessLimit, "\(subject): its `\(own.name)` ends the first request before a second one is sent", at: place,
                help: "make `after` shorter than \(limit.written ?? ""), or `\(own.name)` longer",
                related: own.place.map { [Diagnostic.Related("the `\(own.name)`", at: $0.range)] } ?? [])
        }
        let limits = uses[index].filter { $0.tier.isSound && $0.tier.policy.reads }.map(\.tier.policy.timeLimit)
        guard let longest = limits.max(), limits.count == uses[index].count, longest <= delay, let first = uses[index].first else { return }
        let written = first.tier.fieldPlaces.value(.timeout)
        decoder.report(
            .pointlessLimit, "\(subject): its tier has no time for a second request", at: place,
            help: "make `after` shorter than \(longest.written ?? ""), or give the tier a longer `timeout`",
            related: [Diagnostic.Related(written == nil ? "the tier" : "the timeout of the tier", at: written?.range ?? first.tier.range)])
    }

    /// Where a source and its tier limit the time, the shorter holds.
    private func checkTimeLimit(of source: SourceConfig, at index: Int) {
        guard let note = source.notes.first(where: { $0.role == .timeLimit }), let limit = note.duration, let place = note.place,
            let first = uses[index].first
        else { return }
        let isCut = uses[index].allSatisfy { use in
            guard use.tier.isSound, use.tier.policy.reads else { return false }
            return use.tier.policy.timeout.map { $0 <= limit } ?? (TierPolicy.defaultTimeout < limit)
        }
        guard isCut else { return }
        let written = first.tier.fieldPlaces.value(.timeout)
        decoder.report(
            .pointlessLimit,
            "`\(note.name)` of `\(source.name.shortened)` has no effect: \(written == nil ? "a tier has \(TierPolicy.defaultTimeout.written ?? "") unless it says more" : "its tier has no more time")",
            at: place,
            help: "make it shorter, or give the tier a `timeout` longer than \(limit.written ?? "")",
            related: [Diagnostic.Related(written == nil ? "the tier" : "the timeout of the tier", at: written?.range ?? first.tier.range)])
    }
}

extension SourceRules {
    /// How long entries are fresh: what contradicts itself, and what nothing asks for.
    private func checkFreshness(of source: SourceConfig) {
        guard let caching = source.notes.first(where: { $0.role == .limitsFreshness }), caching.text != nil else { return }
        let name = source.name.shortened
        func note(_ role: FieldRole) -> FieldNote? { source.notes.first { $0.role == role } }
        if caching.isNone {
            for note in [FieldRole.defaultFreshness, .leastFreshness, .mostFreshness].compactMap(note) {
                guard let place = note.place else { continue }
                decoder.report(
                    .pointlessLimit,
                    "`\(note.name)` of `\(name)` has no effect: with `\(caching.name): none` the ttl of a tier alone decides",
                    at: place,
                    help: caching.place == nil
                        ? "write `\(caching.name): headers` under `\(name)`, or remove `\(note.name)`"
                        : "remove `\(note.name)`, or make `\(caching.name)` `headers`",
                    related: caching.place.map { [Diagnostic.Related("`\(caching.name)` is set here", at: $0.range)] } ?? [])
            }
        } else if let least = note(.leastFreshness), let most = note(.mostFreshness), let shortest = least.duration,
            let longest = most.duration, shortest > longest, let place = least.place ?? most.place
        {
            decoder.report(
                .contradictoryFreshness,
                "`\(least.name)` of `\(name)` is longer than `\(most.name)`: every copy is fresh for \(longest.written ?? "")", at: place,
                help: "make `\(least.name)` \(longest.written ?? "") or less, or `\(most.name)` longer",
                related: most.place.map { [Diagnostic.Related("`\(most.name)` is set here", at: $0.range)] } ?? [])
        }
    }
}

extension SourceRules {
    /// Sources that ask one origin share its controller, and the strictest of their limits.
    private func checkPaces() {
        var first: [String: SourceConfig] = [:]
        for source in sources.all where source.isSoundInForm {
            guard let origin = source.origin, let pace = source.pace else { continue }
            guard let other = first[origin], let known = other.pace else {
                first[origin] = source
                continue
            }
            guard known.limits != pace.limits else { continue }
            let name = pace.limits.keys.sorted().first { pace.limits[$0] != known.limits[$0] } ?? "limits"
            func place(of source: SourceConfig) -> ConfigPlace? {
                source.notes.first { [.originLimits, .retryBudget].contains($0.role) && $0.name == name }?.place
            }
            decoder.report(
                .differingLimits,
                "`\(name)` of `\(source.name.shortened)` differs from that of `\(other.name.shortened)`, which asks the same origin: "
                    + "the stricter one holds for both", at: place(of: source) ?? source.place,
                help: "write the same `\(name)` in both sources",
                related: [Diagnostic.Related("`\(other.name.shortened)` asks it, too", at: place(of: other)?.range ?? other.range)])
        }
    }
}

/// Which tiers and feeds use each source.
struct SourceUses {
    struct Use {
        /// The place of the pipeline in the order of the file.
        let pipeline: Int
        let tier: TierConfig
    }

    private var uses: [[Use]]
    /// Sources that are named without being asked: by feeds, by sends, and by tiers that hold no values.
    private var named: Set<Int> = []

    init(of sources: SourceTable) {
        uses = Array(repeating: [], count: sources.all.count)
    }

    mutating func add(_ tiers: KnownTiers, _ feeds: KnownFeeds, of pipeline: Int) {
        named.formUnion(tiers.valueless.map(\.index) + (feeds.elements + feeds.silent).map(\.index))
        for element in tiers.elements { if let index = element.index { uses[index].append(Use(pipeline: pipeline, tier: element.tier)) } }
    }

    /// Adds sources that sends use.
    mutating func add(ofSends indexes: Set<Int>) { named.formUnion(indexes) }

    /// Whether a tier, a feed or a send names the source at `index`.
    func isNamed(_ index: Int) -> Bool { named.contains(index) || !uses[index].isEmpty }

    /// The tiers that ask the source at `index`, one a pipeline, in the order of the file.
    subscript(index: Int) -> [Use] { uses[index] }
}
