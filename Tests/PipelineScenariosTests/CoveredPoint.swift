import Testing

/// A point of coverage, steps in which it happens, and steps that come close and in which it does not.
struct CoveredPoint: Sendable, CustomTestStringConvertible {
    let pipeline: String
    let element: String
    let branch: String
    let given: String
    let steps: String
    let nearlyGiven: String
    let nearly: String

    init(_ pipeline: String, _ element: String, _ branch: String, _ given: String, _ steps: String, not nearlyGiven: String) {
        self.init(pipeline, element, branch, given, steps, nearlyGiven, steps)
    }

    init(
        _ pipeline: String, _ element: String, _ branch: String, _ given: String, _ steps: String, _ nearlyGiven: String? = nil,
        _ nearly: String
    ) {
        (self.pipeline, self.element, self.branch, self.given, self.steps) = (pipeline, element, branch, given, steps)
        (self.nearlyGiven, self.nearly) = (nearlyGiven ?? given, nearly)
    }

    var testDescription: String { "\(pipeline): \(element) \(branch)" }

    private static let value = "{ api: '[1]' }"
    /// The cache below memory takes longer to answer than a stale copy waits.
    private static let slow = "{ far: { takes: 1s }, api: '[1]' }"

    static let all = tiers + writes + policies

    private static let tiers = [
        CoveredPoint("plain", "memory", "hit", value, "fetch, fetch", nil, "fetch, { wait: 10s }, fetch"),
        CoveredPoint("plain", "memory", "miss", value, "fetch", not: "{ memory: { holds: '[1]' }, api: '[1]' }"),
        CoveredPoint("plain", "memory", "expired", value, "fetch, { wait: 10s }, fetch", nil, "fetch, { wait: 9999ms }, fetch"),
        CoveredPoint("while", "memory", "stale", value, "fetch, { wait: 10s }, fetch", nil, "fetch, { wait: 1m }, { wait: 10s }, fetch"),
        CoveredPoint("absent", "memory", "not_found", "{ api: not_found }", "fetch, fetch", nil, "fetch, { wait: 5s }, fetch"),
        CoveredPoint("two", "disk", "error", "{ disk: { down: true }, api: '[1]' }", "fetch", not: value),
        CoveredPoint("two", "disk", "invalid", "{ disk: { holds: invalid }, api: '[1]' }", "fetch", not: value),
        CoveredPoint(
            "two", "disk", "timeout", "{ disk: { takes: 31s }, api: '[1]' }", "fetch", not: "{ disk: { takes: 29s }, api: '[1]' }"),
        CoveredPoint("limited", "api", "hit", "{ api: '[1]', backup: '[2]' }", "fetch", not: "{ api: error, backup: '[2]' }"),
        CoveredPoint("limited", "api", "not_found", "{ api: not_found, backup: '[2]' }", "fetch", not: "{ api: error, backup: '[2]' }"),
        CoveredPoint("limited", "api", "error", "{ api: error, backup: '[2]' }", "fetch", not: "{ api: not_found, backup: '[2]' }"),
        CoveredPoint("limited", "api", "invalid", "{ api: invalid, backup: '[2]' }", "fetch", not: "{ api: error, backup: '[2]' }"),
        CoveredPoint("limited", "api", "timeout", "{ api: hangs, backup: '[2]' }", "fetch", not: "{ api: error, backup: '[2]' }"),
        CoveredPoint("unread", "memory", "skipped", value, "fetch", nil, "{ wait: 1s }"),
        CoveredPoint(
            "guarded", "api", "skipped", "{ api: error, backup: '[2]' }", "fetch, { wait: 1s }, fetch, { wait: 1s }, fetch", nil,
            "fetch, { wait: 1s }, fetch"),
    ]

    private static let writes = [
        CoveredPoint("two", "memory write", "written", value, "fetch", nil, "{ fetch: { policy: no-store } }"),
        CoveredPoint("two", "disk write", "scheduled", "{ disk: { takes: 1s }, api: '[1]' }", "fetch", not: value),
        CoveredPoint("two", "disk write", "failed", "{ disk: { down: writes }, api: '[1]' }", "fetch", not: value),
        CoveredPoint("network", "disk write", "unchanged", value, "fetch, fetch", nil, "fetch, { wait: 1s }, fetch"),
        CoveredPoint("network", "disk write", "renewed", value, "fetch, { wait: 1s }, fetch", not: "{ api: ['[1]', '[2]'] }"),
        CoveredPoint("late", "disk debounce", "late", value, "fetch, { wait: 2s }", nil, "fetch, { wait: 1999ms }"),
        CoveredPoint("late", "disk debounce", "flushed", value, "fetch, { wait: 1999ms }, flush", nil, "fetch, { wait: 2s }, flush"),
        CoveredPoint("late", "disk debounce", "dropped", value, "fetch, { wait: 1999ms }, kill", nil, "fetch, { wait: 2s }, kill"),
        CoveredPoint("late", "disk debounce", "dropped", value, "fetch, remove", nil, "fetch, { wait: 2s }, remove"),
        CoveredPoint("capped", "disk debounce", "at max_delay", value, puts(5), nil, puts(3)),
        CoveredPoint("two", "write_back api → disk", "written", value, "fetch", not: "{ disk: { holds: '[1]' } , api: '[1]' }"),
        CoveredPoint("two", "write_back disk → memory", "written", "{ disk: { holds: '[1]' }, api: '[1]' }", "fetch", not: value),
        CoveredPoint("routed", "write_back api → disk", "written", value, "fetch", not: "{ api: error }"),
    ]

