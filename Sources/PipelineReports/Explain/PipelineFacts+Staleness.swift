internal import Pipeline
internal import PipelineConfig

extension PipelineFacts {
    /// The situations in which an expired copy is served all the same.
    var staleness: [Sentence] {
        guard !askedCaches.isEmpty else { return [] }
        var windows = sentences(.staleWhileRevalidate) + sentences(.staleIfError) + statedWindows
        if windows.isEmpty {
            windows.append(
                Sentence(
                    text: "An expired copy is never served.", grounds: [ground(.staleWhileRevalidate), ground(.staleIfError)].uniqued)
            )
        }
        return windows + asked.flatMap { sentences(.softTimeout, of: $0) } + sentences(.refreshAhead) + refreshes
    }

    var whileRevalidation: [Sentence] {
        guard let window = whileRevalidating else { return [] }
        return [
            Sentence(
                text:
                    "A copy that expired less than \(Self.words(window)) ago is served at once, marked stale, while one refresh runs in the "
                    + "background.", grounds: [ground(.staleWhileRevalidate)])
        ]
    }

    var afterError: [Sentence] {
        guard let window = ifError, asked.contains(where: \.canFail) else { return [] }
        return [
            Sentence(
                text: "When the load fails, the newest copy that was found expired is served, marked stale, if it expired less than "
                    + "\(Self.words(window)) ago; the origins are then not asked again for this key for \(Self.words(StaleWindows.pause)).",
                grounds: [ground(.staleIfError)])
        ]
    }

    /// The word of an origin's response about expired copies.
    private var statedWindows: [Sentence] {
        let origins = askedOrigins.filter { $0.source.freshness != nil }
        guard !origins.isEmpty else { return [] }
        let unset = [whileRevalidating == nil ? "`stale-while-revalidate`" : nil, ifError == nil ? "`stale-if-error`" : nil]
        let allowed = unset.compactMap(\.self)
        let windows =
            allowed.isEmpty ? "" : "An expired copy is served for as long as the response allows by \(Self.listed(allowed, "or")); "
        return [
            Sentence(
                text: "\(windows)\(windows.isEmpty ? "A" : "a") copy whose response says `no-cache` or `must-revalidate` is never served "
                    + "expired.",
                grounds: origins.map { $0.source.freshness?.range.map(Ground.place) ?? .byDefault }.uniqued)
        ]
    }

    /// The windows that are open for a while.
    var whileRevalidating: Duration? { plan.policy.staleWhileRevalidate.flatMap { $0 > .zero ? $0 : nil } }
    var ifError: Duration? { plan.policy.staleIfError.flatMap { $0 > .zero ? $0 : nil } }

    func softLimit(of tier: TierPlan) -> [Sentence] {
        guard let limit = tier.policy.softTimeout else { return [] }
        guard let window = ifError else {
            // The response may allow it.
            if askedOrigins.contains(where: { $0.source.freshness != nil }) { return [] }
            return [
                Sentence(
                    text: "The soft_timeout of \(tier.quoted) does nothing: without `stale_if_error` no copy may be served instead.",
                    grounds: [ground(.softTimeout, of: tier), ground(.staleIfError)])
            ]
        }
        guard above(tier).contains(where: \.isCache) else {
            return [
                Sentence(
                    text: "The soft_timeout of \(tier.quoted) does nothing: no cache is asked before it.",
                    grounds: [ground(.softTimeout, of: tier), ground(of: tier)])
            ]
        }
        return [
            Sentence(
                text:
                    "When \(tier.quoted) has not answered after \(Self.words(limit)), and a cache above it has a copy that expired less than "
                    + "\(Self.words(window)) ago, that copy is served; the load continues, and its answer is written back.",
                grounds: [ground(.softTimeout, of: tier), ground(.staleIfError)])
        ]
    }

    var aheadOfTime: [Sentence] {
        guard let ratio = plan.policy.refreshAhead else { return [] }
        return [
            Sentence(
                text: "From \(ratio.percent) of a copy's life on, a fetch that the copy answers starts a refresh in the background.",
                grounds: [ground(.refreshAhead)])
        ]
    }

    /// The tiers that a refresh asks, if a cache stands below another.
    private var refreshes: [Sentence] {
        let grounds = [whileRevalidating == nil ? nil : ground(.staleWhileRevalidate), aheadOfTime.first?.grounds.first]
        guard askedCaches.count > 1, grounds.contains(where: { $0 != nil }) else { return [] }
        return [
            Sentence(
                text: "A refresh asks the caches below the copy first, in their order: a fresh copy there that is newer, or has more of "
                    + "its life left, is taken, and no origin is asked.", grounds: grounds.compactMap(\.self))
        ]
    }
}

extension [Explanation.Ground] {
    /// Each ground once.
    var uniqued: [Explanation.Ground] { reduce(into: []) { if !$0.contains($1) { $0.append($1) } } }
}
