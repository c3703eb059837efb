internal import Pipeline
internal import PipelineConfig
internal import PipelineJSON

/// A fetch as a tree for people: the attempts in order, then the writes.
struct TracePrinter {
    let hasColour: Bool
    /// A parameter may have a secret for its default.
    let redactor: Redactor

    /// - Parameters:
    ///   - writes: those of the outcome, as they stand when this is printed.
    ///   - isRefreshing: whether a refresh in the background outlives the fetch.
    func text(_ outcome: Outcome, writes: [WriteRecord], isRefreshing: Bool = false) -> String {
        let width = (outcome.attempts.map(\.source) + writes.map(\.source)).map(\.printable.count).max() ?? 0
        let words = outcome.attempts.map(\.outcome.rawValue.count).max() ?? 0
        var branches = outcome.attempts.map { line($0, width: width, words: words) } + writes.map { line($0, width: width) }
        if isRefreshing { branches.append("refreshing in the background") }
        let lines = branches.enumerated().map { index, branch in (index == branches.count - 1 ? "└─ " : "├─ ") + branch }
        return ([headline(outcome).printable] + lines).joined(separator: "\n") + "\n"
    }

    private func headline(_ outcome: Outcome) -> String {
        let key = outcome.key.pipeline + outcome.key.parameters.map { " \($0.name)=\(redactor.redacted($0.value))" }.joined()
        return switch outcome.result {
        case .value:
            "\(key): value from \(outcome.source ?? "?"), "
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
