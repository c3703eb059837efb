import Pipeline
import PipelineJSON
import PipelineLive
import PipelineYAML
import Testing

@testable import PipelineConfig
@testable import PipelineSending

/// What `sends` come to: the plan, and what is built from it.
@Suite struct SendConfigTests {
    private static func pointer(_ text: String) throws -> JSONPointer { try #require(JSONPointer(text)) }

    @Test func `the file of the contract has no problem`() throws {
        let text = """
            sources:
              outbox: { type: outbox, path: .state/outbox.db, owner: "${USER_ID:-}" }
              api: { type: http, url: "${API}/users/{user}/friends" }
              profile: { type: http, url: "${API}/users/{user}/profile" }
              add: { type: http, method: POST, url: "${API}/users/{user}/friends", idempotent: true }
              edit:
                type: http
                method: PATCH
                url: "${API}/users/{user}/friends/{id}"
                idempotent: true
                headers: { Content-Type: application/merge-patch+json }
              remove: { type: http, method: DELETE, url: "${API}/users/{user}/friends/{id}" }
              store: { type: http, method: PUT, url: "${API}/users/{user}/profile" }
            pipelines:
              friends: { parameters: [user], tiers: [api] }
              profile: { parameters: [user], tiers: [profile] }
            sends:
              add_friend:
                parameters: [user]
                to: add
                changes:
                  - pipeline: friends
                    op: upsert
                    item: ""
                    id: /id
                answer: { item: /friend, id: /friend/id }
                order: key
                scope: "account {user}"
                debounce: 0s
                retry: { base: 1s, max: 1m, attempts: 10 }
                expires: 7d
                id_header: Idempotency-Key
                id_lifetime: 24h
                if_match: none
                on_conflict: fail
              rename_friend:
                parameters: [user, id]
                to: edit
                if_match: /etag
                on_conflict: refetch
                changes: [{ pipeline: friends, op: patch, id: /id, target: "{id}" }]
              remove_friend: { parameters: [user, id], to: remove, changes: [{ pipeline: friends, op: delete, id: /id, target: "{id}" }] }
              save_profile: { parameters: [user], to: store, coalesce: last, debounce: 2s, changes: [{ pipeline: profile, op: replace }] }
            """

        let report = Reading.report(text, plugins: Reading.allPlugins)

        #expect(report.summary == [])
        #expect(report.plan.sends.map(\.name) == ["add_friend", "rename_friend", "remove_friend", "save_profile"])
        #expect(report.plan.sends.map(\.target.name) == ["add", "edit", "remove", "store"])
        #expect(report.plan.sends.allSatisfy { $0.outbox.name == "outbox" })
        #expect(try Pipelines(report).specs.map(\.name) == ["friends", "profile"])
    }

    @Test func `without a field its default holds`() throws {
        let spec = try SendReading.spec("to: add")
        let standard = SendSpec("one", to: spec.target, outbox: spec.outbox)

        #expect(spec.name == "one" && spec.target.name == "add" && spec.outbox.name == "outbox")
        #expect(spec.parameters.map(\.name) == ["user", "id"] && spec.changes.isEmpty)
        #expect(spec.format == standard.format && spec.answer == standard.answer && spec.isOrdered == standard.isOrdered)
        #expect(spec.scope == standard.scope && spec.priority == standard.priority)
        #expect(spec.debounce == standard.debounce && spec.maxDelay == standard.maxDelay)
        #expect(spec.replacesUntried == standard.replacesUntried && spec.retry == standard.retry && spec.expires == standard.expires)
        #expect(spec.idHeader == standard.idHeader && spec.idLifetime == standard.idLifetime)
        #expect(spec.condition == standard.condition && spec.onConflict == standard.onConflict)
    }

    @Test func `every field arrives`() throws {
        let spec = try SendReading.spec(
            """
            description: a, to: store, format: text, outbox: outbox, answer: { item: /friend, id: /friend/id }, order: none, \
            scope: "account {user}, $$5", priority: low, debounce: 2s, max_delay: 9s, coalesce: last, \
            retry: { base: 2s, max: 5m, attempts: 3 }, expires: none, id_header: { name: X-Id, quoted: true }, id_lifetime: 1h, \
            if_match: etag, on_conflict: keep, changes: [{ pipeline: friends, op: replace }]
            """)

        #expect(spec.format == .text && spec.changes.map(\.operation) == [.replace])
        #expect(spec.answer == AnswerPlaces(item: try Self.pointer("/friend"), id: try Self.pointer("/friend/id")))
        #expect(!spec.isOrdered && spec.priority == .low)
        #expect(spec.scope == SendText([.text("account "), .parameter("user"), .text(", $5")]))
        #expect(spec.debounce == .seconds(2) && spec.maxDelay == .seconds(9) && spec.replacesUntried)
        #expect(spec.retry == SendRetry(base: .seconds(2), max: .seconds(300), attempts: 3) && spec.expires == nil)
        #expect(spec.idHeader == IDHeader("X-Id", quoted: true) && spec.idLifetime == .seconds(3_600))
        #expect(spec.condition == .etag && spec.onConflict == .keep)
    }

    @Test(arguments: [("add", true), ("edit", true), ("remove", false), ("store", false)])
    func `the id goes out where the method may write twice`(target: String, goesOut: Bool) throws {
        #expect(try SendReading.spec("to: \(target)").idHeader == (goesOut ? IDHeader() : nil))
        #expect(try SendReading.spec("to: \(target), id_header: none").idHeader == nil)
        #expect(try SendReading.spec("to: \(target), id_header: X-Id").idHeader == IDHeader("X-Id"))
        #expect(try SendReading.spec("to: \(target), id_header: { name: X-Id }").idHeader == IDHeader("X-Id"))
    }

    @Test(arguments: [
        ("none", SendCondition.none), ("etag", .etag), ("/etag", JSONPointer("/etag").map(SendCondition.pointer) ?? .none),
    ]) func `each condition`(written: String, condition: SendCondition) throws {
        let changes = "changes: [{ pipeline: friends, op: patch, id: /id }]"

        #expect(try SendReading.spec("to: store, \(changes), if_match: \(written)").condition == condition)
    }

    @Test(arguments: ConflictRule.allCases) func `each rule for conflicts`(rule: ConflictRule) throws {
        #expect(try SendReading.spec("to: store, on_conflict: \(rule.rawValue)").onConflict == rule)
    }

    @Test func `an age is a duration, or none`() throws {
        #expect(try SendReading.spec("to: store, expires: 90s").expires == .seconds(90))
        #expect(SendReading.codes("sends: { one: { parameters: [user], to: store, expires: 0s } }\n") == ["P104"])
        #expect(
            SendReading.report("sends: { one: { parameters: [user], to: store, expires: never } }\n").diagnostics.contains {
                $0.help == "write `expires: none` for sends that never expire"
            })
    }

