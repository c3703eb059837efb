import Pipeline
import PipelineConfig
import PipelineYAML
import Testing

@testable import PipeRunKit
@testable import PipelineReports

/// The sentences of `explain`, one by one.
@Suite struct ExplanationTests {
    private static let sources = """
        sources:
          m: { type: memory }
          d: { type: file, path: "x/{key}" }
          e: { type: file, path: "y/{key}" }
          o: { type: http, url: "http://h/{key}" }
          t: { type: http, url: "http://h/{key}", timeout: 2s }
          f: { type: file, path: x.json, read_only: true }
          a: { type: constant }
        pipelines:
        """

    private static let plugins =
        Reading.plugins + [
            SourcePlugin(origin: "constant", summary: "Always the same.", capabilities: [.alwaysAnswers]) { _ in throw CancellationError() }
        ]

    private static func explanation(_ pipeline: String, order: [String]? = nil) -> Explanation? {
        let report = Reading.report(sources + "\n  p: \(pipeline)\n", plugins: plugins)
        #expect(!report.diagnostics.hasErrors, "\(report.summary)")
        let effective = EffectiveConfig(report, folder: "", plugins: plugins, environment: Reading.environment)
        guard let plan = try? report.plan.pipeline("p") else { return nil }
        let asked = (try? order.map { try plan.asking($0, from: report.plan.sources) } ?? plan) ?? plan
        return Explanation(asked, sourceLimits: SourceLimits.of(effective, plugins: plugins), isTried: order != nil)
    }

    /// The sentences of a section, each with its lines: `… [9, default]`.
    private static func sentences(_ id: String, _ pipeline: String, order: [String]? = nil) -> [String] {
        let section = explanation(pipeline, order: order)?.sections.first { $0.id == id }
        return section?.sentences.map { sentence in
            let grounds = sentence.grounds.map { ground in
                switch ground {
                case .place(let range): "\(range.start.line)"
                case .byDefault: "default"
                case .order: "order"
                case .always: "always"
                }
            }
            return "\(sentence.text) [\(grounds.joined(separator: ", "))]"
        } ?? []
    }

