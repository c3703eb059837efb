internal import Pipeline
import PipelineComposing
internal import PipelineConfig
internal import PipelineJSON
internal import PipelineScenarios

/// One test of the first test file.
struct StarterScenario {
    enum Step {
        /// A fetch; `words` is what is expected of it, as it is written.
        case fetch(words: [String], shows: Shown)
        case wait(Duration)
        /// A failure of these origins from here on.
        case failure([String])
    }

    /// The property that the trace of a fetch must have for the test to be about it.
    enum Shown {
        /// No particular property: nothing but the source is expected.
        case answer
        /// The writes, too.
        case writes
        /// The source did one of these.
        case tier(String, [String])
        case value
        /// The values that are written already.
        case written
        /// An expired copy is served because the load failed.
        case stale
        case error
    }

    let name: String
    let pipeline: PipelinePlan
    /// The pipelines that it is made from or links to.
    let parts: [PipelinePlan]
    var steps: [Step]
    /// The origins that fail from the beginning.
    var failing: [String] = []

    private var origins: [String] { Self.origins(of: pipeline) }

    private static func origins(of pipeline: PipelinePlan) -> [String] {
        pipeline.tiers.filter { $0.source.isWritable == false && !$0.source.alwaysAnswers && $0.policy.reads }.map(\.source.name)
    }

    /// Indicates whether its value is made from others, and so is none that an origin gives.
    private var isComposite: Bool { pipeline.combine != nil }

    /// The origins of which a test says what they answer: a composite is none, its parts have some.
    private var scripted: [String] {
        let all = origins + (isComposite ? parts.flatMap(Self.origins) : [])
        return all.filter { $0 != CompositeSpec.placeName }.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// The tests of a pipeline; of those in one list, the first that is so is meant.
    ///
    /// - Parameter parts: the pipelines that it is made from or links to.
    static func all(of pipeline: PipelinePlan, madeOf parts: [PipelinePlan] = []) -> [[StarterScenario]] {
        let draft = StarterScenario(name: "", pipeline: pipeline, parts: parts, steps: [])
        let fixed = pipeline.tiers.first { $0.source.alwaysAnswers && $0.policy.reads }?.source.name
        guard let origin = draft.origins.first ?? fixed else { return [] }
        let caches = pipeline.tiers.filter { $0.source.isWritable == true && $0.policy.reads }
        let limits = caches.compactMap { cache in cache.policy.ttl.map { (name: cache.source.name, ttl: $0) } }
        let answer = Step.fetch(words: ["error: false"], shows: .answer)
        let failure = Step.failure(draft.scripted)
        func named(_ name: String, failsAtOnce: Bool = false, _ steps: [Step]) -> StarterScenario {
            StarterScenario(name: name, pipeline: pipeline, parts: parts, steps: steps, failing: failsAtOnce ? draft.scripted : [])
        }
        let filled = caches.isEmpty ? "\(origin) answers" : "\(origin) fills the caches"
        var tests = [[named(filled, [.fetch(words: ["error: false"], shows: .writes)])]]
        for (cache, ttl) in limits where ttl > .milliseconds(1) {
            let hit = Step.fetch(words: ["error: false"], shows: .tier(cache, ["hit"]))
            let expired = Step.fetch(words: ["error: false"], shows: .tier(cache, ["expired", "stale"]))
            tests.append([
                named(
                    "a copy in \(cache) answers until it expires at \(ttl.spelling)",
                    [answer, .wait(ttl - .milliseconds(1)), hit, .wait(.milliseconds(1)), expired])
            ])
        }
        guard !draft.origins.isEmpty else { return tests }
        let served = Step.fetch(words: ["error: false"], shows: .stale)
        let failed = Step.fetch(words: ["error: true"], shows: .error)
        let fails = draft.isComposite ? "every origin fails" : "\(origin) fails"
        tests.append([
            named("\(fails) and there is no copy: the fetch fails", failsAtOnce: true, [failed]),
            named(
                "\(fails) and there is no copy: \(draft.isComposite ? "there is an answer all the same" : "a last resort answers")",
                failsAtOnce: true, [.fetch(words: ["error: false"], shows: .value)]),
        ])
        tests += draft.withoutParts
        let partLimits = draft.isComposite ? parts.flatMap(\.tiers).compactMap(\.policy.ttl) : []
        guard let own = limits.map(\.ttl).max(), let longest = ([own] + partLimits).max() else { return tests }
        // Within this window an expired copy is served whatever the origin does.
        let decided = longest + (pipeline.policy.staleWhileRevalidate ?? .zero)
        tests.append([
            named("\(fails) after every copy expired: the expired one is served", [answer, .wait(decided), failure, served]),
            named("\(fails) after every copy expired: the fetch fails", [answer, .wait(decided), failure, failed]),
        ])
        if let window = pipeline.policy.staleIfError, window > .milliseconds(1) {
            let name = "an expired copy is served until \(window.spelling) after it expired"
            let last = window - .milliseconds(1)
            tests.append([
                named(name, [answer, .wait(longest), failure, .wait(last), served, .wait(.milliseconds(1)), failed]),
                named(name, [answer, .wait(longest), failure, .wait(window), failed]),
            ])
        }
        return tests
    }

    /// The tests of failures of parts that the composite does without.
    private var withoutParts: [[StarterScenario]] {
        guard case .object(let members)? = pipeline.combine?.spec.shape else { return [] }
        return members.filter { $0.part.isOptional || $0.part.defaultValue != nil }.map { name, part in
            // A part whose origin another one has, too, does not fail alone; no such test passes, and none is written.
            let failing = parts.filter { $0.name == part.pipeline }.flatMap(Self.origins)
            let words = ["complete: false", "parts: [\(Self.word("\(JSONPointer(tokens: [name])) failed"))]"]
            return [
                StarterScenario(
                    name: "\(part.pipeline) fails: the answer does without `\(name)`", pipeline: pipeline, parts: parts,
                    steps: [.fetch(words: words, shows: .written)], failing: failing)
            ]
        }
    }

    /// This test with what `events` tell as what is expected; nil if they do not show what the test is about.
    func expecting(_ events: [ScenarioEvent]) -> StarterScenario? {
        var result = self
        for (index, step) in steps.enumerated() {
            guard case .fetch(_, let shows) = step else { continue }
            if case .written = shows { continue }
            let parts = events.filter { $0.kind == .fetch && $0.step == index + 1 }.flatMap(\.parts)
            guard let words = words(parts, showing: shows) else { return nil }
            result.steps[index] = .fetch(words: words, shows: shows)
        }
        return result
    }

    private func words(_ parts: [ScenarioEvent.Part], showing shown: Shown) -> [String]? {
        let attempts = parts.filter { $0.kind == .attempt }
        let writes = parts.filter { $0.kind == .write }
        func list(_ parts: [ScenarioEvent.Part]) -> String {
            "[" + parts.map { Self.word("\($0.source) \($0.outcome)") }.joined(separator: ", ") + "]"
        }
        let tiers = "tiers: \(list(attempts))"
        if case .error = shown { return ["error: true", tiers] }
        guard let answer = ["hit", "stale"].lazy.compactMap({ word in attempts.last { $0.outcome == word } }).first else { return nil }
        let from = "from: \(Self.word(answer.source))"
        // A source that always answers has a value of its own.
        let value = origins.isEmpty || isComposite ? [] : ["is: '\(Self.payload)'"]
        switch shown {
        case .answer, .error, .written: return [from]
        case .writes: return value + [from, tiers] + (writes.isEmpty ? [] : ["writes: \(list(writes))"])
        case .tier(let source, let outcomes):
            return attempts.contains { $0.source == source && outcomes.contains($0.outcome) } ? [from, tiers] : nil
        case .value: return [from, tiers]
        case .stale:
            guard answer.outcome == "stale", attempts.contains(where: { $0.source != answer.source && $0.outcome == "error" }) else {
                return nil
            }
            return value + ["stale: true", from, tiers]
        }
    }
}

extension StarterScenario {
    private static let payload = #"["v1"]"#

