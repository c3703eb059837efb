import PipelineTesting
import PipelineYAML
import SourcesMemory
import Testing

@testable import Pipeline
@testable import PipelineConfig
@testable import SourcesSQLite

/// What `validate` says of a query.
@Suite struct QueryFieldTests {
    private static func report(_ query: String, parameters: String = "[user]", variables: [String: String] = [:]) -> ConfigReport {
        let text = """
            sources:
              memory: { type: memory }
              db:
                type: sqlite_query
                path: friends.db
                query: \(query)
            pipelines:
              friends: { parameters: \(parameters), tiers: [memory, db] }
            """
        return ConfigFile(text: Array(text.utf8), name: "pipeline.yaml").report(
            plugins: [.memory, .sqlite, .sqliteQuery],
            environment: ConfigEnvironment(
                variable: { variables[$0] },
                file: { $0 == "friends.sql" ? .success("SELECT * FROM friends\nWHERE id = :usr") : .failure(.init("no such file")) }))
    }

    /// `6:12 P206 message; help`, one a diagnostic.
    private static func summary(_ report: ConfigReport) -> [String] {
        report.diagnostics.map {
            "\($0.range.start.line):\($0.range.start.column)-\($0.range.end.column) \($0.code.rawValue) \($0.message); \($0.help ?? "")"
        }
    }

    @Test func `a parameter that is declared and used is no problem`() {
        #expect(Self.summary(Self.report("SELECT * FROM friends WHERE id = :user")) == [])
        #expect(Self.summary(Self.report("SELECT * FROM friends WHERE id = :key AND :pipeline = 1", parameters: "[user]")) == [])
    }

