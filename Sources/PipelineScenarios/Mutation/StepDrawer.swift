internal import Pipeline
internal import PipelineConfig
import PipelineLive
import PipelineSending

/// Draws steps at random, with times that matter to a pipeline.
struct StepDrawer {
    private let origins: [String]
    private let caches: [String]
    /// The caches that can hold a copy which no step wrote, and the arguments of that.
    private let holders: [String]
    private let held: String
    /// The times for which writes wait for another one.
    private let debounces: [Duration]
    /// The times of the policies; first those in which two pipelines differ.
    private let times: [Duration]
    private let focus: [Duration]
    private var random: RandomGenerator
    private var payloads = 0
    private var feeds: [DrawnMessages]
    private var sends: DrawnSends
    /// The way in which the value is merged; nil if it is no list.
    private let merging: MergePolicy?

    /// - Parameters:
    ///   - other: the pipeline that is compared; its times and sources matter, too.
    ///   - parts: the pipelines that they are made from and link to, whose sources are asked.
    ///   - sends: the sends of each of the two.
    ///   - arguments: of each fetch.
    init(
        _ pipeline: PipelinePlan, and other: PipelinePlan? = nil, parts: [PipelinePlan] = [], sends: [[SendPlan]] = [],
        with arguments: NamedValues<ScenarioText>, seed: UInt64
    ) {
        let plans = [pipeline] + [other].compactMap(\.self)
        var tiers: [SourceConfig] = []
        for source in (plans + parts).flatMap(\.tiers).map(\.source) where !source.isComposite {
            if !tiers.contains(where: { $0.name == source.name }) { tiers.append(source) }
        }
        origins = tiers.filter { $0.isWritable != true && !$0.alwaysAnswers }.map(\.name)
        caches = tiers.filter { $0.isWritable == true && !$0.isReal }.map(\.name)
        let key = ArgumentText.text(arguments)
        // A composite says what it is made from, which such a copy does not.
        holders = key == nil || plans.contains { $0.combine != nil } ? [] : tiers.filter { $0.isWritable == true }.map(\.name)
        held = key ?? ""
        debounces = Set(plans.flatMap(\.tiers).compactMap(\.policy.debounce)).filter { $0 > .zero }.sorted()
        var changes: [FeedPlan] = []
        for feed in plans.flatMap(\.feeds) where !feed.source.isReal && !changes.contains(where: { $0.source.name == feed.source.name }) {
            changes.append(feed)
        }
        feeds = changes.map { DrawnMessages($0, with: arguments) }
        let drawn = DrawnSends(sends.joined().map(\.self), with: arguments)
        self.sends = drawn
        merging = feeds.lazy.compactMap(\.merging).first ?? drawn.merging(pipeline.name)
        let sets = plans.enumerated().map { index, plan in
            Set(plan.times + (sends.indices.contains(index) ? sends[index].flatMap(\.times) : []))
        }
        times = (sets + parts.map { Set($0.times) }).reduce(into: Set()) { $0.formUnion($1) }.sorted()
        focus = sets.count == 2 ? sets[0].symmetricDifference(sets[1]).sorted() : []
        random = .seeded(seed)
    }

    /// A row of steps that begins with answers of all origins.
    ///
    /// - Parameters:
    ///   - isExploring: whether there are fetches at once, too, and fetches with a time limit.
    ///   - hasRare: whether there are steps, too, that few rules need.
    mutating func steps(_ count: Int, isExploring: Bool = false, hasRare: Bool = false) -> [RandomStep] {
        payloads = 0
        sends.begin()
        var steps = origins.map { RandomStep.answer($0, .payload(payload())) }
        for target in sends.targets {
            payloads += 1
            steps.append(.answer(target, .payload(sends.made(by: target, payloads, &random))))
        }
        let first = steps.count
        var down: Set<String> = []
        var slow: Set<String> = []
        while steps.count < count + first {
            if hasRare, Int.random(in: 0..<5, using: &random) == 0 {
                let rare = rare()
                for case .takes(let cache, let takes) in rare {
                    if takes == .zero { slow.remove(cache) } else { slow.insert(cache) }
                }
                steps += rare
                continue
            }
            var step = draw()
            if case .down(let cache, let word) = step {
                if word == "false" { down.remove(cache) } else { down.insert(cache) }
            }
            // What cannot be written, or not in time, would fail these steps.
            if !down.isEmpty || !slow.isEmpty, step == .restart || step == .flush { step = .kill }
            if isExploring, step == .fetch { steps += fetches() } else { steps.append(step) }
        }
        if sends.isEmpty { return steps + [.fetch] }
        if !isExploring { return steps + [.look(sends.targets + sends.outboxes), .fetch] }
        let answers = origins.map { RandomStep.answer($0, .payload(payload())) }
        payloads += 1
        return steps + sends.settling(answers, payloads, &random) + [.fetch]
    }

    private mutating func draw() -> RandomStep {
        if !feeds.isEmpty, Int.random(in: 0..<3, using: &random) == 0 { return change() }
        if !sends.isEmpty, Bool.random(using: &random) { return sendStep() }
        return switch Int.random(in: 0..<100, using: &random) {
        case ..<42: .fetch
        case ..<68: .wait(time())
        case ..<83: origins.randomElement(using: &random).map { .answer($0, answer()) } ?? .fetch
        case ..<88:
            caches.randomElement(using: &random).map { .down($0, element(["true", "false", "reads", "writes"], or: "true")) } ?? .fetch
        case ..<92: .kill
        case ..<94: .restart
        case ..<95: .flush
        case ..<97: .remove
        default: .put(payload())
        }
    }

