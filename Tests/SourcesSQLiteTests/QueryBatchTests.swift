import PipelineJSON
import PipelineTesting
import PipelineYAML
import SourcesMemory
import Testing

@testable import Pipeline
@testable import PipelineConfig
@testable import SourcesSQLite

/// Several rows with one query.
@Suite struct QueryBatchTests {
    let friends: Friends

    init() throws { friends = try Friends() }

    private static func key(_ id: String) -> Key { Key(pipeline: "friends", parameters: ["id": id]) }

    private func source(_ query: String = "SELECT id, name FROM friends WHERE id IN (:id)", max: Int = 500) -> SQLiteQuery {
        SQLiteQuery(
            path: friends.folder.database("friends.db"), query: SQLQuery("SELECT id, name FROM friends WHERE id = :id"), rows: .one,
            batch: QueryBatch(query: SQLQuery(query), id: JSONPointer("/id") ?? .whole, max: max), clock: friends.time.clock)
    }

    private func pipeline(_ source: SQLiteQuery) throws -> DataPipeline {
        try DataPipeline(
            PipelineSpec("friends", parameters: ["id"], tiers: [TierSpec(SourceSpec("people", source))]), clock: friends.time.clock)
    }

    @Test func `Rows are matched by their ids, and what is not there is not found`() async throws {
        let people = try pipeline(source())
        let outcomes = try await people.fetch(many: ["3", "9", "1"].map(Self.key))
        #expect(outcomes.map(\.text) == [#"{"id":3,"name":"Barbara"}"#, nil, #"{"id":1,"name":"Ada"}"#])
        #expect(outcomes[1].isNotFound && outcomes[0].attempts.last?.reason == "in a batch of 3")
        await people.shutDown()
    }

    @Test(arguments: ["1) OR (1=1", "1; DROP TABLE friends", "'", "--", ":id", "a,b", "2.0", "1,2", ""])
    func `FA-10 an id is a value and nothing else, also among others`(id: String) async throws {
        let people = try pipeline(source())
        let outcomes = try await people.fetch(many: [id, "1"].map(Self.key))
        #expect(outcomes.map(\.text) == [nil, #"{"id":1,"name":"Ada"}"#])
        #expect(try await friends.text("SELECT count(*) AS n FROM friends") == #"[{"n":3}]"#)
        await people.shutDown()
    }

    @Test(arguments: [("ADA", "Ada"), ("ada", "Ada")])
    func `an id that the database takes for that of a row is not absent`(id: String, found: String) async throws {
        let people = try pipeline(source("SELECT name AS id, name FROM friends WHERE name COLLATE NOCASE IN (:id)"))
        let outcomes = try await people.fetch(many: [id, "Grace", "Linus"].map(Self.key))
        #expect(outcomes[0].attempts.last?.reason == "the batch does not have the id, but `\(found)`, in a batch of 3")
        #expect(outcomes[0].failure != nil && outcomes[1].text == #"{"id":"Grace","name":"Grace"}"# && outcomes[2].isNotFound)
        await people.shutDown()
    }

