import Testing

/// A point of coverage at a feed, steps in which it happens, and steps that come close and in which it does not.
struct FeedPoint: Sendable, CustomTestStringConvertible {
    let pipeline: String
    let element: String
    let branch: String
    let steps: String
    let nearly: String

    var testDescription: String { "\(pipeline): \(element) \(branch)" }

    private init(_ pipeline: String, _ element: String, _ branch: String, _ steps: String, _ nearly: String) {
        (self.pipeline, self.element, self.branch, self.steps, self.nearly) = (pipeline, element, branch, steps, nearly)
    }

    private static func message(_ text: String) -> String { "{ message: { events: '\(text)' } }" }

    private static let fetch = "{ fetch: { with: { user: 7 } } }"
    private static let other = message(#"{"op":"set","id":2,"v":1}"#)
    private static let same = message(#"{"op":"set","id":1,"v":1}"#)

    static let all = states + messages + policies

    private static let states = [
        FeedPoint("merged", "events", "live", "fetch", "{ start: { fetch: {}, as: one } }"),
        FeedPoint("merged", "events", "down", "fetch, { disconnect: events }", "fetch, { reconnect: events }"),
        FeedPoint(
            "merged", "events", "live again", "fetch, { disconnect: events }, { wait: 1m }",
            "fetch, { disconnect: events }, { set: { events: { down: true } } }, { wait: 1m }"),
        FeedPoint("polled", "tick", "live", "fetch", "{ start: { fetch: {}, as: one } }"),
    ]

    private static let messages = [
        FeedPoint("told", "events", "refresh", "fetch, " + other, "fetch, { disconnect: events }, " + other),
        FeedPoint("merged", "events", "refresh", "fetch, { message: { events: signal } }", "fetch, " + other),
        FeedPoint("merged", "events", "merged", "fetch, " + other, "fetch, " + same),
        FeedPoint("merged", "events", "unchanged", "fetch, " + same, "fetch, " + other),
        FeedPoint("merged", "events", "kept", "{ start: { fetch: {}, as: one } }, " + other, "fetch, " + other),
        FeedPoint("merged", "events", "dropped", "fetch, remove, " + other, "fetch, " + other),
        FeedPoint("merged", "events", "skipped", "fetch, " + message("x"), "fetch, " + other),
    ]

    private static let policies = [
        FeedPoint("merged", "events op", "upsert", "fetch, " + other, "fetch, " + same),
        FeedPoint(
            "merged", "events op", "delete", "fetch, " + message(#"{"op":"gone","id":1,"v":2}"#),
            "fetch, " + message(#"{"op":"gone","id":2,"v":2}"#)),
        FeedPoint(
            "merged", "events op", "patch", "fetch, " + message(#"{"op":"fix","id":1,"v":2,"n":1}"#),
            "fetch, " + message(#"{"op":"set","id":1,"v":2,"n":1}"#)),
        FeedPoint("merged", "events insert", "inserted", "fetch, " + other, "fetch, " + message(#"{"op":"set","id":1,"v":2}"#)),
        FeedPoint("merged", "events version", "older", "fetch, " + same, "fetch, " + message(#"{"op":"set","id":1,"v":2}"#)),
        FeedPoint(
            "addressed", "events insert", "ignored", fetch + ", " + message(#"{"id":2,"user":7}"#),
            fetch + ", " + message(#"{"id":1,"user":7}"#)),
        FeedPoint("counted", "events insert", "refresh", "fetch, " + message(#"{"id":2}"#), "fetch, " + message(#"{"id":1}"#)),
        FeedPoint(
            "addressed", "events for", "this key", fetch + ", " + message(#"{"id":1,"user":7}"#),
            fetch + ", " + message(#"{"id":1,"user":8}"#)),
        FeedPoint(
            "addressed", "events for", "another key", fetch + ", " + message(#"{"id":1,"user":8}"#),
            fetch + ", " + message(#"{"id":1,"user":7}"#)),
        FeedPoint(
            "counted", "events sequence", "gap", "fetch, " + message(#"{"id":1,"seq":1}"#) + ", " + message(#"{"id":1,"seq":3}"#),
            "fetch, " + message(#"{"id":1,"seq":1}"#) + ", " + message(#"{"id":1,"seq":2}"#)),
        FeedPoint(
            "counted", "events sequence", "duplicate", "fetch, " + message(#"{"id":1,"seq":1}"#) + ", " + message(#"{"id":1,"seq":1}"#),
            "fetch, " + message(#"{"id":1,"seq":1}"#) + ", " + message(#"{"id":1,"seq":2}"#)),
        FeedPoint("counted", "events resync", "asked", "fetch, " + message(#"{"op":"reset"}"#), "fetch, " + message(#"{"op":"set"}"#)),
        FeedPoint(
            "confirmed", "events confirms", "confirmed", "fetch, { wait: 6s }, " + message(#"{"id":1,"v":1}"#) + ", { wait: 6s }, fetch",
            "fetch, { wait: 6s }, " + message(#"{"id":1,"v":1}"#) + ", { wait: 3s }, fetch"),
    ]
}