    /// A copy that no step wrote, a cache that takes its time, or a row of puts.
    private mutating func rare() -> [RandomStep] {
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
            guard let cache = holders.randomElement(using: &random) else { return [.fetch] }
            let payload = payload()
            return [.holds(cache, key: held, payload, age: Bool.random(using: &random) ? time() : .zero), .fetch]
        case 1:
            guard let cache = caches.randomElement(using: &random) else { return [.fetch] }
            return [.takes(cache, Bool.random(using: &random) ? min(time(), .seconds(3600)) : .zero)]
        default: return puts()
        }
    }

    /// Values that are put sooner than a debounced write would be made, until it has waited for long, and what is left of them.
    private mutating func puts() -> [RandomStep] {
        guard let debounce = debounces.randomElement(using: &random) else { return [.put(payload())] }
        var steps: [RandomStep] = []
        for _ in 0..<element([2, 4, 8, 16], or: 2) { steps += [.put(payload()), .wait(max(debounce * 3 / 4, .milliseconds(1)))] }
        return steps + (Bool.random(using: &random) ? [.kill, .fetch] : [])
    }

    /// An event of a change source.
    private mutating func change() -> RandomStep {
        let index = Int.random(in: feeds.indices, using: &random)
        payloads += 1
        return switch Int.random(in: 0..<20, using: &random) {
        case ..<17: feeds[index].message(payloads, &random)
        case ..<18: .message(feeds[index].source, nil, event: nil)
        default: .disconnect(feeds[index].source)
        }
    }

    /// An event of a send, or a look at what came of them.
    private mutating func sendStep() -> RandomStep {
        if Int.random(in: 0..<8, using: &random) == 0 { return .look(sends.targets + sends.outboxes) }
        payloads += 1
        return sends.step(payloads, pausing: min(time(), .seconds(3600)), &random)
    }

    private mutating func fetches() -> [RandomStep] {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: origins.map { .answer($0, .once(payload())) } + [.crowd]
        case 1: [.fetchWithin(time())]
        default: [.fetch]
        }
    }

    private mutating func payload() -> String {
        payloads += 1
        return merging?.drawnList(payloads, &random) ?? "[\(payloads)]"
    }

    private mutating func element<Value>(_ values: [Value], or other: Value) -> Value { values.randomElement(using: &random) ?? other }

    private mutating func time() -> Duration {
        let isFocused = !focus.isEmpty && Bool.random(using: &random)
        let time = element(isFocused ? focus : times, or: .seconds(1))
        // A lost connection comes again within half a minute.
        if !feeds.isEmpty, Int.random(in: 0..<4, using: &random) == 0 { return .seconds(30) }
        let all: [Duration] = [time, time - .milliseconds(1), time * 3 / 4, time * 3 / 2, .seconds(1), .milliseconds(1)]
        return max(element(all, or: time), .milliseconds(1))
    }

    private mutating func answer() -> RandomStep.Answer {
        switch Int.random(in: 0..<16, using: &random) {
        case ..<3: .payload(payload())
        case ..<4: .payload("[1]")
        case ..<7: .slow(payload(), min(time(), .seconds(3600)))
        case ..<9: .errorThen(payload())
        case ..<12: .error("error")
        case ..<13: .error("status 404")
        case ..<14: .word("not_found")
        case ..<15: .word("invalid")
        default: .payload("text")
        }
    }
}

extension PipelinePlan {
    /// The times after which a policy does something.
    fileprivate var times: [Duration] {
        let windows = PipelineField.allCases.compactMap(time)
        let ofTiers = tiers.map(\.policy).flatMap { tier in TierField.allCases.flatMap { times($0, of: tier) } }
        // A copy can be served for its ttl and a window after it.
        let sums = tiers.compactMap(\.policy.ttl).flatMap { ttl in windows.map { ttl + $0 } }
        return (windows + ofTiers + sums).filter { $0 > .zero && $0 < .seconds(400 * 86_400) }
    }

    private func time(_ field: PipelineField) -> Duration? {
        switch field {
        case .staleWhileRevalidate: policy.staleWhileRevalidate
        case .staleIfError: policy.staleIfError
        case .notFoundTTL: policy.notFoundTTL
        case .deadline: policy.deadline
        case .description, .parameters, .format, .combine, .tiers, .links, .live, .writeBack, .refreshAhead, .priority, .maxSize: nil
        }
    }

    private func times(_ field: TierField, of tier: TierPolicy) -> [Duration] {
        let times: [Duration?] =
            switch field {
            case .ttl: [tier.ttl, tier.ttl.flatMap { ttl in policy.refreshAhead.map { ttl * $0 } }]
            case .debounce: [tier.debounce]
            case .maxDelay: [tier.debounce.map { tier.maxDelay ?? TierPolicy.defaultMaxDelay(debounce: $0) }]
            case .timeout: [tier.timeout]
            case .softTimeout: [tier.softTimeout]
            case .retry: [tier.retry?.base]
            case .circuitBreaker: [tier.circuitBreaker?.openFor]
            case .jitter, .onError, .onNotFound, .lastResort, .reads, .writes: []
            }
        return times.compactMap(\.self)
    }
}
