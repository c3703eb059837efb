import GRDB
import Pipeline
import PipelineConfig
import PipelineTesting
import PipelineYAML
import Testing

@testable import SourcesSQLite

/// What `validate --level connect` finds of a query.
@Suite(.timeLimit(.minutes(15))) struct QueryCheckTests {
    @Test(arguments: [true, false]) func `a query that can be prepared is reachable, and nothing is made or changed`(keepsLog: Bool)
        async throws
    {
        let friends = try Friends(keepsLog: keepsLog)
        let before = try friends.folder.bytes(of: "friends.db")

        #expect(try await friends.checked("SELECT * FROM friends WHERE id = :user") == nil)

        #expect(try friends.folder.contents() == ["friends.db"])
        #expect(try friends.folder.bytes(of: "friends.db") == before)
    }

    @Test func `what a writer has in its log counts`() async throws {
        let friends = try Friends(keepsLog: true)
        let writer = try DatabasePool(path: friends.folder.path + "/friends.db")
        try await writer.write { try $0.execute(sql: "CREATE TABLE foes (id)") }

        #expect(try await friends.checked("SELECT * FROM foes") == nil)
        #expect(try await friends.checked("SELECT * FROM frogs") == "refused: no such table: frogs")
    }

    @Test func `what is refused and what cannot be reached are told apart`() async throws {
        let friends = try Friends()
        try friends.folder.put(Array("notes, and no database at all".utf8), into: "notes.db")

        #expect(try await friends.checked("SELECT nmae FROM friends") == "refused: no such column: nmae")
        #expect(try await friends.checked("SELECT * FORM friends") == #"refused: near "FORM": syntax error"#)
        #expect(try await friends.checked("SELECT id, id FROM friends")?.hasPrefix("refused: the query gives two columns") == true)
        #expect(
            try await friends.checked("DELETE FROM friends")
                == "refused: the query does not only read: it changes something, or returns no columns")
        #expect(try await friends.checked("SELECT 1", in: "none.db") == "failure: cannot open …/none.db: no such file or directory")
        #expect(try await friends.checked("SELECT 1", in: "notes.db") == "failure: cannot open …/notes.db: file is not a database")
        #expect(try friends.folder.contents() == ["friends.db", "notes.db"])
    }

    @Test(arguments: ["a b%20?#c.db", ":memory:", "file:x?mode=memory"]) func `a name is the name of a file`(name: String) async throws {
        let friends = try Friends()
        try friends.run("CREATE TABLE t (x)", in: "./" + name)

        #expect(try await friends.checked("SELECT x FROM t", in: name) == nil)
        #expect(try await friends.query("SELECT x FROM t", in: name).read(friends.key())?.text == "[]")
    }

    @Test func `a problem of the file stands at the path, one of the query at the query`() async throws {
        let friends = try Friends()
        func diagnostics(path: String) async -> [String] {
            let text = """
                sources:
                  db:
                    type: sqlite_query
                    path: \(path)
                    query: |
                      SELECT *
                      FROM fiends
                pipelines: { friends: { tiers: [db] } }
                """
            let report = ConfigFile(text: Array(text.utf8), name: "pipeline.yaml", folder: friends.folder.path).report(
                plugins: [.sqliteQuery], environment: ConfigEnvironment([:]), level: .connect)
            return await report.checkSources().compactMap(\.diagnostic).map {
                "\($0.range.start.line):\($0.range.start.column) \($0.code.rawValue) \(friends.folder.short($0.message)); \($0.help ?? "")"
            }
        }

        #expect(
            await diagnostics(path: "none.db") == [
                "4:11 P501 cannot connect to the source `db`: cannot open …/none.db: no such file or directory; make it reachable, or correct `path`"
            ])
        #expect(await diagnostics(path: "friends.db") == ["5:12 P502 the source `db` refuses: no such table: fiends; correct `query`"])
    }
}
