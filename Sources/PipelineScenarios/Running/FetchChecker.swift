internal import Pipeline
import PipelineComposing
internal import PipelineConfig
import PipelineSending

/// Compares a fetch with what is expected of it.
struct FetchChecker {
    struct Mismatch {
        let field: String
        let actual: String
        let expected: String
        let range: TextRange

        /// `stale is true, expected false`.
        var message: String {
            switch field {
            case "is", "bytes", "json": "the value is \(actual), expected \(expected)"
            case "tiers", "writes", "parts", "sends": "\(field) are \(actual), expected \(expected)"
            default: "\(field) is \(actual), expected \(expected)"
            }
        }
    }

    let expected: FetchExpectation
    let order: String?
    let orders: [String]
    let format: PayloadFormat
    let redactor: Redactor

    /// The fields that were compared, and the first that does not agree.
    func check(_ fetch: FinishedFetch) -> (checked: [String], Mismatch?) {
        var checked: [String] = []
        for (field, compare) in comparisons {
            guard let mismatch = compare(fetch) else { continue }
            checked.append(field)
            if let found = mismatch.found { return (checked, found) }
        }
        return (checked, nil)
    }

    /// A comparison that was made, and what it found.
    private struct Compared {
        let found: Mismatch?
    }

    private var comparisons: [(String, (FinishedFetch) -> Compared?)] {
        [
            ("is", value), ("bytes", bytes), ("json", json), ("not_found", notFound), ("error", error), ("from", source), ("stale", stale),
            ("age", age), ("fresh_for", freshFor), ("took", took), ("tiers", tiers), ("writes", writes),
            ("parts", parts), ("complete", complete), ("sends", sends),
        ]
    }

    private func at<Value>(_ expected: Expected<Value>?) -> Placed<Value>? { expected?.value(in: order, of: orders) }

    private func compared<Value>(
        _ field: String, _ isEqual: Bool, _ actual: @autoclosure () -> String, _ expected: Placed<Value>, _ words: @autoclosure () -> String
    ) -> Compared {
        Compared(found: isEqual ? nil : Mismatch(field: field, actual: actual(), expected: words(), range: expected.range))
    }

    private func payload(_ fetch: FinishedFetch) -> [UInt8]? { (try? fetch.outcome?.payload) ?? nil }

    /// The answer of the fetch, for people.
    private func words(_ fetch: FinishedFetch) -> String {
        if let error = fetch.error(redactor) { return "missing (\(error))" }
        return payload(fetch).map { String(decoding: $0, as: UTF8.self).shortened(to: 200) } ?? "not found"
    }

    private func value(_ fetch: FinishedFetch) -> Compared? {
        guard let expected = at(expected.value) else { return nil }
        let (bytes, found) = (expected.value.bytes, payload(fetch))
        let isEqual = found.map { $0 == bytes || format == .json && JSONEquality.areEqual($0, bytes) } ?? false
        return compared("is", isEqual, words(fetch), expected, expected.value.text)
    }

    private func bytes(_ fetch: FinishedFetch) -> Compared? {
        guard let expected = at(expected.bytes) else { return nil }
        return compared("bytes", payload(fetch) == expected.value.bytes, words(fetch), expected, expected.value.text)
    }

    private func json(_ fetch: FinishedFetch) -> Compared? {
        guard let expected = at(expected.json) else { return nil }
        let isEqual = payload(fetch).map { JSONEquality.areEqual($0, Array(expected.value.text.utf8)) } ?? false
        return compared("json", isEqual, words(fetch), expected, expected.value.text)
    }

    private func notFound(_ fetch: FinishedFetch) -> Compared? {
        guard let expected = at(expected.notFound) else { return nil }
        let isNotFound = if case .notFound = fetch.outcome?.result { true } else { false }
        return compared("not_found", isNotFound == expected.value, "\(isNotFound)", expected, "\(expected.value)")
    }

    private func error(_ fetch: FinishedFetch) -> Compared? {
        guard let expected = at(expected.error) else { return nil }
        let error = fetch.error(redactor)
        switch (expected.value.isPlain, expected.value.text) {
        case (true, "true"): return compared("error", error != nil, "none (\(words(fetch)))", expected, "one")
        case (true, "false"): return compared("error", error == nil, error ?? "", expected, "none")
        default:
            let contains = error?.contains(expected.value.text) ?? false
            return compared("error", contains, error ?? "none (\(words(fetch)))", expected, expected.value.text)
        }
    }

