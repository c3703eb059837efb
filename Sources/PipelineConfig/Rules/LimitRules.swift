internal import Pipeline

/// Times of one tier that undo or outlast each other.
struct LimitRules {
    let decoder: FieldDecoder

    func check(_ pipeline: DeclaredPipeline, _ tiers: KnownTiers) {
        var hasCopies = false
        for tier in tiers.elements {
            if tier.tier.isSound {
                checkTimeout(of: tier, in: pipeline)
                checkSoftTimeout(of: tier, in: pipeline, tiers, hasCopies: hasCopies || !tiers.isWhole)
                checkRetry(of: tier)
                if tier.isCache == true { checkWriting(to: tier) }
            }
            if tier.isReadCache { hasCopies = true }
        }
    }

    private func checkTimeout(of tier: KnownTiers.Element, in pipeline: DeclaredPipeline) {
        guard let timeout = tier.policy.timeout, pipeline.isSound, let deadline = pipeline.policy.deadline, deadline <= timeout,
            let place = tier.tier.fieldPlaces.value(.timeout)
        else { return }
        report(
            "`timeout` of `\(tier.tier.source.shortened)` has no effect: the deadline of the pipeline ends the fetch first", at: place,
            help: "make it shorter than \(deadline.written ?? ""), or remove it",
            related: related("the deadline", at: pipeline.fieldPlaces.value(.deadline)))
    }

    /// - Parameter hasCopies: whether a tier above may hold a copy to serve.
    private func checkSoftTimeout(of tier: KnownTiers.Element, in pipeline: DeclaredPipeline, _ tiers: KnownTiers, hasCopies: Bool) {
        guard let soft = tier.policy.softTimeout, let place = tier.tier.fieldPlaces.value(.softTimeout) else { return }
        let subject = "`soft_timeout` of `\(tier.tier.source.shortened)` has no effect"
        let timeout = tier.policy.timeLimit
        if tier.isLastResort {
            report("\(subject): a last resort is asked only when there is no copy to serve", at: place, help: "remove it")
        } else if soft >= timeout {
            let written = tier.tier.fieldPlaces.value(.timeout)
            report(
                "\(subject): its `timeout` \(written == nil ? "is \(timeout.written ?? "") unless given, and " : "")ends the load first",
                at: place, help: "make it shorter than \(timeout.written ?? ""), or remove it",
                related: related("the timeout", at: written))
        } else if pipeline.isSound, let deadline = pipeline.policy.deadline, soft >= deadline {
            report(
                "\(subject): the deadline of the pipeline ends the fetch first", at: place,
                help: "make it shorter than \(deadline.written ?? ""), or remove it",
                related: related("the deadline", at: pipeline.fieldPlaces.value(.deadline)))
        } else if pipeline.isSound, pipeline.policy.staleIfError == nil, !tiers.limitFreshness {
            report(
                "\(subject): without `stale_if_error` no copy is served in its place", at: place,
                help: "add `stale_if_error: 1h` to the pipeline `\(pipeline.name.shortened)`, or remove it")
        } else if !hasCopies {
            report(
                "\(subject): no cache above it has a copy to serve", at: place, help: "put a cache above it, or remove it")
        }
    }

    private func checkRetry(of tier: KnownTiers.Element) {
        guard let retry = tier.policy.retry, retry.base > retry.max, let place = tier.tier.fieldPlaces.value("base", in: .retry) else {
            return
        }
        let written = tier.tier.fieldPlaces.value("max", in: .retry)
        report(
            "`base` of this retry has no effect: no wait is longer than `max`\(written == nil ? ", which is 30s unless given" : "")",
            at: place, help: "make `base` shorter than \(retry.max.written ?? ""), or `max` longer",
            related: related("the longest wait", at: written))
    }

    private func checkWriting(to tier: KnownTiers.Element) {
        let (policy, places) = (tier.policy, tier.tier.fieldPlaces)
        let name = tier.tier.source.shortened
        if policy.jitter > 0, places.value(.ttl) == nil, let place = places.value(.jitter) {
            report(
                "`jitter` of `\(name)` has no effect without a `ttl` to shorten", at: place,
                help: "give `\(name)` a `ttl`, or remove `jitter`")
        }
        guard let debounce = policy.debounce else {
            if policy.maxDelay != nil, let place = places.value(.maxDelay) {
                report(
                    "`max_delay` of `\(name)` has no effect: without `debounce` a write does not wait", at: place,
                    help: "add `debounce`, or remove `max_delay`")
            }
            return
        }
        guard debounce > .zero, let place = places.value(.debounce) else { return }
        let longestWait = min(debounce, policy.maxDelay ?? debounce)
        if let ttl = policy.ttl, longestWait >= ttl {
            decoder.report(
                .debounceOutlivesCopy,
                "`debounce` of `\(name)` is not shorter than its ttl: the copy would have expired when it is written",
                at: place, help: "make it shorter than \(ttl.written ?? ""), or the ttl longer",
                related: related("the ttl", at: places.value(.ttl)))
        } else if let maxDelay = policy.maxDelay, maxDelay <= debounce {
            report(
                "`debounce` of `\(name)` has no effect: `max_delay` is over first", at: place,
                help: "make it shorter than \(maxDelay.written ?? ""), or `max_delay` longer",
                related: related("the longest delay", at: places.value(.maxDelay)))
        }
    }
}

extension LimitRules {
    private func related(_ message: String, at place: ConfigPlace?) -> [Diagnostic.Related] {
        place.map { [Diagnostic.Related(message, at: $0.range)] } ?? []
    }

    private func report(_ message: String, at place: ConfigPlace, help: String, related: [Diagnostic.Related] = []) {
        decoder.report(.pointlessLimit, message, at: place, help: help, related: related)
    }
}