    @Test func `The parameter may stand in several places, beside variables, in quotes it is text`() {
        let query = SQLQuery("SELECT id, ':id' AS q FROM a WHERE id IN (:id) OR b IN (:id, :idea) -- :id")
        #expect(
            query.repeating("id", count: 3).text
                == "SELECT id, ':id' AS q FROM a WHERE id IN (:id, :0_1, :0_2) OR b IN (:id, :0_1, :0_2, :idea) -- :id")
        #expect(query.repeating("id", count: 1).text == query.text)
        #expect(SQLQuery("SELECT 'é' WHERE é = :id AND 1").repeating("id", count: 2).text == "SELECT 'é' WHERE é = :id, :0_1 AND 1")
    }

    @Test func `1,200 ids are three queries`() async throws {
        for id in 10..<1_210 { try friends.run("INSERT INTO friends VALUES (\(id), 'n\(id)', NULL)") }
        let people = try pipeline(source(max: 500))
        let outcomes = try await people.fetch(many: (10..<1_210).map { Self.key("\($0)") })
        #expect(outcomes.map(\.text) == (10..<1_210).map { #"{"id":\#($0),"name":"n\#($0)"}"# })
        #expect(Set(outcomes.map { $0.attempts.last?.reason }) == ["in a batch of 500", "in a batch of 200"])
        await people.shutDown()
    }

    @Test func `An id with a NUL character is an error of its own`() async throws {
        let people = try pipeline(source())
        let outcomes = try await people.fetch(many: ["1\0", "2", "\0"].map(Self.key))
        #expect(outcomes.map(\.text) == [nil, #"{"id":2,"name":"Grace"}"#, nil])
        #expect(outcomes[0].failure != nil && outcomes[2].failure != nil)
        await people.shutDown()
    }

    @Test func `A query that gives one id twice makes that id invalid`() async throws {
        let people = try pipeline(source("SELECT id, name FROM friends WHERE id IN (:id) UNION ALL SELECT 1, 'x'"))
        let outcomes = try await people.fetch(many: ["1", "2"].map(Self.key))
        #expect(outcomes[0].trace == "people: invalid" && outcomes[1].text == #"{"id":2,"name":"Grace"}"#)
        await people.shutDown()
    }

    @Test func `The check prepares the query of several rows, too`() async throws {
        let sound = source()
        #expect(try await sound.check() == .reachable)
        let broken = source("SELECT id FROM nowhere WHERE id IN (:id)")
        let error = await #expect(throws: SourceError.self) { try await broken.check() }
        #expect(error?.reason.contains("nowhere") == true)
        await sound.close()
        await broken.close()
    }

    @Test(arguments: [
        ("batch: { query: \"SELECT id FROM f WHERE id IN (:id)\", id: /id }", []),
        ("batch: { query: \"SELECT id FROM f WHERE id IN (:id)\", id: /id, max: 2 }\n    rows: one", []),
        (
            "batch: { query: \"SELECT id FROM f WHERE id IN (:id)\", id: /id }\n    rows: many",
            ["P105 `rows` of source `people` says `many`, and a value of a `batch` is one row"]
        ),
        (
            "batch: { query: \"SELECT id FROM f\", id: /id }",
            ["P105 the `query` of a batch has no place for the ids: it names no parameter"]
        ),
        (
            "batch: { query: \"SELECT id FROM f WHERE a = :a AND b = :b\", id: /id }",
            ["P105 the `query` of a batch names several parameters, and not which has the ids: `a`, `b`"]
        ),
        ("batch: { query: \"DELETE FROM f WHERE id IN (:id)\", id: /id }", ["P105 malformed query for `query`"]),
        ("batch: { query: \"SELECT id FROM f WHERE id IN (:idd)\", id: /id }", ["P206"]),
    ])
    func `The file is checked`(fields: String, problems: [String]) {
        let text = """
            sources:
              people:
                type: sqlite_query
                path: people.db
                query: SELECT id FROM f WHERE id = :id
                \(fields)
            pipelines:
              people: { parameters: [id, a, b], tiers: [people] }
            """
        let report = ConfigFile(text: Array(text.utf8), name: "pipeline.yaml").report(
            plugins: [.memory, .sqlite, .sqliteQuery], environment: ConfigEnvironment([:]))
        let found = report.diagnostics.filter { $0.code != .unusedParameter }.map { "\($0.code.rawValue) \($0.message)" }.sorted()
        #expect(found.count == problems.count && zip(found, problems).allSatisfy { $0.hasPrefix($1) }, "\(found)")
    }

    @Test func `A cache reads several entries with one query`() async throws {
        let cache = SQLiteSource(path: friends.folder.database("cache.db"), clock: friends.time.clock)
        let batching = try #require(cache.batching)
        #expect(try await batching.read([.user("1"), .user("2")], ReadContext()).results.allSatisfy { try $0.get() == nil })
        let entries = (0..<5).map { (entry: Entry(Array("[\($0)]".utf8), created: friends.time.now), key: Key.user("\($0)")) }
        for (entry, key) in entries { try await cache.write(entry, for: key) }
        let answer = try await batching.read(["3", "x", "0", "4"].map(Key.user), ReadContext())
        #expect(try answer.results.map { try $0.get()?.text } == ["[3]", nil, "[0]", "[4]"])
        await cache.close()
    }
}