    private func source(_ fetch: FinishedFetch) -> Compared? {
        guard let expected = at(expected.source) else { return nil }
        let source = fetch.outcome?.source
        return compared("from", source == expected.value, source ?? "no source", expected, expected.value)
    }

    private func stale(_ fetch: FinishedFetch) -> Compared? {
        guard let expected = at(expected.isStale) else { return nil }
        guard let outcome = fetch.outcome, payload(fetch) != nil else {
            return compared("stale", false, words(fetch), expected, "\(expected.value)")
        }
        return compared("stale", outcome.isStale == expected.value, "\(outcome.isStale)", expected, "\(expected.value)")
    }

    private func age(_ fetch: FinishedFetch) -> Compared? {
        guard let expected = at(expected.age) else { return nil }
        let age = fetch.outcome?.age
        return compared("age", age == expected.value, age?.spelling ?? words(fetch), expected, expected.value.spelling)
    }

    private func freshFor(_ fetch: FinishedFetch) -> Compared? {
        guard let expected = at(expected.freshFor) else { return nil }
        let words = expected.value.limit?.spelling ?? "none"
        guard payload(fetch) != nil, let outcome = fetch.outcome else {
            return compared("fresh_for", false, self.words(fetch), expected, words)
        }
        return compared("fresh_for", outcome.freshFor == expected.value.limit, outcome.freshFor?.spelling ?? "none", expected, words)
    }

    private func took(_ fetch: FinishedFetch) -> Compared? {
        guard let expected = at(expected.took) else { return nil }
        return compared("took", fetch.took == expected.value, fetch.took.spelling, expected, expected.value.spelling)
    }

    private func tiers(_ fetch: FinishedFetch) -> Compared? {
        guard let expected = at(expected.tiers) else { return nil }
        let actual = fetch.outcome?.attempts.map { TraceWord($0) }
        return compared(
            "tiers", actual == expected.value.map(\.value), actual?.words ?? words(fetch), expected, expected.value.map(\.value).words)
    }

    private func parts(_ fetch: FinishedFetch) -> Compared? {
        guard let expected = at(expected.parts) else { return nil }
        let actual = fetch.outcome?.parts.filter(\.isToldOf).map { TraceWord($0.at.isEmpty ? $0.pipeline : $0.at, $0.ending.rawValue) }
        return compared(
            "parts", actual == expected.value.map(\.value), actual?.words ?? words(fetch), expected, expected.value.map(\.value).words)
    }

    private func complete(_ fetch: FinishedFetch) -> Compared? {
        guard let expected = at(expected.isComplete) else { return nil }
        let isComplete = fetch.outcome?.isComplete
        return compared(
            "complete", isComplete == expected.value, isComplete.map { "\($0)" } ?? words(fetch), expected, "\(expected.value)")
    }

    private func sends(_ fetch: FinishedFetch) -> Compared? {
        guard let expected = at(expected.sends) else { return nil }
        let actual = fetch.outcome?.sends.map { TraceWord($0) }
        return compared(
            "sends", actual == expected.value.map(\.value), actual?.words ?? words(fetch), expected, expected.value.map(\.value).words)
    }

    private func writes(_ fetch: FinishedFetch) -> Compared? {
        guard let expected = at(expected.writes) else { return nil }
        let actual = fetch.outcome?.writes.map { TraceWord($0.source, $0.outcome.rawValue) }
        return compared(
            "writes", actual == expected.value.map(\.value), actual?.words ?? words(fetch), expected, expected.value.map(\.value).words)
    }
}

extension [TraceWord] {
    var words: String { "[" + map(\.description).joined(separator: ", ") + "]" }
}

extension Error {
    /// The problem on one line.
    var line: String {
        guard let error = self as? UsageError else { return "\(self)" }
        return ([error.message] + [error.help].compactMap(\.self)).joined(separator: "; ")
    }
}

/// A fetch that has ended.
struct FinishedFetch: Sendable {
    let result: Result<Outcome, any Error>
    let took: Duration

    var outcome: Outcome? { try? result.get() }

    /// The reason why there is no value; nil if the fetch came to an answer.
    func error(_ redactor: Redactor) -> String? {
        switch result {
        case .failure(let error): return error is CancellationError ? "cancelled" : redactor.redacted(error.line)
        case .success(let outcome): return outcome.error.map { redactor.redacted("\($0)") }
        }
    }
}
