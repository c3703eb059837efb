import PipelineJSON
import PipelineTesting
import PipelineYAML
import SourcesMemory
import TestSupport
import Testing

@testable import Pipeline
@testable import PipelineConfig
@testable import SourcesHTTP

/// Several values with one request.
@Suite(.timeLimit(.minutes(15)))
struct HTTPBatchTests {
    private static func key(_ id: String, _ more: [String: String] = [:]) -> Key {
        Key(pipeline: "users", parameters: more.merging(["id": id]) { $1 })
    }

    /// What the server has for the ids after `ids=`, in the reverse order, as the list `data`.
    private static func list(_ request: RecordedRequest) -> String {
        let ids = request.target.split(separator: "ids=").last.map { $0.split(separator: ",") } ?? []
        return #"{"data":["# + ids.reversed().map { #"{"id":"\#(PercentEncoding.decoded($0.utf8) ?? "")"}"# }.joined(separator: ",") + "]}"
    }

    private static func withUsers(
        _ url: String, max: Int = 50, missing: BatchAnswer.Missing = .notFound, parameters: [ParameterSpec] = ["id"],
        _ change: (inout HTTPSettings) -> Void = { _ in }, tier: TierPolicy = TierPolicy(),
        _ body: (DataPipeline) async throws -> Void
    ) async throws {
        var batch = HTTPBatch(url: try .written("\(url)/users?ids={id}"), id: JSONPointer("/id") ?? .whole)
        batch.items = JSONPointer("/data") ?? .whole
        (batch.max, batch.missing) = (max, missing)
        try await withSource(
            "\(url)/users/{id}",
            { settings in
                settings.batch = batch
                change(&settings)
            }
        ) { source in
            let users = try DataPipeline(
                PipelineSpec(
                    "users", parameters: parameters,
                    tiers: [
                        TierSpec(SourceSpec("memory", MemorySource(), capabilities: [.keepsNotFound])),
                        TierSpec(SourceSpec("api", source), tier),
                    ]))
            try await body(users)
        }
    }

    @Test func `BT-01 120 ids are three requests, and an answer in the reverse order gives the same values`() async throws {
        try await ScriptedServer.run({ Answer.text(Self.list($0)) }) { server async throws in
            try await Self.withUsers(server.url) { users async throws in
                let outcomes = try await users.fetch(many: (0..<120).map { Self.key("\($0)") })
                #expect(outcomes.map(\.text) == (0..<120).map { #"{"id":"\#($0)"}"# })
                #expect(Set(server.requests.map { $0.target.split(separator: ",").count }) == [50, 20] && server.requests.count == 3)
            }
        }
    }

    @Test func `FA-10 an id stays one escaped value, alone and in a batch`() async throws {
        let ids = ["../x?y", "a,b", "..", "é", "a%2Cb"]
        let encoded = ["%2E%2E%2Fx%3Fy", "a%2Cb", "%2E%2E", "%C3%A9", "a%252Cb"]
        try await ScriptedServer.run({ $0.target.contains("ids=") ? Answer.text(Self.list($0)) : Answer.text("1") }) {
            server async throws in
            try await Self.withUsers(server.url) { users async throws in
                let outcomes = try await users.fetch(many: ids.map { Self.key($0) })
                #expect(outcomes.map(\.text) == ids.map { #"{"id":"\#($0)"}"# })
                #expect(server.requests.map(\.target) == ["/users?ids=" + encoded.joined(separator: ",")])
            }
            for id in ids {
                try await Self.withUsers(server.url) { users async throws in _ = try await users.fetch(many: [Self.key(id)]) }
            }
            #expect(server.requests.dropFirst().map(\.target) == encoded.map { "/users/\($0)" })
        }
    }

