internal import Pipeline
import PipelineComposing
internal import PipelineConfig
internal import PipelineJSON
internal import PipelineSending

/// A fetch as a tree for people: the attempts in order, then the writes.
struct TracePrinter {
    let hasColour: Bool
    /// The redactor: a parameter may have a secret for its default.
    let redactor: Redactor

    /// - Parameters:
    ///   - writes: the writes of the outcome, as they stand when this is printed.
    ///   - isRefreshing: whether a refresh in the background outlives the fetch.
    func text(_ outcome: Outcome, writes: [WriteRecord], isRefreshing: Bool = false) -> String {
        var branches = branches(of: outcome, writes)
        if isRefreshing { branches.append(Branch(text: "refreshing in the background")) }
        return ([headline(outcome).printable] + Branch.lines(branches)).joined(separator: "\n") + "\n"
    }

    /// The attempts, with what became of the parts below the one that asked them, and the writes.
    private func branches(of outcome: Outcome, _ writes: [WriteRecord]) -> [Branch] {
        let width = (outcome.attempts.map(\.source) + writes.map(\.source)).map(\.printable.count).max() ?? 0
        let words = outcome.attempts.map(\.outcome.rawValue.count).max() ?? 0
        // Those that the composite asked in vain, where something else is the answer.
        let attempted = parts(outcome.attemptedParts)
        var made = parts(outcome.parts)
        var branches = outcome.attempts.map { attempt in
            if attempt.source != CompositeSpec.placeName { return Branch(text: line(attempt, width: width, words: words)) }
            defer { if attempted.isEmpty { made = [] } }
            return Branch(text: line(attempt, width: width, words: words), branches: attempted.isEmpty ? made : attempted)
        }
        branches += made + outcome.links.map { Branch(text: line($0)) }
        if !outcome.sends.isEmpty { branches.append(Branch(text: line(outcome.sends))) }
        return branches + writes.map { Branch(text: line($0, width: width)) }
    }

    /// A branch for each part, with the attempts of its own fetch. What a part tells of its own parts stands below it, and not here again.
    private func parts(_ parts: [PartOutcome]) -> [Branch] {
        struct Place: Hashable {
            let at: String
            let key: Key?
        }
        var nested: Set<Place> = []
        for part in parts {
            for inner in part.outcome?.parts ?? [] where inner.isToldOf {
                nested.insert(Place(at: part.at + inner.at, key: inner.key))
                nested.insert(Place(at: part.at, key: inner.key))
            }
        }
        let own = parts.filter { !$0.isToldOf || !nested.contains(Place(at: $0.at, key: $0.key)) }
        let width = own.contains { !$0.at.isEmpty } ? own.map { Self.name(of: $0).printable.count }.max() ?? 0 : 0
        return own.map { part in
            Branch(
                text: line(part, width: width),
                branches: (part.outcome.map { branches(of: $0, []) } ?? []) + part.links.map { Branch(text: line($0)) })
        }
    }

    private func line(_ part: PartOutcome, width: Int) -> String {
        let name = part.key.map(words) ?? part.pipeline
        let isExplained = part.outcome.map { if case .failed = $0.result { true } else { false } } ?? false
        let remarks = [
            name, part.outcome?.isStale == true ? "stale" : nil, isExplained ? nil : part.problem?.message,
            part.usesDefault ? "its default is used" : nil,
        ]
        return (width == 0 ? "" : padded(Self.name(of: part), width) + "  ") + coloured(part.ending.rawValue, colour(of: part.ending))
            + "  "
            + remarks.compactMap { $0?.printable }.joined(separator: ", ")
    }

    /// The place of a part in the composite; the pipeline of a part that is all of it.
    private static func name(of part: PartOutcome) -> String { part.at.isEmpty ? part.pipeline : part.at }