    @Test func `says what is asked, and in which order`() {
        #expect(
            Self.sentences("asking", "{ tiers: [m, d, o] }") == [
                "A fetch of `p` asks `m` (memory) first, then `d` (file), then `o` (http), and stops at the first answer. [10, 10, 10]",
                "A payload that is not JSON is invalid, and counts as a failure of the tier that gave it. [default]",
                "Fetches of one key at the same time share one load. [always]",
                "`o` is asked by at most 6 requests at once at first (the limit adapts); up to 1000 wait. [default]",
            ])
        #expect(Self.sentences("asking", "{ format: bytes, tiers: [o] }").contains("A payload may be any bytes. [10]"))
        #expect(Self.sentences("asking", "{ tiers: [o] }").first == "A fetch of `p` asks `o` (http) and nothing else. [10]")
        #expect(
            Self.sentences("asking", "{ tiers: [m, d, o] }", order: ["o", "m"]).first
                == "A fetch of `p` asks `o` (http) first, then `m` (memory), and stops at the first answer. [order, order]")
        #expect(
            Self.sentences("asking", "{ tiers: [{ source: m, read: false }, o] }").contains("`m` is not asked, only written. [10]"))
        #expect(
            Self.sentences("asking", "{ tiers: [{ source: m, read: false }] }").first
                == "A fetch of `p` asks nothing: every tier says `read: false`. [10]")
        #expect(
            Self.sentences("asking", "{ parameters: { u: { default: me }, v: }, tiers: [m, o] }").dropFirst().prefix(2) == [
                "It takes the parameter `u`, which is `me` unless it is given. [10]",
                "It takes the parameter `v`, which must be given. [10]",
            ])
        #expect(
            Self.sentences("asking", "{ tiers: [m, a, o] }").contains("`o` is never asked: `a` above it always answers. [10, 10]"))
    }

    @Test func `says when a copy is fresh`() {
        #expect(
            Self.sentences("freshness", "{ tiers: [{ source: m, ttl: 30s, jitter: 12.5% }, d, { source: e, ttl: 0s }, o, f] }") == [
                "A copy in `m` is fresh for at most 30s after it was written there, and never longer than the copy that it was made from. [10]",
                "Each ttl there is shorter by a random part of up to 12.5%, so that copies do not all expire at once. [10]",
                "A copy in `d` is fresh as long as the copy that it was made from: there is no ttl. [default]",
                "`e` keeps nothing: a ttl of 0s is over at once. [10]",
                "`o` is an origin: it gives a fresh value, says that there is none, or fails. [10]",
                "`f` is an origin: it gives a fresh value, has none, or fails. [10]",
            ])
    }

    @Test func `says when stale copies are served`() {
        #expect(Self.sentences("stale", "{ tiers: [m, o] }") == ["An expired copy is never served. [default]"])
        #expect(Self.sentences("stale", "{ tiers: [o] }") == [])
        #expect(
            Self.sentences(
                "stale",
                """

                    stale_while_revalidate: 30s
                    stale_if_error: 1h
                    refresh_ahead: 0.8
                    tiers: [{ source: m, ttl: 1m }, { source: o, soft_timeout: 200ms }]
                """) == [
                    "A copy that expired less than 30s ago is served at once, marked stale, while one refresh runs in the background. [11]",
                    "When the load fails, the newest copy that was found expired is served, marked stale, if it expired less than 1h ago; the "
                        + "origins are then not asked again for this key for 1s. [12]",
                    "When `o` has not answered after 200ms, and a cache above it has a copy that expired less than 1h ago, that copy is served; "
                        + "the load continues, and its answer is written back. [14, 12]",
                    "From 80% of a copy's life on, a fetch that the copy answers starts a refresh in the background. [13]",
                ])
        #expect(
            Self.sentences("stale", "{ tiers: [m, { source: o, soft_timeout: 1s }] }").last
                == "The soft_timeout of `o` does nothing: without `stale_if_error` no copy may be served instead. [10, default]")
        #expect(
            Self.sentences("stale", "{ stale_if_error: 1h, tiers: [{ source: o, soft_timeout: 1s }, m] }").last
                == "The soft_timeout of `o` does nothing: no cache is asked before it. [10, 10]")
    }

    @Test(arguments: [("stale_while_revalidate: 1m", true), ("refresh_ahead: 0.8", true), ("stale_if_error: 1m", false)])
    func `says that a refresh asks the caches below its copy first`(window: String, isSaid: Bool) {
        let sentence =
            "A refresh asks the caches below the copy first, in their order: a fresh copy there that is newer, or has more of its life left, "
            + "is taken, and no origin is asked. [10]"

        let two = Self.sentences("stale", "{ \(window), tiers: [{ source: m, ttl: 30s }, { source: d, ttl: 10m }, o] }")
        let one = Self.sentences("stale", "{ \(window), tiers: [{ source: m, ttl: 30s }, o] }")

        #expect(two.contains(sentence) == isSaid, "\(two)")
        #expect(!one.contains(sentence))
    }

    @Test func `says what is written where and when`() {
        #expect(
            Self.sentences("write_back", "{ tiers: [m, { source: d, debounce: 2s }, { source: e, debounce: 1s, max_delay: 5s }, o] }") == [
                "What `d` answers is written to `m` before the fetch returns. [default]",
                "What `e` answers is written to `m` before the fetch returns, and to `d` after that. [default]",
                "What `o` answers is written to `m` before the fetch returns, and to `d` and `e` after that. [default]",
                "A write to `d` waits until nothing newer came for 2s, at most 20s; a fetch sees the value that waits. [10, default]",
                "A write to `e` waits until nothing newer came for 1s, at most 5s; a fetch sees the value that waits. [10, 10]",
                "A value that a cache holds already is not written again: it counts there from when it was confirmed. [always]",
                "A write that fails never fails the fetch. [always]",
            ])
        #expect(
            Self.sentences("write_back", "{ tiers: [o, d] }").first
                == "What `o` answers is written to `d` after the fetch has returned. [default]")
        #expect(
            Self.sentences("write_back", "{ tiers: [{ source: m, debounce: 1s }, o] }").first
                == "What `o` answers is written to `m` after the fetch has returned. [default]")
        #expect(Self.sentences("write_back", "{ tiers: [o] }") == [])
        // A write to memory cannot fail.
        #expect(
            Self.sentences("write_back", "{ tiers: [m, o] }") == [
                "What `o` answers is written to `m` before the fetch returns. [default]",
                "A value that a cache holds already is not written again: it counts there from when it was confirmed. [always]",
            ])
    }

    @Test func `names the caches that are never filled`() {
        let never = "is never filled: no answer of an origin is written to it. It has only what `pipe-run put` or others store there."

        #expect(
            Self.sentences("write_back", "{ tiers: [m, o], write_back: none }") == [
                "No answer is written to any cache. [10]", "`m` \(never) [10]",
            ])
        #expect(
            Self.sentences("write_back", "{ tiers: [m, d] }").filter { $0.contains("never filled") } == [
                "`m` \(never) [default]", "`d` \(never) [default]",
            ])
        #expect(
            Self.sentences("write_back", "{ tiers: [m, d, o], write_back: { o: [d] } }").filter { $0.contains("never filled") } == [
                "`m` \(never) [10]"
            ])
        #expect(
            Self.sentences("write_back", "{ tiers: [m, { source: d, write: false }, o] }").contains(
                "`d` is never filled: its tier says `write: false`. It has only what others store there. [10]"))
        #expect(
            !Self.sentences("write_back", "{ tiers: [m, d, o], write_back: { o: [d], d: [m] } }").contains { $0.contains("never filled") })
        // What is not asked answers nothing.
        #expect(
            Self.sentences("write_back", "{ tiers: [m, { source: d, read: false }, o], write_back: { o: [d], d: [m] } }").contains(
                "`m` \(never) [10]"))
    }

    @Test(arguments: [
        ("[{ source: m, ttl: 30s }, { source: d, ttl: 10m }, o]", "auto", "at most 10m after"),
        ("[{ source: m, ttl: 1h }, { source: d, ttl: 10m }, o]", "auto", "at most 1h after"),
        // Through the file alone: a copy never outlives the copy it was made from.
        ("[{ source: m, ttl: 1h }, { source: d, ttl: 10m }, o]", "{ o: [d], d: [m] }", "at most 10m after"),
        ("[m, { source: d, ttl: 10m }, o]", "{ o: [d], d: [m] }", "at most 10m after"),
        ("[{ source: m, ttl: 1h }, { source: e, ttl: 1m }, { source: d, ttl: 10m }, o]", "{ o: [d], d: [e], e: [m] }", "at most 10m after"),
        ("[{ source: m, ttl: 30s }, d, o]", "auto", "for ever after an origin gave it: `d` has no ttl."),
        ("[m, d, o]", "auto", "for ever after an origin gave it: `m` and `d` have no ttl."),
        ("[{ source: m, ttl: 30s }, { source: d, read: false }, o]", "auto", "at most 30s after"),
        ("[{ source: m, ttl: 30s }, { source: d, ttl: 0s }, o]", "auto", "at most 30s after"),
        ("[o]", "auto", "Every fetch loads the value anew: no copy is served."),
        ("[o, { source: d, ttl: 1d }]", "auto", "at most 1d after"),
    ]) func `says how long a value is served as fresh`(_ tiers: String, _ writeBack: String, _ words: String) {
        let sentences = Self.sentences("age", "{ tiers: \(tiers), write_back: \(writeBack) }")

        #expect(sentences.first?.contains(words) == true, "\(sentences)")
    }

    @Test func `stale windows are added to the age`() {
        #expect(
            Self.sentences("age", "{ stale_while_revalidate: 30s, stale_if_error: 1h, tiers: [{ source: m, ttl: 1m }, o] }") == [
                "A value is served as fresh for at most 1m after an origin gave or confirmed it. [10]",
                "While it is refreshed, it is served stale for at most 1m30s after that. [10, 10]",
                "While loads fail, it is served stale for at most 1h1m after that. [10, 10]",
                "No header of a response of `o` changes that: its `caching` is `none`. [default]",
            ])
        // How old what others stored is, is not known.
        #expect(Self.sentences("age", "{ tiers: [{ source: m, ttl: 1m }] }") == [])
    }

    @Test func `says what happens when a tier is down`() {
        #expect(
            Self.sentences(
                "failure",
                """

                    tiers:
                      - m
                      - { source: d, circuit_breaker: { failures: 1, open_for: 1m } }
                      - { source: o, retry: { attempts: 4, base: 1s, max: 3s } }
                      - f
                """) == [
                    "After one failure `d` is skipped for 1m, and reads of it fail at once; then one request is let through, without retries. [13]",
                    "When `d` fails, `o` is asked. [default, 14]",
                    "A read of `o` that fails is tried up to 3 times more, after random waits of at most 1s, 2s and 3s, or as long as the server asks for (`Retry-After`). [14]",
                    "When `o` fails, `f` is asked. [default, 15]",
                    "When `f` fails, no tier is left to ask. [15]",
                    "When a tier failed and none has an answer, the fetch fails with `every_tier_failed`, which names what each of them did. [always]",
                ])
        #expect(
            Self.sentences("failure", "{ stale_if_error: 1h, tiers: [m, { source: d, on_error: fail, retry: { attempts: 2 } }, o] }") == [
                "A read of `d` that fails is tried once more, at most 1s later. [10]",
                "When `d` fails, nothing below it is asked: the fetch fails with `tier_failed`, unless a cache above it has a stale copy that may be "
                    + "served. [10, 10]",
                "When `o` fails, no tier is left to ask. [10]",
                "When a tier failed and none has an answer, the fetch fails with `every_tier_failed`, which names what each of them did, unless a "
                    + "cache has a stale copy that may be served. [10]",
            ])
        #expect(
            Self.sentences("failure", "{ tiers: [{ source: o, on_error: fail, retry: { attempts: 9, base: 1s } }, m] }").prefix(2) == [
                "A read of `o` that fails is tried up to 8 times more, after random waits of at most 1s, 2s, 4s, …, or as long as the server asks for (`Retry-After`). [10]",
                "When `o` fails, nothing below it is asked: the fetch fails with `tier_failed`. [10]",
            ])
    }

    @Test func `says what a last resort is`() {
        let below = "{ stale_if_error: 1h, tiers: [{ source: d, ttl: 1m }, o, a] }"
        #expect(
            Self.sentences("asking", below).prefix(2) == [
                "A fetch of `p` asks `d` (file) first, then `o` (http), then as a last resort `a` (constant), and stops at the first answer. "
                    + "[10, 10, 10]",
                "`a` is a last resort: it is asked only when no stale copy may be served either, and what it answers is written to no cache. "
                    + "[default]",
            ])
        #expect(
            Self.sentences("failure", below).contains(
                "When `o` fails, a stale copy within its window is served, and without one `a` is asked. [default, 10, 10]"))
        #expect(!Self.sentences("write_back", below).contains { $0.hasPrefix("What `a` answers") })
        #expect(
            Self.sentences("asking", "{ write_back: { o: [m], f: [m] }, tiers: [{ source: f, last_resort: true }, m, o] }").prefix(2) == [
                "A fetch of `p` asks `m` (memory) first, then `o` (http), then as a last resort `f` (file), and stops at the first answer. "
                    + "[10, 10, 10]",
                "`f` is a last resort: it is asked only when every other tier has no answer. [10]",
            ])
        #expect(!Self.sentences("asking", "{ tiers: [m, o, { source: a, last_resort: false }] }").contains { $0.contains("last resort") })
    }

    @Test func `says what becomes of an origin's not_found`() {
        #expect(
            Self.sentences(
                "not_found", "{ not_found_ttl: 1m, tiers: [m, { source: o, on_not_found: next }, { source: t, on_not_found: fail }] }")
                == [
                    "When `o` says that there is no value, that is no answer: the next tier is asked, no copy is removed, and nothing is remembered. "
                        + "[10]",
                    "When `t` says that there is no value, it counts as failed, except for its circuit breaker: no copy is removed, and nothing is "
                        + "remembered. [10]",
                ])
    }

    @Test func `says how long it can take`() {
        #expect(
            Self.sentences("time", "{ tiers: [m, { source: d, timeout: 1s }, o] }") == [
                "`m` answers at once. [always]", "`d` has 1s to answer. [10]", "`o` has 30s to answer. [default]",
                "The time limits of the tiers add up to 31s; there is no deadline for the whole fetch. [default]",
            ])
        #expect(
            Self.sentences("time", "{ deadline: 5s, tiers: [m, t] }") == [
                "`m` answers at once. [always]", "`t` has 2s to answer, the limit of its source. [6]",
                "The whole fetch gets 5s: each tier has what is left of it, and when it is over, the fetch fails with `deadline_exceeded`. [10]",
                "The time limit of the tier is shorter than that. [default]",
            ])
        #expect(
            Self.sentences("time", "{ tiers: [{ source: t, retry: { attempts: 3, base: 1s } }] }").first
                == "`t` has 9s to answer: each try ends after the 2s that its source allows. [6, 10]")
        #expect(
            Self.sentences("time", "{ tiers: [{ source: t, timeout: 3s, retry: { attempts: 3 } }] }").first
                == "`t` has 3s to answer, all tries and waits included. [10]")
        #expect(Self.sentences("time", "{ tiers: [m] }") == ["`m` answers at once. [always]"])
    }

    @Test func `says what not_found means`() {
        let ends = "When `o` says that there is no value, the fetch ends with not_found. [always]"
        let none = "When every tier was asked, none failed and none has a value, the value is not found. [always]"

        #expect(
            Self.sentences("not_found", "{ tiers: [m, d, o] }") == [
                ends, "It is not remembered; the next fetch asks again. [default]",
                "Copies of the value that `m` or `d` still has are removed. [always]",
            ])
        #expect(
            Self.sentences("not_found", "{ not_found_ttl: 1m, tiers: [{ source: m, ttl: 30s }, d, o] }") == [
                ends, "`m` remembers that for 30s. [10, 10]", "Copies of the value that `d` still has are removed. [always]",
            ])
        #expect(
            Self.sentences("not_found", "{ not_found_ttl: 1m, tiers: [d, o] }").dropFirst().first
                == "It is not remembered: no cache that is written can; the next fetch asks again. [10]")
        #expect(Self.sentences("not_found", "{ tiers: [m] }") == [none])
        let beginning = "When `o` says that there is no value, the fetch ends with not_found"
        #expect(Self.sentences("not_found", "{ tiers: [o, d] }").first == "\(beginning): nothing below is asked. [always]")
        #expect(
            Self.sentences("not_found", "{ stale_if_error: 1h, tiers: [m, o] }").first
                == "\(beginning): no stale copy takes its place. [always]")
        #expect(
            Self.sentences("not_found", "{ stale_if_error: 1h, tiers: [o, d] }").first
                == "\(beginning): nothing below is asked, and no stale copy takes its place. [always]")
    }

    @Test(arguments: [
        "{ tiers: [m, d, o] }",
        "{ tiers: [o, m], write_back: none, deadline: 1s, stale_if_error: 1h, not_found_ttl: 1s, refresh_ahead: 0.5 }",
        "{ tiers: [{ source: m, ttl: 1s, debounce: 100ms }, { source: t, retry: {}, circuit_breaker: {}, soft_timeout: 1s, on_error: fail }, f] }",
    ]) func `every sentence is one, and has a ground`(_ pipeline: String) {
        for sentence in Self.explanation(pipeline)?.sections.flatMap(\.sentences) ?? [] {
            #expect(sentence.text.hasSuffix(".") && !sentence.text.contains("  ") && !sentence.text.contains("\n"), "\(sentence.text)")
            #expect(!sentence.grounds.isEmpty)
        }
    }
}