    private static func puts(_ count: Int) -> String {
        (1...count).map { "{ put: { is: '[\($0)]' } }, { wait: 1s }" }.joined(separator: ", ") + ", { wait: 2s }"
    }

    private static let policies = [
        CoveredPoint("plain", "memory ttl", "crossed", value, "fetch, { wait: 10s }, fetch", nil, "fetch, { wait: 9999ms }, fetch"),
        CoveredPoint("retried", "api retry", "second try", "{ api: [error, '[1]'] }", "fetch", not: value),
        CoveredPoint(
            "guarded", "api circuit_breaker", "open", "{ api: error, backup: '[2]' }", "fetch, { wait: 1s }, fetch, { wait: 1s }, fetch",
            nil, "fetch, { wait: 1s }, fetch"),
        CoveredPoint(
            "guarded", "api circuit_breaker", "half open", "{ api: error, backup: '[2]' }",
            "fetch, { wait: 1s }, fetch, { wait: 30s }, fetch", nil, "fetch, { wait: 1s }, fetch, { wait: 29s }, fetch"),
        CoveredPoint(
            "guarded", "api circuit_breaker", "closed", "{ api: [error, error, '[1]'], backup: '[2]' }",
            "fetch, { wait: 1s }, fetch, { wait: 30s }, fetch", not: "{ api: error, backup: '[2]' }"),
        CoveredPoint("strict", "api on_error", "fail", "{ api: error, backup: '[2]' }", "fetch", not: "{ api: not_found, backup: '[2]' }"),
        CoveredPoint(
            "onward", "api on_not_found", "next", "{ api: not_found, backup: '[2]' }", "fetch", not: "{ api: error, backup: '[2]' }"),
        CoveredPoint("counted", "api on_not_found", "fail", "{ api: not_found }", "fetch", not: "{ api: error }"),
        CoveredPoint(
            "soft", "api soft_timeout", "passed", "{ memory: { holds: '[1]', age: 11s }, api: { is: '[2]', takes: 1s } }", "fetch",
            not: "{ memory: { holds: '[1]', age: 11s }, api: { is: '[2]', takes: 50ms } }"),
        CoveredPoint(
            "timed", "deadline", "passed", "{ api: { is: '[1]', takes: 2s }, backup: '[2]' }", "fetch",
            not: "{ api: { is: '[1]', takes: 500ms }, backup: '[2]' }"),
        CoveredPoint("while", "stale_while_revalidate", "within", value, "fetch, { wait: 69s }, fetch", nil, "fetch, { wait: 70s }, fetch"),
        CoveredPoint("while", "stale_while_revalidate", "passed", value, "fetch, { wait: 70s }, fetch", nil, "fetch, { wait: 69s }, fetch"),
        CoveredPoint(
            "after", "stale_if_error", "within", "{ api: ['[1]', error] }", "fetch, { wait: 1h }, fetch", nil,
            "fetch, { wait: 1h }, { wait: 10s }, fetch"),
        CoveredPoint(
            "after", "stale_if_error", "passed", "{ api: ['[1]', error] }", "fetch, { wait: 1h }, { wait: 10s }, fetch", nil,
            "fetch, { wait: 1h }, fetch"),
        CoveredPoint(
            "after", "stale_if_error", "paused", "{ api: ['[1]', error, always: '[2]'] }", "fetch, { wait: 10s }, fetch, fetch", nil,
            "fetch, { wait: 10s }, fetch, { wait: 1s }, fetch"),
        CoveredPoint("ahead", "refresh_ahead", "refreshed", value, "fetch, { wait: 8s }, fetch", nil, "fetch, { wait: 7s }, fetch"),
        CoveredPoint(
            "bottom-while", "stale_while_revalidate", "found below", slow, "fetch, { wait: 31s }, fetch, { wait: 2s }", nil,
            "fetch, { wait: 31s }, remove, fetch, { wait: 2s }"),
        CoveredPoint(
            "bottom-while", "stale_while_revalidate", "found below", value, "fetch, { wait: 89s }, fetch", nil,
            "fetch, { wait: 90s }, fetch"),
        CoveredPoint(
            "bottom-ahead", "refresh_ahead", "found below", value, "fetch, { wait: 24s }, fetch", nil, "fetch, { wait: 23s }, fetch"),
        CoveredPoint(
            "bottom-ahead", "refresh_ahead", "found below", slow, "fetch, { wait: 28s }, fetch, { wait: 2s }",
            not: "{ far: { down: true }, api: '[1]' }"),
        CoveredPoint("absent", "not_found_ttl", "remembered", "{ api: not_found }", "fetch, fetch", nil, "fetch, { wait: 5s }, fetch"),
    ]
}