    /// `link author  4 of user: 3 from memory, 1 from users, in 1 batch`.
    private func line(_ link: FollowedLink) -> String {
        let counts =
            link.sources.map { "\($0.count) from \($0.name)" }
            + [
                (link.known, "already loaded"), (link.notFound, "not found"), (link.failed, "failed"),
            ].filter { $0.0 > 0 }.map { "\($0) \($1)" }
        let batches = link.batchCount == 0 ? [] : ["in \(link.batchCount) batch\(link.batchCount == 1 ? "" : "es")"]
        let ignored = link.ignored == 0 ? [] : ["\(link.ignored) not asked for"]
        let words =
            link.pipeline.map { "\(link.count) of \($0): \((counts + batches + ignored).joined(separator: ", "))" } ?? "no references"
        return "link \(link.path)  \(words)".printable
    }

    /// `2 sends are laid over the value: add_friend waiting, rename_friend sending`.
    private func line(_ sends: [LaidSend]) -> String {
        let words = sends.map { "\($0.send) \($0.state.rawValue)" }.joined(separator: ", ")
        return "\(SendPrinter.count(sends.count)) \(sends.count == 1 ? "is" : "are") laid over the value: \(words)".printable
    }

    private func colour(of ending: PartOutcome.Ending) -> Int {
        switch ending {
        case .value: 32
        case .notFound: 33
        case .failed: 31
        case .skipped: 90
        }
    }

    private func words(_ key: Key) -> String {
        key.pipeline + key.parameters.map { " \($0.name)=\(redactor.redacted($0.value))" }.joined()
    }

    private func headline(_ outcome: Outcome) -> String {
        let key = words(outcome.key)
        return switch outcome.result {
        case .value:
            "\(key): value \(outcome.source.map { "from \($0)" } ?? (outcome.sends.isEmpty ? "from ?" : "of sends alone")), "
                + [
                    outcome.staleReason.map { "stale (\($0))" }, outcome.age.map { "age \(Self.words($0))" },
                    outcome.isStale ? nil : outcome.freshFor.map { "fresh for \(Self.words($0))" } ?? "no limit",
                ].compactMap { $0 }.joined(separator: ", ")
        case .notFound: "\(key): not found" + (outcome.source.map { ", says \($0)" } ?? "")
        case .failed: "\(key): failed"
        }
    }

    private func line(_ attempt: Attempt, width: Int, words: Int) -> String {
        let time = attempt.duration > .zero ? "  \(Self.milliseconds(attempt.duration))" : ""
        let word = attempt.outcome.rawValue
        let remark = [attempt.reason, attempt.detail].compactMap { $0?.printable }.joined(separator: ": ")
        let gap = String(repeating: " ", count: time.isEmpty && remark.isEmpty ? 0 : words - word.count)
        return padded(attempt.source, width) + "  " + coloured(word, colour(of: attempt.outcome)) + gap + time
            + (remark.isEmpty ? "" : "  " + remark)
    }

    private func line(_ write: WriteRecord, width: Int) -> String {
        padded(write.source, width) + "  " + coloured(write.outcome.rawValue, write.outcome == .failed ? 31 : 34)
            + (write.reason.map { "  \($0.printable)" } ?? "")
    }

    private func colour(of outcome: Attempt.Outcome) -> Int {
        switch outcome {
        case .hit: 32
        case .stale, .notFound: 33
        case .error, .timeout, .invalid: 31
        case .miss, .expired, .skipped: 90
        }
    }

    private func coloured(_ text: String, _ colour: Int) -> String {
        hasColour ? "\u{1B}[\(colour)m\(text)\u{1B}[0m" : text
    }

    private func padded(_ text: String, _ width: Int) -> String {
        text.printable + String(repeating: " ", count: max(0, width - text.printable.count))
    }

    static func milliseconds(_ duration: Duration) -> String {
        JSONText.milliseconds((duration.milliseconds * 100).rounded() / 100).text + " ms"
    }

    static func words(_ duration: Duration) -> String {
        duration < .seconds(1)
            ? "\(Int(duration.milliseconds))ms" : Duration.seconds(duration.components.seconds).written ?? ""
    }
}

/// A line of a tree, and those below it.
private struct Branch {
    let text: String
    var branches: [Branch] = []

    static func lines(_ branches: [Branch]) -> [String] {
        branches.enumerated().flatMap { index, branch in
            let isLast = index == branches.count - 1
            return [(isLast ? "└─ " : "├─ ") + branch.text] + lines(branch.branches).map { (isLast ? "   " : "│  ") + $0 }
        }
    }
}
