import Pipeline
import PipelineSending
import PipelineTesting
import PipelineYAML
import Testing

@testable import PipelineConfig

/// How these tests read sends: below sources and pipelines that they can name.
enum SendReading {
    static let head = """
        sources:
          memory: { type: memory, max_entries: 10 }
          api: { type: http, url: "http://h/{user}/friends" }
          events: { type: websocket, url: "ws://h/{user}" }
          add: { type: http, method: POST, url: "http://h/{user}/friends", idempotent: true }
          edit: { type: http, method: PATCH, url: "http://h/{user}/friends/{id}", idempotent: true }
          remove: { type: http, method: DELETE, url: "http://h/{user}/friends/{id}" }
          store: { type: http, method: PUT, url: "http://h/{user}" }
          outbox: { type: outbox, path: .state/outbox.db }
        pipelines:
          friends: { parameters: [user], tiers: [{ source: memory, ttl: 30s }, api] }
          groups:
            parameters: [user]
            tiers: [{ source: memory, ttl: 30s }, api]
            live: [{ source: events, list: /groups, id: [/id, /of], version: /at, insert: first }]

        """

    static func report(_ sends: String, head: String = head, environment: ConfigEnvironment = Reading.environment) -> ConfigReport {
        Reading.report(head + sends, plugins: Reading.plugins(for: head), environment: environment)
    }

    /// The codes, but for sources of the head that nothing uses.
    static func codes(_ sends: String) -> [String] { report(sends).codes.filter { $0 != "P203" } }

    /// The sends as they are built.
    static func specs(_ sends: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> [SendSpec] {
        let report = report(sends)
        #expect(report.summary.filter { !$0.hasPrefix("P203") } == [], sourceLocation: sourceLocation)
        let clock = ManualClock().clock
        return report.plan.sendSpecs(of: try report.plan.sourceSpecs(clock: clock, random: .system, observers: []))
    }

    /// The send whose fields are `fields`.
    static func spec(_ fields: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> SendSpec {
        try #require(
            try specs("sends:\n  one: { parameters: [user, id], \(fields) }\n", sourceLocation: sourceLocation).first,
            sourceLocation: sourceLocation)
    }
}