    /// The test as an element of `tests`, ending with a line break.
    ///
    /// - Parameter pipeline: the name of the pipeline, where there are several.
    func text(of pipelineName: String?) -> String {
        var lines = ["  - name: \(Self.word(pipelineName.map { "\($0): \(name)" } ?? name))"]
        if let pipelineName { lines.append("    pipeline: \(Self.word(pipelineName))") }
        if !scripted.isEmpty { lines.append("    given: { \(answers(failing: failing)) }") }
        lines.append("    steps:")
        let missing = pipeline.parameters.filter { $0.defaultValue == nil }.map { "\(Self.word($0.name)): 42" }
        let arguments = missing.isEmpty ? [] : ["with: { \(missing.joined(separator: ", ")) }"]
        for step in steps {
            switch step {
            case .fetch(let words, _): lines.append("      - fetch: { \((arguments + words).joined(separator: ", ")) }")
            case .wait(let duration): lines.append("      - wait: \(duration.spelling)")
            case .failure(let origins): lines.append("      - set: { \(answers(failing: origins)) }")
            }
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private func answers(failing: [String]) -> String {
        scripted.map { "\(Self.word($0)): \(failing.contains($0) ? "{ error: status 500 }" : "'\(Self.payload)'")" }.joined(separator: ", ")
    }

    /// `text` as it can stand in braces: in quotes unless all readers take it for text.
    static func word(_ text: String) -> String {
        let isPlain =
            text.first?.isLetter == true && text.last != " "
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: " "): true
                default: false
                }
            }
        let isWord = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"].contains(text.lowercased())
        return isPlain && !isWord ? text : JSONText.string(text).text
    }
}