    @Test(arguments: [
        ("SELECT * FROM friends WHERE id = :usr", "6:45-49"), ("\"SELECT * FROM friends WHERE id = :usr\"", "6:46-50"),
        ("|\n      SELECT *\n      FROM friends\n\n      WHERE id = :usr", "10:18-22"),
        ("|2\n        SELECT * FROM friends WHERE größe = '数' AND id = :usr", "7:58-62"),
        ("${file:friends.sql}", "6:12-31"),
    ]) func `P206 an undeclared parameter is found where it stands, also in a block`(query: String, place: String) {
        #expect(
            Self.summary(Self.report(query)) == [
                "\(place) P206 `:usr` is not a parameter of the pipeline `friends`; did you mean `:user`?"
            ])
    }

    @Test func `P207 a parameter that is not used is found, and named as a query has it`() {
        #expect(
            Self.summary(Self.report("SELECT * FROM friends")) == [
                "8:27-31 P207 no origin of the pipeline `friends` uses the parameter `user`: each value of it gets the same answer; put `{user}`, in a query `:user`, where the value belongs, or remove the parameter"
            ])
    }

    @Test(arguments: [
        (
            "SELECT * FROM friends WHERE id = {user}", "45-51",
            "`{user}` cannot be used in a query, which takes bound values only; write `:user`"
        ),
        ("SELECT * FROM friends WHERE id = @user", "45-50", "`@user` does not name a parameter; write `:user`"),
        ("SELECT * FROM friends WHERE id = $$user", "45-51", "`$user` does not name a parameter; write `:user`"),
        ("SELECT * FROM friends WHERE id = :1", "45-47", "`:1` does not name a parameter; a parameter is written `:name`"),
        ("SELECT * FROM friends WHERE id = ?", "45-46", "a parameter is named; write `:name` with the name of a parameter in place of `?`"),
        ("SELECT 1; SELECT 2", "22-23", "a second statement begins here; a query is one statement; remove what follows the `;`"),
        ("DELETE FROM friends", "12-31", "a query only reads, and cannot begin with `delete`; write `SELECT … FROM …`"),
        ("\"  \"", "12-16", "it is empty; write `query: SELECT id, name FROM friends ORDER BY id`"),
        ("-- nothing", "12-22", "it is empty; write `query: SELECT id, name FROM friends ORDER BY id`"),
        ("\"SELECT '\\0'\"", "12-25", "there is a NUL character in it; write `query: SELECT id, name FROM friends ORDER BY id`"),
    ]) func `P105 what cannot be a query is found`(query: String, place: String, words: String) {
        #expect(Self.summary(Self.report(query, parameters: "[]")) == ["6:\(place) P105 malformed query for `query`: \(words)"])
    }

    @Test(arguments: [
        ("SELECT * FROM friends WHERE name = ':user'", "47-54", "`:user` in quotes is text, not a parameter; remove the quotes: `:user`"),
        (
            "SELECT * FROM friends WHERE name LIKE '%{user}%'", "50-60",
            "`{user}` in a query is text, not a parameter; write `:user` outside of quotes, as `'%' || :user`"
        ),
    ]) func `a parameter in quotes is a warning`(query: String, place: String, words: String) {
        let report = Self.report(query, parameters: "[]")

        #expect(Self.summary(report) == ["6:\(place) P105 \(words)"])
        #expect(report.diagnostics.map(\.severity) == [.warning])
    }

    @Test(arguments: [
        "SELECT '12:30', '{}', '{\"a\": 1}', ':)', 'a :b', strftime('%H:%M', 'now')", "VALUES (1);", "/* a */ SELECT 1 -- b",
        "PRAGMA table_info(friends)",
        "\"EXPLAIN QUERY PLAN SELECT 1 ;; \"",
    ]) func `what is a query is none`(query: String) {
        let quoted = query.hasPrefix("\"") ? query : "'\(query.replacing("'", with: "''"))'"
        #expect(Self.summary(Self.report(quoted, parameters: "[]")) == [])
    }

    @Test func `a variable is a value, and never text of the query`() async throws {
        let friends = try Friends()
        func text(_ query: String, _ value: String) async throws -> String? {
            let text =
                "sources: { db: { type: sqlite_query, path: friends.db, query: \"\(query)\" } }\npipelines: { friends: { tiers: [db] } }\n"
            let report = ConfigFile(text: Array(text.utf8), name: "pipeline.yaml", folder: friends.folder.path).report(
                plugins: [.sqliteQuery], environment: ConfigEnvironment(["VALUE": value]))
            #expect(report.diagnostics.isEmpty)
            let outcome = try await Pipelines(report, clock: friends.time.clock).pipeline(named: "friends").fetch(Key(pipeline: "friends"))
            return outcome.text
        }

        #expect(try await text("SELECT id FROM friends WHERE name = ${VALUE}", "Grace") == #"[{"id":2}]"#)
        #expect(try await text("SELECT id FROM friends WHERE name = ${VALUE}", "' OR 1 --") == "[]")
        #expect(try await text("SELECT id FROM friends WHERE name = ${VALUE}", ":user") == "[]")
        #expect(try await text("SELECT id FROM friends -- ${VALUE}\\n WHERE id = ${VALUE}", "1\n; x") == "[]")
        #expect(try await text("${VALUE}", "SELECT id FROM friends WHERE id = 3") == #"[{"id":3}]"#)
        #expect(
            Self.summary(Self.report("SELECT '${VALUE}'", parameters: "[]", variables: ["VALUE": "x"])) == [
                "6:12-29 P105 malformed query for `query`: `${VALUE}` stands in quotes, and its value would be taken for SQL; take it out of the quotes: a variable is a value there, as `'%' || ${VALUE}`"
            ])
    }

    @Test func `a missing variable is found, and the parameters besides it are still looked for`() {
        #expect(Self.report("SELECT ${VALUE}, :usr").diagnostics.map(\.code.rawValue) == ["P401", "P206"])
    }

    @Test func `the plugin declares its fields`() {
        let declarations = SourcePlugin.sqliteQuery.declarations

        #expect(declarations.map(\.name) == ["path", "query", "rows", "busy_timeout", "max_size", "batch"])
        #expect(declarations.map(\.isRequired) == [true, true, false, false, false, false])
        #expect(declarations.map(\.defaultText) == [nil, nil, nil, "5s", "64MiB", nil])
        #expect(SourcePlugin.sqliteQuery.capabilities == [.neverMisses])
    }
}
