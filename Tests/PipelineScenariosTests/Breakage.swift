import Pipeline
import PipelineConfig
import PipelineScenarios
import PipelineYAML
import Testing

/// A rule of a pipeline that is broken, and the scenario that is meant for it.
struct Breakage: Sendable, CustomTestStringConvertible {
    let pipeline: String
    /// What stands in the line of the pipeline, and what takes its place.
    let rule: String
    let broken: String
    let scenario: String

    init(_ pipeline: String, _ rule: String, _ broken: String, _ scenario: String) {
        (self.pipeline, self.rule, self.broken, self.scenario) = (pipeline, rule, broken, scenario)
    }

    var testDescription: String { "\(pipeline): \(rule) → \(broken)" }

    /// The configuration with the rule broken; nil where the line does not say so.
    func report(of config: ConfigFile) -> ConfigReport? {
        var lines = String(decoding: config.text, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard let index = lines.firstIndex(where: { $0.hasPrefix("  \(pipeline): ") }), let range = lines[index].ranges(of: rule).first
        else {
            return nil
        }
        lines[index].replaceSubrange(range, with: broken)
        return ConfigFile(text: Array(lines.joined(separator: "\n").utf8), name: config.name).report(
            plugins: Tested.plugins, environment: ConfigEnvironment([:]))
    }

    static let all = [
        Breakage("plain", "ttl: 10s", "ttl: 9999999999ns", "a copy is fresh one nanosecond before its ttl"),
        Breakage("plain", "ttl: 10s", "ttl: 10000000001ns", "a copy is expired at its ttl"),
        Breakage("plain", "{ source: memory, ttl: 10s }, api", "api", "an answer is as old as its load"),
        Breakage("two", "ttl: 1m", "ttl: 2m", "a copy never outlives the one it was made from"),
        Breakage("plain", "ttl: 10s", "ttl: 3s", "an answer's own limit cuts the ttl"),
        Breakage("spread", "jitter: 50%", "jitter: 100%", "jitter only ever shortens a ttl, by at most its part"),
        Breakage("plain", "ttl: 10s", "ttl: 5s", "a stepped wall clock expires nothing in the process"),
        Breakage(
            "three", "{ source: disk, ttl: 1m }, { source: far, ttl: 1h }", "{ source: far, ttl: 1h }, { source: disk, ttl: 1m }",
            "each cache below the miss is asked, and those above get the answer"),
        Breakage("three", "{ source: far, ttl: 1h }", "{ source: far, ttl: 1h, write: false }", "an origin's answer goes to every cache"),
        Breakage("limited", ", backup", "", "all tiers fail"),
        Breakage("plain", "api]", "api], format: text", "an answer that is not JSON is invalid and goes nowhere"),
        Breakage("limited", "timeout: 1s", "timeout: 1s, on_not_found: next", "not found is an answer and stops"),
        Breakage("text", "format: text", "format: json", "text is compared byte for byte"),
        Breakage("limited", "timeout: 1s", "timeout: 2s", "a tier that takes too long is passed over at its timeout"),
        Breakage("limited", "timeout: 1s", "timeout: 500ms", "an answer just before the timeout counts"),
        Breakage("timed", ", deadline: 1s", "", "the deadline ends the whole fetch"),
        Breakage("soft", ", soft_timeout: 100ms", "", "a soft timeout serves what there is, and the load goes on"),
        Breakage("soft", ", stale_if_error: 1h", "", "a soft timeout serves what there is, and the load goes on"),
        Breakage("while", ", stale_while_revalidate: 1m", "", "within stale_while_revalidate nobody waits"),
        Breakage(
            "while", "stale_while_revalidate: 1m", "stale_while_revalidate: 2m",
            "at the end of stale_while_revalidate the origin is waited for"),
        Breakage("while", "stale_while_revalidate: 1m", "stale_while_revalidate: 30s", "just before its end it is served"),
        Breakage("after", ", stale_if_error: 1h", "", "within stale_if_error the copy is served when the origin fails"),
        Breakage("after", "stale_if_error: 1h", "stale_if_error: 2h", "at the end of stale_if_error the failure counts"),
        Breakage("after", "api]", "{ source: api, on_not_found: fail }]", "stale_if_error does not hide that the value is gone"),
        Breakage("ahead", "refresh_ahead: 0.8", "refresh_ahead: 0.9", "refresh_ahead loads before the copy expires"),
        Breakage("ahead", "refresh_ahead: 0.8", "refresh_ahead: 0.4", "refresh_ahead loads before the copy expires"),
        Breakage("absent", ", not_found_ttl: 5s", "", "not found is remembered for not_found_ttl"),
        Breakage("absent", "not_found_ttl: 5s", "not_found_ttl: 6s", "not found is remembered for not_found_ttl"),
        Breakage("plain", "api]", "api], not_found_ttl: 5s", "without not_found_ttl it is asked each time"),
        Breakage("onward", "on_not_found: next", "on_not_found: stop", "on_not_found next asks on"),
        Breakage("counted", "on_not_found: fail", "on_not_found: stop", "on_not_found fail keeps the copy"),
        Breakage("strict", "on_error: fail", "on_error: next", "on_error fail ends the fetch"),
        Breakage("retried", "attempts: 3", "attempts: 1", "a second try helps"),
        Breakage("retried", "attempts: 3", "attempts: 2", "three tries are the most"),
        Breakage("guarded", "failures: 2", "failures: 3", "a circuit opens after its failures and rests"),
        Breakage("guarded", "open_for: 30s", "open_for: 1m", "a circuit opens after its failures and rests"),
        Breakage("guarded", "open_for: 30s", "open_for: 10s", "a circuit that fails half open rests again"),
        Breakage("guarded", "failures: 2", "failures: 1", "a rejected request proves that the server is well"),
        Breakage("fallback", ", standard", "", "a last resort comes when all else fails, and is kept nowhere"),
        Breakage("fallback", ", stale_if_error: 1h", "", "a stale copy goes before a last resort"),
        Breakage("unread", ", read: false", "", "read false is not asked, and written"),
        Breakage("unwritten", ", write: false", "", "write false is asked, and not written"),
        Breakage("nowhere", ", write_back: none", "", "write_back none keeps nothing"),
        Breakage("routed", "api: [disk]", "api: [memory]", "write_back goes where it says"),
        Breakage("late", ", debounce: 2s", "", "a debounced value is written after the quiet time"),
        Breakage("late", "debounce: 2s", "debounce: 4s", "a debounced value is written after the quiet time"),
        Breakage("capped", "max_delay: 5s", "max_delay: 10s", "puts every second are written at max_delay"),
        Breakage(
            "late", "debounce: 2s", "debounce: 2s, max_delay: 10s", "without a max_delay a debounced write waits ten times its debounce"),
        Breakage("network", "[api, { source: disk, ttl: 10m }]", "[{ source: disk, ttl: 10m }, api]", "an equal answer renews the copy"),
        Breakage("network", ", { source: disk, ttl: 10m }", "", "an equal answer renews the copy"),
        Breakage("two", "{ source: disk, ttl: 1m }, ", "", "a restart forgets memory and keeps the disk"),
    ]
}