    @Test func `a change has the fields that are written`() throws {
        let change = try #require(
            try SendReading.spec(
                """
                to: add, changes: [{ pipeline: friends, with: { user: "a-{id}" }, op: upsert, item: /friend, target: "{id}", list: /data, \
                id: [/id, /of], version: /at, insert: { by: /name, order: desc } }]
                """
            ).changes.first)

        #expect(change.pipeline == "friends" && change.operation == .upsert)
        #expect(change.arguments == ["user": SendText([.text("a-"), .parameter("id")])])
        #expect(change.item == JSONPointer("/friend") && change.target == .parameter("id"))
        #expect(
            change.merging
                == MergePolicy(
                    list: try Self.pointer("/data"), id: [try Self.pointer("/id"), try Self.pointer("/of")],
                    version: try Self.pointer("/at"), insertion: .sorted(try Self.pointer("/name"), isDescending: true)))
    }

    @Test func `a change of a pipeline alone loads it again`() throws {
        let change = try #require(try SendReading.spec("to: store, changes: [{ pipeline: friends }]").changes.first)

        #expect(change.operation == .refresh && change.merging == nil && change.arguments.isEmpty)
        #expect(change.item == .whole && change.target == nil)
    }

    @Test(arguments: [
        ("op: upsert", MergePolicy.Insertion.first), ("op: upsert, insert: last", .last), ("op: patch", .first), ("op: delete", .first),
    ]) func `what a change leaves out is as in the feed`(fields: String, insertion: MergePolicy.Insertion) throws {
        let change = try #require(try SendReading.spec("to: store, changes: [{ pipeline: groups, \(fields) }]").changes.first)

        #expect(
            change.merging
                == MergePolicy(
                    list: try Self.pointer("/groups"), id: [try Self.pointer("/id"), try Self.pointer("/of")],
                    version: try Self.pointer("/at"), insertion: insertion))
    }

    @Test(arguments: ["refresh", "ignore"]) func `a new item goes to the end where the feed has no place for it`(written: String) throws {
        let head = SendReading.head.replacing("insert: first", with: "insert: \(written)")
        let report = SendReading.report(
            "sends: { one: { parameters: [user], to: store, changes: [{ pipeline: groups, op: upsert }] } }\n", head: head)

        #expect(report.plan.sends.first?.changes.first?.merging?.insertion == .last)
    }

    @Test(arguments: ["replace", "refresh"]) func `what is no list is not merged`(operation: String) throws {
        #expect(try SendReading.spec("to: store, changes: [{ pipeline: friends, op: \(operation) }]").changes.first?.merging == nil)
    }

    @Test func `what comes from a variable is text`() throws {
        let report = SendReading.report(
            "sends: { one: { parameters: [user], to: store, scope: \"${BRACES}{user}\" } }\n")
        let made = try report.plan.sourceSpecs(clock: .system, random: .system, observers: [])

        #expect(report.plan.sendSpecs(of: made).first?.scope == SendText([.text("{user}"), .parameter("user")]))
    }

    @Test func `parameters may have defaults`() throws {
        let spec = try #require(try SendReading.specs("sends: { one: { parameters: { user: { default: me } }, to: store } }\n").first)

        #expect(spec.parameters.map(\.defaultValue) == ["me"])
    }

    @Test func `each field is declared once`() {
        #expect(SendConfig.fieldType.fieldsWithin.map(\.name) == SendField.allCases.map(\.rawValue))
    }

    @Test func `a file without sends has none`() {
        #expect(SendReading.report("").plan.sends.isEmpty && SendReading.codes("") == [])
    }

    @Test(arguments: [
        ("sends:\n", "P102"), ("sends: {}\n", "P104"), ("sends: store\n", "P103"), ("sends: [{ to: store }]\n", "P103"),
        ("sends: [{ name: one, parameters: [user], to: store }]\n", "P103"),
        ("sneds: { one: { parameters: [user], to: store } }\n", "P101"),
        ("sends: { one: { parameters: [user] } }\n", "P102"), ("sends: { one: { parameters: [user], too: store } }\n", "P101"),
        ("sends:\n  one:\n  parameters: [user]\n  to: store\n", "P101"),
        ("sends: { \"\u{E9}\": { parameters: [user], to: store }, \"e\u{301}\": { parameters: [user], to: store } }\n", "P002"),
    ]) func `the section is read with the same care as the others`(text: String, code: String) {
        let report = SendReading.report(text)

        #expect(Set(report.codes).subtracting(["P203"]) == [code], "\(report.summary)")
        #expect(report.diagnostics.allSatisfy { $0.help != nil })
    }

    @Test func `sends that cannot be read leave what they may use in peace`() {
        #expect(SendReading.report("sends: { one: store }\n").codes.filter { $0 == "P203" } == [])
        #expect(SendReading.report("").codes.filter { $0 == "P203" }.count == 5)
    }

    @Test func `a source may be a tier and take sends`() {
        let head = SendReading.head.replacing("tiers: [{ source: memory, ttl: 30s }, api] }", with: "tiers: [add] }")

        #expect(
            SendReading.report("sends: { one: { parameters: [user], to: add } }\n", head: head).codes.filter { $0 != "P203" } == [])
    }
}