    @Test func `BT-03 what the answer omits is not found, or an error`() async throws {
        let script: ScriptedServer.Script = { _ in Answer.text(#"{"data":[{"id":1},{"id":9}]}"#) }
        try await ScriptedServer.run(script) { server async throws in
            let keys = (1...3).map { Self.key("\($0)") }
            try await Self.withUsers(server.url) { users async throws in
                let outcomes = try await users.fetch(many: keys)
                #expect(
                    outcomes.map(\.trace) == ["memory: miss, api: hit", "memory: miss, api: not_found", "memory: miss, api: not_found"])
                #expect(outcomes[0].attempts.last?.reason == "1 not asked for, in a batch of 3")
                #expect(try await users.fetch(Self.key("9"), policy: .cacheOnly).isNotFound)
            }
            try await Self.withUsers(server.url, missing: .unknown) { users async throws in
                let outcomes = try await users.fetch(many: keys)
                #expect(outcomes.map(\.trace).last == "memory: miss, api: error")
                #expect(outcomes[0].text == #"{"id":1}"#)
            }
        }
    }

    @Test(arguments: [
        #"{"data":[{"id":"x"},{"id":"y"}]}"#, #"{"data":[{"id":1}"#, #"{"users":[]}"#, "<html>", #"[{"id":1},{"id":2}]"#,
    ])
    func `BT-04 an answer to something else is invalid for all, and nothing of it is kept`(body: String) async throws {
        try await ScriptedServer.run({ _ in Answer.text(body) }) { server async throws in
            try await Self.withUsers(server.url) { users async throws in
                let outcomes = try await users.fetch(many: (1...2).map { Self.key("\($0)") })
                #expect(outcomes.allSatisfy { $0.trace == "memory: miss, api: invalid" })
                #expect(try await users.fetch(Self.key("x"), policy: .cacheOnly).isNotFound)
            }
        }
    }

    @Test(arguments: [(RequestMethod.get, 2), (.post, 1)])
    func `An answer that cannot be used is asked for again only where the request may be repeated`(method: RequestMethod, count: Int)
        async throws
    {
        try await ScriptedServer.run({ _ in Answer.text(#"{"data":[{"id":"x"}]}"#) }) { server async throws in
            var tier = TierPolicy()
            tier.retry = RetryPolicy(attempts: 2, base: .zero)
            try await Self.withUsers(server.url, { $0.method = method }, tier: tier) { users async throws in
                _ = try await users.fetch(many: (1...2).map { Self.key("\($0)") })
                #expect(server.requests.count == count)
            }
        }
    }

    @Test(arguments: [500, 404, 410, 401])
    func `BT-06 a status that is no value fails each key, retry counts one call, and the next fetch asks again`(status: Int) async throws {
        try await ScriptedServer.run({ _ in Answer.text("no", status: status) }) { server async throws in
            var tier = TierPolicy()
            tier.retry = RetryPolicy(attempts: 2, base: .zero)
            try await Self.withUsers(server.url, tier: tier) { users async throws in
                let keys = (1...3).map { Self.key("\($0)") }
                #expect(try await users.fetch(many: keys).allSatisfy { $0.trace == "memory: miss, api: error" })
                let calls = status == 500 ? 2 : 1
                #expect(server.requests.count == calls)
                _ = try await users.fetch(many: keys)
                #expect(server.requests.count == 2 * calls)
            }
        }
    }

    @Test func `BT-07 two users' tokens are two requests, each with its own header`() async throws {
        try await ScriptedServer.run({ Answer.text(Self.list($0)) }) { server async throws in
            let change: (inout HTTPSettings) -> Void = { $0.headers = FieldMap([(name: "X-Token", value: "{token}")]) }
            try await Self.withUsers(server.url, parameters: ["id", "token"], change) { users async throws in
                let keys = [("1", "a"), ("2", "b"), ("3", "a"), ("4", "b")].map { Self.key($0.0, ["token": $0.1]) }
                let outcomes = try await users.fetch(many: keys)
                #expect(outcomes.map(\.text) == (1...4).map { #"{"id":"\#($0)"}"# })
                #expect(Set(server.requests.map { "\($0["X-Token"] ?? "") \($0.target)" }) == ["a /users?ids=1,3", "b /users?ids=2,4"])
            }
        }
    }

    @Test func `What the answer says of its freshness holds for each, and its validators for none`() async throws {
        let headers = ["Cache-Control: max-age=86400", "ETag: \"list\"", "Last-Modified: Wed, 21 Oct 2026 07:28:00 GMT"]
        try await ScriptedServer.run({ Answer.text(Self.list($0), headers: headers) }) { server async throws in
            try await Self.withUsers(server.url, { $0.caching = .headers }) { users async throws in
                let outcomes = try await users.fetch(many: (1...2).map { Self.key("\($0)") })
                for outcome in outcomes {
                    let entry = try #require(try outcome.entry)
                    #expect(!entry.hasValidator && (outcome.freshFor ?? .zero) > .seconds(80_000))
                }
            }
        }
    }

    @Test func `A larger answer than max_size is none`() async throws {
        try await ScriptedServer.run({ Answer.text(Self.list($0)) }) { server async throws in
            try await Self.withUsers(server.url, { $0.maxSize = Size(bytes: 20) }) { users async throws in
                #expect(try await users.fetch(many: (1...2).map { Self.key("\($0)") }).allSatisfy { $0.failure != nil })
            }
        }
    }

    @Test(arguments: [
        ("batch: { url: \"https://e.org/u?ids={id}\", id: /id }", []),
        ("batch: { url: \"https://e.org/u?ids={id}&t={t}\", id: /id, items: /data, max: 2, window: 5ms, missing: unknown }", []),
        ("batch: { url: \"https://e.org/u?ids={id}&t={t}\", id: /id, parameter: t }\n    headers: { X: \"{id}\" }", []),
        ("batch: { url: \"https://e.org/u\", id: /id }", ["P105 the `url` of a batch has no place for the ids: it names no parameter"]),
        (
            "batch: { url: \"https://e.org/u?a={t}&b={u}\", id: /id }",
            ["P105 the `url` of a batch names several parameters, and not which has the ids: `t`, `u`"]
        ),
        (
            "batch: { url: \"https://e.org/u?a={t}\", id: /id, parameter: id }",
            ["P105 the `url` of a batch has no place for the ids: it does not name `{id}`"]
        ),
        (
            "batch: { url: \"https://e.org/u?ids={id}\", id: /id }\n    headers: { X: \"{id}\" }",
            ["P105 `headers` of source `api` names one id, and `batch` requests several at once"]
        ),
        (
            "batch: { url: \"https://e.org/u?ids={id}\", id: /id }\n    query: { k: \"{key}\" }\n    body: \"{id}\"",
            [
                "P105 `body` of source `api` names one id, and `batch` requests several at once",
                "P105 `query` of source `api` names one id, and `batch` requests several at once",
            ]
        ),
        (
            "batch: { url: \"https://e.org/users/{id}\", id: /id }",
            ["P105 `batch` of source `api` has the same URL for one value as for several"]
        ),
        ("batch: { url: \"https://e.org/u?ids={id}\" }", ["P102 a batch needs `id`"]),
        ("batch: { url: \"ftp://e.org/u?ids={id}\", id: /id, max: 1 }", ["P104", "P104"]),
        ("batch: { url: \"https://e.org/u?ids={idd}\", id: id }", ["P105", "P206"]),
    ])
    func `The file is checked`(fields: String, problems: [String]) {
        let text = """
            sources:
              memory: { type: memory, max_entries: 10 }
              api:
                type: http
                url: https://e.org/users/{id}
                \(fields)
            pipelines:
              users: { parameters: [id, t, u], tiers: [{ source: memory, ttl: 10s }, api] }
            """
        let report = ConfigFile(text: Array(text.utf8), name: "pipeline.yaml").report(
            plugins: [.memory, .http], environment: ConfigEnvironment([:]))
        let found = report.diagnostics.filter { $0.code != .unusedParameter }.map { "\($0.code.rawValue) \($0.message)" }.sorted()
        #expect(found.count == problems.count && zip(found, problems.sorted()).allSatisfy { $0.hasPrefix($1) }, "\(found)")
    }

    @Test(arguments: [
        ("batch: { url: \"https://e.org/u\", id: /id }", "add `?ids={id}`"),
        ("batch: { url: \"https://e.org/u?all=1\", id: /id }", "add `&ids={id}`"),
        ("batch: { url: \"https://e.org/u\", id: /id, parameter: user }", "add `?ids={user}`"),
    ])
    func `A URL without a place for the ids says how to add one`(fields: String, help: String) {
        let text = """
            sources:
              api: { type: http, url: "https://e.org/users/{id}", \(fields) }
            pipelines:
              users: { parameters: [id], tiers: [api] }
            """
        let report = ConfigFile(text: Array(text.utf8), name: "pipeline.yaml").report(
            plugins: [.memory, .http], environment: ConfigEnvironment([:]))

        #expect(report.diagnostics.first { $0.code == .malformed }?.help == help)
    }
}
